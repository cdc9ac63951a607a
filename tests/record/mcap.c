/* The conformance cases of the MCAP project (mcap_conformance.jsonl): records as JSON, and size and SHA-256 of the
 * file that holds them. The writer must make that file, the reader must find these records in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sha256.h"
#include "pronk/record.h"
#include "record/mcap_write.h"

static const struct {
  const char *name;
  pki_mcap_op op;
} kinds[] = {{"Header", PKI_MCAP_HEADER},
             {"Footer", PKI_MCAP_FOOTER},
             {"Schema", PKI_MCAP_SCHEMA},
             {"Channel", PKI_MCAP_CHANNEL},
             {"Message", PKI_MCAP_MESSAGE},
             {"ChunkIndex", PKI_MCAP_CHUNK_INDEX},
             {"Attachment", PKI_MCAP_ATTACHMENT},
             {"AttachmentIndex", PKI_MCAP_ATTACHMENT_INDEX},
             {"Statistics", PKI_MCAP_STATISTICS},
             {"Metadata", PKI_MCAP_METADATA},
             {"MetadataIndex", PKI_MCAP_METADATA_INDEX},
             {"SummaryOffset", PKI_MCAP_SUMMARY_OFFSET},
             {"DataEnd", PKI_MCAP_DATA_END}};

static const struct {
  const char *name;
  unsigned part;
} features[] = {{"ch", PKI_MCAP_PART_CHUNKS},           {"mx", PKI_MCAP_PART_MESSAGE_INDEX},
                {"st", PKI_MCAP_PART_STATISTICS},       {"rsh", PKI_MCAP_PART_SCHEMAS},
                {"rch", PKI_MCAP_PART_CHANNELS},        {"ax", PKI_MCAP_PART_ATTACHMENT_INDEX},
                {"mdx", PKI_MCAP_PART_METADATA_INDEX},  {"chx", PKI_MCAP_PART_CHUNK_INDEX},
                {"sum", PKI_MCAP_PART_SUMMARY_OFFSETS}, {"pad", PKI_MCAP_PART_PADDING}};

static pki_mcap_op op_of(const cJSON *record)
{
  const char *type = cJSON_GetObjectItem(record, "type")->valuestring;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].name, type) == 0) {
      return kinds[i].op;
    }
  }
  fail_msg("a record of the unknown type %s", type);
  return PKI_MCAP_OP_END;
}

/* The value of a record's field; NULL: not given. */
static const cJSON *value_of(const cJSON *record, const char *name)
{
  const cJSON *pair;
  cJSON_ArrayForEach(pair, cJSON_GetObjectItem(record, "fields"))
  {
    if (strcmp(cJSON_GetArrayItem(pair, 0)->valuestring, name) == 0) {
      return cJSON_GetArrayItem(pair, 1);
    }
  }
  return NULL;
}

/* The bytes of a field that is no number, as a record holds them. */
static void encode_value(const cJSON *value, pki_mcap_type type, pki_text *out)
{
  const cJSON *item;
  if (type == PKI_MCAP_TEXT) {
    pki_text_add(out, value->valuestring);
  }
  cJSON_ArrayForEach(item, value)
  {
    if (type == PKI_MCAP_MAP) {
      pki_mcap_map_add(out, item->string, item->valuestring);
    } else if (type == PKI_MCAP_NUMBERS) {
      pki_mcap_numbers_add(out, (uint16_t)strtoul(item->string, NULL, 10),
                           strtoull(item->valuestring, NULL, 10));
    } else {
      const uint8_t byte = (uint8_t)strtoul(item->valuestring, NULL, 10);
      pki_text_add_bytes(out, &byte, 1);
    }
  }
}

static int width_of(pki_mcap_type type)
{
  return type == PKI_MCAP_U8    ? 1
         : type == PKI_MCAP_U16 ? 2
         : type == PKI_MCAP_U32 ? 4
         : type == PKI_MCAP_U64 ? 8
                                : 0;
}

enum { FIELDS = 16 };

/* A record's struct from JSON; its views point to `texts`. */
static void fill(const cJSON *record, pki_mcap_fields *out, pki_text texts[FIELDS])
{
  int count;
  const pki_mcap_field *fields = pki_mcap_fields_of(op_of(record), &count);
  *out = (pki_mcap_fields){0};
  for (int i = 0; i < count; i++) {
    const cJSON *value = value_of(record, fields[i].name);
    char *member = (char *)out + fields[i].offset;
    if (value == NULL) {
      continue; /* a sum */
    }
    if (width_of(fields[i].type) > 0) {
      pki_put_le(member, strtoull(value->valuestring, NULL, 10), width_of(fields[i].type));
    } else {
      encode_value(value, fields[i].type, &texts[i]);
      const pki_view view = {texts[i].data, texts[i].size};
      memcpy(member, &view, sizeof view);
    }
  }
}

