#include "record/recording.h"

#ifdef PKI_HAVE_LZ4
#define BEST PK_RECORDING_COMPRESSION_LZ4
#elif defined(PKI_HAVE_ZSTD)
#define BEST PK_RECORDING_COMPRESSION_ZSTD
#else
#define BEST PK_RECORDING_COMPRESSION_NONE
#endif

const char *const pki_compression_words[PK_RECORDING_COMPRESSION_COUNT] = {"none", "lz4", "zstd"};

const pk_field pki_recording_fields[] = {
    {"compression", offsetof(pk_recording_options, compression), PK_FIELD_ENUM, "", BEST, 0,
     PK_RECORDING_COMPRESSION_COUNT - 1, pki_compression_words,
     "of the chunks: zstd is smallest, lz4 takes least time"},
    {"chunk", offsetof(pk_recording_options, chunk), PK_FIELD_REAL, "s", 0.25, 1e-3, 60, NULL,
     "time of the run in one chunk; a kill can cost three"},
    {"thread", offsetof(pk_recording_options, thread), PK_FIELD_BOOL, "", 1, 0, 1, NULL,
     "compress and write beside the run; the bytes are the same"},
};
const int pki_recording_field_count = sizeof pki_recording_fields / sizeof pki_recording_fields[0];

pk_recording_options pk_recording_options_default(void)
{
  pk_recording_options options;
  pki_fields_default(pki_recording_fields, pki_recording_field_count, &options, sizeof options);
  return options;
}
