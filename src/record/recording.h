/* What the writer and the readers of recordings share: how a channel of numbers stands in an MCAP file.
 *
 * A channel "joints/force" is the topic "/joints/force" with a schema of its own, "pronk/msg/JointsForce" in ROS
 * 2's message language; samples are CDR, little endian. One row is a message of float64 fields; a table is a
 * sequence of rows. The true names, the units and the doc stand in the channel's metadata. */
#ifndef PKI_RECORD_RECORDING_H
#define PKI_RECORD_RECORDING_H

#include "base/field.h"
#include "pronk/record.h"
#include "record/mcap.h"

/* A recorder that writes to an open, empty file, with a descriptor of its own; messages speak of `path`. */
pk_status pki_recording_create_on(int fd, const char *path, pk_recorder **out, pk_error *err);

/* Names of pk_recording_compression. */
extern const char *const pki_compression_words[PK_RECORDING_COMPRESSION_COUNT];

/* pk_recording_options as a table. */
extern const pk_field pki_recording_fields[];
extern const int pki_recording_field_count;

enum {
  PKI_CDR_HEAD = 4, /* before each sample: CDR, little endian */
  PKI_CDR_ROWS = 8, /* of a table: the number of rows and a gap, so that numbers lie at multiples of 8 */
  PKI_RECORDING_COLUMNS = 65535, /* most columns of a channel */
};

/* Check names, columns and units of channels; the message names the one at fault. */
pk_status pki_channels_validate(const pk_recorder_channel *channels, int count, const char *path,
                                pk_error *err);

/* The schema of a channel as text, its type's name, the metadata as a map. */
void pki_channel_schema(const pk_recorder_channel *channel, pki_text *type, pki_text *schema);
void pki_channel_metadata(const pk_recorder_channel *channel, pki_text *map);

/* From the metadata back; free with pki_channel_free. False: not a channel of this kind, or (*memory) no memory. */
bool pki_channel_parse(const pki_mcap_channel *from, pk_recorder_channel *out, bool *memory);
void pki_channel_free(pk_recorder_channel *channel);

/* Append one sample as a Message record. */
void pki_sample_encode(pki_text *out, const pk_recorder_channel *channel, int id, uint32_t sequence,
                       uint64_t time, const double *values, int rows);

/* How many rows a message's data hold, -1: malformed; *values: their bytes. */
int pki_sample_rows(const pk_recorder_channel *channel, pki_view data, const void **values);

/* s of the run in ns, and back. False: negative, not finite, beyond 9e9 s. */
bool pki_time_encode(double time, uint64_t *ns);
double pki_time_decode(uint64_t ns);

#endif