static bool into_memory(void *user, const void *data, size_t size)
{
  pki_text_add_bytes(user, data, size);
  return true;
}

/* The file of a case. */
static void write_case(const cJSON *test, pki_text *out)
{
  pki_mcap_writer w = {.put = into_memory, .user = out, .compression = PK_RECORDING_COMPRESSION_NONE};
  const cJSON *item;
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(test, "features"))
  {
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
      w.parts |= strcmp(features[i].name, item->valuestring) == 0 ? features[i].part : 0;
    }
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItem(test, "records"))
  {
    const pki_mcap_op op = op_of(item);
    if (op == PKI_MCAP_DATA_END) {
      break; /* the rest follows by itself */
    }
    pki_mcap_fields record;
    pki_text texts[FIELDS] = {{0}};
    fill(item, &record, texts);
    if (op == PKI_MCAP_HEADER) {
      pki_mcap_begin(&w, &record.header);
    } else {
      pki_mcap_write(&w, op, &record);
    }
    for (int i = 0; i < FIELDS; i++) {
      pki_text_free(&texts[i]);
    }
  }
  pki_mcap_end(&w);
  assert_false(w.failed);
  pki_mcap_writer_free(&w);
}

/* Does a record that was read hold what the JSON says? */
static void compare(const cJSON *record, const pki_mcap_fields *found, const char *name)
{
  int count;
  const pki_mcap_field *fields = pki_mcap_fields_of(op_of(record), &count);
  for (int i = 0; i < count; i++) {
    const cJSON *value = value_of(record, fields[i].name);
    const char *member = (const char *)found + fields[i].offset;
    if (value == NULL) {
      continue;
    }
    if (width_of(fields[i].type) > 0) {
      const uint64_t expected = strtoull(value->valuestring, NULL, 10);
      if (pki_get_le(member, width_of(fields[i].type)) != expected) {
        fail_msg("%s: %s", name, fields[i].name);
      }
      continue;
    }
    pki_view view;
    memcpy(&view, member, sizeof view);
    pki_text expected = {0};
    encode_value(value, fields[i].type, &expected);
    assert_int_equal(view.size, expected.size);
    if (view.size > 0) {
      assert_memory_equal(view.data, expected.data, view.size);
    }
    pki_text_free(&expected);
  }
}

/* Each record, also within chunks, is the next one of the JSON. */
static const cJSON *compare_all(pki_view rest, const cJSON *next, const char *name)
{
  pki_view bytes;
  for (int op; pki_mcap_next(&rest, &op, &bytes);) {
    pki_mcap_fields f;
    assert_true(pki_mcap_decode((pki_mcap_op)op, bytes, &f));
    if (op == PKI_MCAP_CHUNK) {
      pki_text scratch = {0};
      pki_view records;
      assert_int_equal(pki_mcap_expand(&f.chunk, &scratch, &records), PK_OK);
      next = compare_all(records, next, name);
      pki_text_free(&scratch);
    } else if (op != PKI_MCAP_MESSAGE_INDEX) {
      assert_non_null(next);
      assert_int_equal(op, op_of(next));
      compare(next, &f, name);
      next = next->next;
    }
  }
  assert_int_equal(rest.size, 0);
  return next;
}

/* Every line of the file. */
static void for_each_case(void (*check)(const cJSON *test, const char *name))
{
  size_t size;
  char *text = pki_file_read(PK_SOURCE_DIR "/tests/record/mcap_conformance.jsonl", 1 << 24, &size);
  assert_non_null(text);
  int count = 0;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    cJSON *test = cJSON_Parse(line);
    assert_non_null(test);
    check(test, cJSON_GetObjectItem(test, "name")->valuestring);
    cJSON_Delete(test);
    count++;
  }
  free(text);
  assert_int_equal(count, 416);
}

static void check_hash(const cJSON *test, const char *name)
{
  pki_text file = {0};
  write_case(test, &file);
  char hash[65];
  pki_sha256_hex(file.data, file.size, hash);
  if (file.size != (size_t)cJSON_GetObjectItem(test, "size")->valuedouble ||
      strcmp(hash, cJSON_GetObjectItem(test, "sha256")->valuestring) != 0) {
    fail_msg("%s: %zu bytes, %s", name, file.size, hash);
  }
  pki_text_free(&file);
}

