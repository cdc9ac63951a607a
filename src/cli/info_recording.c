/* pronk info of a recording: its span, channels, notes and attachments. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd_info.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "record/recording_read.h"
#include "report/table.h"

/* Samples in a second, 0: fewer than two. */
static double rate_of(const pk_recording *r, int channel, double span)
{
  return r->tracks[channel].count > 1 && span > 0 ? (double)(r->tracks[channel].count - 1) / span : 0;
}

/* ---- for machines ---- */

static cJSON *channel_json(const pk_recording *r, int i, double span)
{
  const pk_recorder_channel *c = &r->channels[i];
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "name", c->name);
  cJSON_AddStringToObject(o, "doc", c->doc);
  cJSON_AddBoolToObject(o, "table", c->table);
  cJSON_AddNumberToObject(o, "samples", (double)r->tracks[i].count);
  cJSON_AddNumberToObject(o, "rate", rate_of(r, i, span));
  cJSON_AddItemToObject(o, "columns", cJSON_CreateStringArray(c->column, c->columns));
  cJSON_AddItemToObject(o, "units", cJSON_CreateStringArray(c->unit, c->columns));
  return o;
}

static bool print_json(const pk_recording *r, double start, double end)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "recording", r->path);
  cJSON_AddBoolToObject(o, "complete", r->complete);
  cJSON_AddNumberToObject(o, "damaged", r->damaged);
  cJSON_AddNumberToObject(o, "bytes", (double)r->size);
  pki_json_number(o, "start", start);
  pki_json_number(o, "end", end);
  cJSON_AddNumberToObject(o, "chunks", r->nblock);
  cJSON *channels = cJSON_AddArrayToObject(o, "channels");
  for (int i = 0; i < r->count; i++) {
    cJSON_AddItemToArray(channels, channel_json(r, i, end - start));
  }
  cJSON *notes = cJSON_AddObjectToObject(o, "notes");
  for (int i = 0; i < r->about.nnote; i++) {
    cJSON_AddStringToObject(notes, r->about.notes[i].key, r->about.notes[i].value);
  }
  cJSON *attachments = cJSON_AddArrayToObject(o, "attachments");
  for (int i = 0; i < r->about.nattachment; i++) {
    const pk_recorder_attachment *a = &r->about.attachments[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", a->name);
    cJSON_AddStringToObject(item, "media_type", a->media_type);
    cJSON_AddNumberToObject(item, "bytes", (double)a->size);
    cJSON_AddItemToArray(attachments, item);
  }
  return pki_json_print(o, true, "info");
}

/* ---- for people ---- */

/* A few of the columns with their units: "LF_HAA, LF_HFE, ... 12 [N m]". */
static void columns_text(const pk_recorder_channel *c, char *out, size_t size)
{
  enum { SHOWN = 3 };
  size_t n = 0;
  for (int k = 0; k < c->columns && k < SHOWN && n < size; k++) {
    n += (size_t)snprintf(out + n, size - n, "%s%s", k > 0 ? ", " : "", c->column[k]);
  }
  if (c->columns > SHOWN && n < size) {
    n += (size_t)snprintf(out + n, size - n, ", ... (%d)", c->columns);
  }
  bool same = true;
  for (int k = 1; k < c->columns; k++) {
    same = same && strcmp(c->unit[k], c->unit[0]) == 0;
  }
  if (same && c->unit[0][0] != '\0' && n < size) {
    snprintf(out + n, size - n, " [%s]", c->unit[0]);
  }
}

static bool print_channels(const pk_recording *r, double span)
{
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"channel", "samples", "per s", "columns"}, 4);
  for (int i = 0; i < r->count; i++) {
    char samples[32], rate[32], columns[160];
    snprintf(samples, sizeof samples, "%llu", (unsigned long long)r->tracks[i].count);
    snprintf(rate, sizeof rate, "%.4g", rate_of(r, i, span));
    columns_text(&r->channels[i], columns, sizeof columns);
    const char *const cells[] = {r->channels[i].name, samples, rate, columns};
    pki_table_row(&table, cells);
  }
  pki_text text = {0};
  pki_text_add(&text, "\n");
  pki_table_text(&table, "  ", true, &text);
  const bool good = !table.failed && !text.failed;
  pki_print_clean(&text);
  pki_table_free(&table);
  return good;
}

static bool print_text(const pk_recording *r, double start, double end)
{
  const pki_palette p = pki_palette_for(stdout);
  printf("%s%s%s\n\n", p.bold, r->path, p.plain);
  if (r->nblock > 0) {
    printf("  time                %.9g to %.9g s\n", start, end);
  } else {
    printf("  time                no samples\n");
  }
  printf("  size                %.3f MB in %d chunks\n", (double)r->size * 1e-6, r->nblock);
  if (r->complete) {
    printf("  complete            yes\n");
  } else {
    printf("  complete            %sno%s: cut off, or still being written\n", p.yellow, p.plain);
  }
  if (r->damaged > 0) {
    printf("  damaged             %s%d%s parts left out\n", p.red, r->damaged, p.plain);
  }
  pki_text text = {0};
  for (int i = 0; i < r->about.nnote; i++) {
    pki_text_addf(&text, "  %-20s%s\n", r->about.notes[i].key, r->about.notes[i].value);
  }
  pki_print_clean(&text);
  const bool good = print_channels(r, end - start);
  for (int i = 0; i < r->about.nattachment; i++) {
    const pk_recorder_attachment *a = &r->about.attachments[i];
    pki_text_addf(&text, "%s  %-24s%zu bytes, %s\n", i == 0 ? "\n" : "", a->name, a->size, a->media_type);
  }
  pki_print_clean(&text);
  return good;
}

int pki_info_recording(const pki_args *args, const char *path)
{
  pk_error err = {0};
  pk_recording *r;
  if (pk_recording_open(path, &r, &err) != PK_OK) {
    pki_complain_error("info", &err);
    return PKI_EXIT_USAGE;
  }
  double start, end;
  pk_recording_span(r, &start, &end);
  const bool good = args->json ? print_json(r, start, end) : print_text(r, start, end);
  if (!good) {
    pki_complain("info", "out of memory");
  }
  pk_recording_close(r);
  return good ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}
