/* A file of records that only grows: a head that says whose records these are, then records of one size, each written at
 * once. What a kill leaves at the end is no whole record and is cut off. Whoever opens the file has it to itself until it is
 * closed, where the file system has locks. What stands in head and records is their owner's business: sweep/store.h,
 * tune/evaluations.h. */
#ifndef PKI_SWEEP_RECORD_FILE_H
#define PKI_SWEEP_RECORD_FILE_H

#include "base/error.h"
#include "base/folders.h"

enum { PKI_RECORD_MAGIC = 8 }; /* bytes at the start of a head by which it is known */

typedef struct pki_record_file {
  int fd;
  char path[PKI_PATH_MAX];
  const char *noun;       /* what a record is of, as "a sample" */
  size_t head_size, each; /* bytes: of the head, of a record */
  long long records;      /* in the file */
  bool dirty;             /* something may not be on the disk yet */
  double flushed;         /* s, when it was */
} pki_record_file;

/* How a file is opened. */
typedef struct pki_record_opening {
  const unsigned char *head; /* [head_size] of a new file */
  size_t head_size, each;
  const char *noun;
  bool again; /* throw away what is there */
  /* Whether the head of a file that is there fits; else why not. */
  pk_status (*fits)(void *user, const unsigned char *theirs, const char *path, pk_error *err);
  /* A record of that file, in order from 0. PK_OK to go on. */
  pk_status (*found)(void *user, long long record, const unsigned char *bytes, pk_error *err);
  void *user;
} pki_record_opening;

/* Open or begin the file. On failure there is nothing to close. */
pk_status pki_record_file_open(const char *path, const pki_record_opening *opening, pki_record_file *out,
                               pk_error *err);
void pki_record_file_close(pki_record_file *file); /* one that is closed, too */

/* One more record, [each] bytes. */
pk_status pki_record_file_add(pki_record_file *file, const unsigned char *bytes, pk_error *err);

/* To the disk, when a second has passed since the last time or `now`. */
pk_status pki_record_file_flush(pki_record_file *file, bool now, pk_error *err);

/* A record as bytes; false: there is none, or it cannot be read. */
bool pki_record_file_get(const pki_record_file *file, long long record, unsigned char *out);

#endif
