/* The head of a file of records (record_file.h): whose records they are. Samples of sweeps and evaluations of tunings have the
 * same, little endian:
 *
 *   at   size
 *     0     8  magic, by which the file is known
 *     8     4  format, 1
 *    12     4  size of the head
 *    16     4  size of a record
 *    20     4  metrics in a record
 *    24     8  count: samples of the sweep, parameters of the tuning
 *    32     8  hash of the sweep, of the tuning
 *    40     8  scenario_hash
 *    48     8  model_hash
 *    56    32  version      texts end with a zero and are filled up with zeros
 *    88    16  isa
 *   104    48  compiler
 *   152     4  CRC-32 of the head so far */
#ifndef PKI_SWEEP_RECORD_HEAD_H
#define PKI_SWEEP_RECORD_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PKI_RECORD_HEAD = 156, PKI_RECORD_HEAD_SIZES = 16, PKI_RECORD_HEAD_COUNT = 24 };

typedef struct pki_record_head {
  const char *magic; /* [8] */
  size_t each;       /* bytes of a record */
  uint64_t count, owner_hash, scenario_hash, model_hash;
  const char *version, *isa, *compiler;
} pki_record_head;

void pki_record_head_encode(const pki_record_head *head, unsigned char out[PKI_RECORD_HEAD]);

/* The checksum is that of what comes before it. */
bool pki_record_head_is_whole(const unsigned char head[PKI_RECORD_HEAD]);

/* What two heads tell apart, in the order in which it helps; NULL: nothing. Bytes from `own` (PKI_RECORD_HEAD_SIZES or
 * PKI_RECORD_HEAD_COUNT) to the hash of the owner are what `owner` says, those before are the format. */
const char *pki_record_head_difference(const unsigned char theirs[PKI_RECORD_HEAD],
                                       const unsigned char mine[PKI_RECORD_HEAD], int own, const char *owner);

#endif
