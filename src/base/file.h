/* Files and folders of the user's: what C alone cannot tell. */
#ifndef PKI_BASE_FILE_H
#define PKI_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Links are followed; NULL is neither. */
bool pki_is_file(const char *path);
bool pki_is_folder(const char *path);

/* All bytes of a regular file, with a zero after them; free() them. NULL with errno otherwise, among
 * others EISDIR for a folder, ESPIPE for a pipe or a device (never waited for), EFBIG for more than
 * `most` bytes, ENOMEM; *size is then the file's size, as far as it is known. */
char *pki_file_read(const char *path, size_t most, size_t *size);

/* Why a file could not be read, as pki_file_read left it in errno; `if_folder` is told of folders. */
const char *pki_read_cause(int cause, const char *if_folder);

/* All bytes into an open file, however many calls it takes; false with errno. */
bool pki_write_all(int fd, const void *data, size_t size);

/* A folder with all that is in it; links are not followed. One that is not there is fine; false with errno. */
bool pki_folder_remove(const char *path);

/* "folder/trot.yaml" is "trot": the name without its folder and ending, as far as `size` goes. */
void pki_file_stem(const char *path, char *out, size_t size);

/* A name that has more than this ending, as "run.mcap" and ".mcap". */
bool pki_ends_with(const char *name, const char *ending);

#endif
