/* What of a run is kept. */
#include <stdlib.h>

#include "record/recording.h"
#include "scenario/section.h"

#define RECORD(name) #name, offsetof(pki_scenario_record, name)
static const pk_field record_fields[] = {
    {RECORD(rate), PK_FIELD_REAL, "Hz", 1000, 0, 1e6, NULL,
     "samples of states, forces and contacts, at most one in each step; 0: nothing is recorded"},
    {RECORD(view_rate), PK_FIELD_REAL, "Hz", 30, 0, 1e6, NULL,
     "samples of poses, energy and centre of mass, at most one in each step; 0: none"},
    PKI_PART("channels",
             "names of channels, or patterns with *, as a list; default: all (pronk list channels)"),
    {RECORD(compression), PK_FIELD_ENUM, "", PK_RECORDING_COMPRESSION_LZ4, 0,
     PK_RECORDING_COMPRESSION_COUNT - 1, pki_compression_words,
     "of the recording's chunks: zstd is smallest, lz4 takes least time"},
    {RECORD(loads), PK_FIELD_BOOL, "", 0, 0, 1, NULL, "the channel joints/load: what each joint carries"},
};
static const int record_field_count = PKI_COUNT(record_fields);

static void read_record(pki_scenario *s, const pki_node *map, pki_problems *problems)
{
  pki_fields_preset(record_fields, record_field_count, &s->record);
  if (map == NULL) {
    return;
  }
  const pki_binding binding = {record_fields, record_field_count, &s->record};
  pki_read_map(map, &binding, 1, problems);
  pki_read_names(pki_node_find(map, "channels"), 0, 0, &s->record_channels, &s->nrecord_channel, problems);
}

static void release_record(pki_scenario *s)
{
  free(s->record_channels);
}

static const pki_schema_table record_tables[] = {{"record", "`record`", record_fields, &record_field_count},
                                                 {NULL, NULL, NULL, NULL}};

const pki_section pki_section_record = {.name = "record",
                                        .doc = "what of a run is kept",
                                        .form = PKI_SECTION_IS_MAPPING,
                                        .tables = record_tables,
                                        .unhashed = true,
                                        .read = read_record,
                                        .release = release_record};