static void the_writer_reproduces_the_published_hashes(void **state)
{
  (void)state;
  for_each_case(check_hash);
}

static void check_records(const cJSON *test, const char *name)
{
  pki_text file = {0};
  write_case(test, &file);
  const size_t ends = 2 * PKI_MCAP_MAGIC_SIZE;
  assert_memory_equal(file.data, pki_mcap_magic, PKI_MCAP_MAGIC_SIZE);
  const pki_view records = {file.data + PKI_MCAP_MAGIC_SIZE, file.size - ends};
  assert_null(compare_all(records, cJSON_GetObjectItem(test, "records")->child, name));
  pki_text_free(&file);
}

static void the_reader_finds_the_same_records(void **state)
{
  (void)state;
  for_each_case(check_records);
}

static void a_hash_of_known_text_is_known(void **state)
{
  (void)state;
  char hash[65];
  pki_sha256_hex("abc", 3, hash);
  assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void a_record_that_is_cut_anywhere_is_refused(void **state)
{
  (void)state;
  pki_text record = {0}, map = {0};
  pki_mcap_map_add(&map, "key", "value");
  const pki_mcap_channel c = {1, 2, pki_view_of("topic"), pki_view_of("cdr"), {map.data, map.size}};
  pki_mcap_encode(&record, PKI_MCAP_CHANNEL, &c, 0);
  for (size_t size = 0; size < record.size - PKI_MCAP_HEAD; size++) {
    char *copy = malloc(size + 1); /* of that size, so that a step too far shows */
    memcpy(copy, record.data + PKI_MCAP_HEAD, size);
    pki_mcap_channel out;
    assert_false(pki_mcap_decode(PKI_MCAP_CHANNEL, (pki_view){copy, size}, &out));
    free(copy);
  }
  pki_text_free(&record);
  pki_text_free(&map);
}

static void every_codec_gives_back_what_it_took_and_refuses_what_is_damaged(void **state)
{
  (void)state;
  enum { SIZE = 100000 };
  char *data = malloc(SIZE);
  for (int i = 0; i < SIZE; i++) {
    data[i] = (char)((unsigned)i * (unsigned)i >> 9);
  }
  for (int codec = 0; codec < PK_RECORDING_COMPRESSION_COUNT; codec++) {
    if (!pki_mcap_can_compress(codec)) {
      continue;
    }
    pki_text packed = {0}, scratch = {0};
    pki_view records;
    void *kept = NULL;
    for (int round = 0; round < 2; round++) { /* the second with what the first kept */
      packed.size = 0;
      assert_true(pki_mcap_compress(codec, &kept, (pki_view){data, SIZE}, &packed));
    }
    pki_mcap_compress_free(&kept);
    pki_mcap_chunk chunk = {.uncompressed_size = SIZE,
                            .compression = pki_view_of(pki_mcap_compressions[codec]),
                            .records = {packed.data, packed.size}};
    assert_int_equal(pki_mcap_expand(&chunk, &scratch, &records), PK_OK);
    assert_int_equal(records.size, SIZE);
    assert_memory_equal(records.data, data, SIZE);
    /* a size that is not true, more and less; an end that is missing; a sum that is wrong */
    chunk.uncompressed_size = SIZE + 1;
    assert_int_equal(pki_mcap_expand(&chunk, &scratch, &records), PK_ERROR_SYNTAX);
    chunk.uncompressed_size = SIZE - 1;
    assert_int_equal(pki_mcap_expand(&chunk, &scratch, &records), PK_ERROR_SYNTAX);
    chunk.uncompressed_size = SIZE;
    chunk.records.size--;
    assert_int_equal(pki_mcap_expand(&chunk, &scratch, &records), PK_ERROR_SYNTAX);
    chunk.records.size++;
    chunk.uncompressed_crc = 1;
    assert_int_equal(pki_mcap_expand(&chunk, &scratch, &records), PK_ERROR_SYNTAX);
    chunk.uncompressed_size = UINT64_MAX;
    assert_int_not_equal(pki_mcap_expand(&chunk, &scratch, &records), PK_OK);
    pki_text_free(&packed);
    pki_text_free(&scratch);
  }
  free(data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hash_of_known_text_is_known),
      cmocka_unit_test(the_writer_reproduces_the_published_hashes),
      cmocka_unit_test(the_reader_finds_the_same_records),
      cmocka_unit_test(a_record_that_is_cut_anywhere_is_refused),
      cmocka_unit_test(every_codec_gives_back_what_it_took_and_refuses_what_is_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
