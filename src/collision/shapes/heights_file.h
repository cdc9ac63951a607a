/* Heights from files: heights_file.c reads text and raw numbers, heights_png.c pictures; heights_pattern.c makes them up. */
#ifndef PKI_COLLISION_SHAPES_HEIGHTS_FILE_H
#define PKI_COLLISION_SHAPES_HEIGHTS_FILE_H

#include <stddef.h>

#include "base/field.h"
#include "pronk/heights.h"

enum { PKI_HEIGHTS_FILE_BYTES = 1 << 30 };

extern const char *const pki_heights_format_words[PK_HEIGHTS_FORMAT_COUNT];
extern const char *const pki_heights_function_words[PK_HEIGHTS_FUNCTION_COUNT];

/* Of pk_heights_options and pk_heights_pattern. */
extern const pk_field pki_heights_file_fields[], pki_heights_pattern_fields[];
extern const int pki_heights_file_field_count, pki_heights_pattern_field_count;

/* As pk_heights_load, from memory; `file` names it in messages and, for auto, tells the format. */
pk_status pki_heights_parse(const char *file, const void *data, size_t size,
                            const pk_heights_options *options, pk_heights *out, pk_error *err);

/* Room for nx x ny heights; counts that no field may have are refused. */
pk_status pki_heights_room(const char *file, long long nx, long long ny, pk_heights *out, pk_error *err);

/* Grey values between 0 and 1, the picture's last row first. Sets nx, ny and z. */
pk_status pki_heights_read_png(const char *file, const void *data, size_t size, pk_heights *out,
                               pk_error *err);

#endif
