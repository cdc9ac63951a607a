/* The compiled form: everything comes back, damage is found, hostile bytes do no harm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "model/convert/compiled.h"
#include "pronk/model.h"
#include "support/everything.h"
#include "support/pace.h"

static const everything_options all = {.mimic = true,
                                       .floating = true,
                                       .planar = true,
                                       .meshes = true,
                                       .cone = true,
                                       .ground = true,
                                       .equipment = true,
                                       .springs = true};

static pk_builder *new_builder(void)
{
  pk_builder *b = NULL;
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  return b;
}

/* The world of all options and its bytes. */
static pk_builder *build_all(pki_text *bytes)
{
  pk_builder *b = new_builder();
  pk_error err;
  pk_model *model;
  build_everything(b, &all);
  pk_constraint_desc ball = pk_constraint_desc_default();
  ball.name = "grip", ball.kind = PK_CONSTRAINT_BALL, ball.link[0] = "trunk", ball.link[1] = "hand";
  ball.frame[0].pos[1] = 0.1;
  assert_int_equal(pk_builder_add_constraint(b, &ball, &err), PK_OK);
  assert_int_equal(pk_builder_cut_joint(b, "stand_elbow", &err), PK_OK);
  pk_builder_set_gravity(b, (const double[3]){0, 0.5, -3.7});
  pk_builder_set_magnetic_field(b, (const double[3]){0.1, 0, -0.5});
  assert_int_equal(pk_builder_compile(b, &model, &err), PK_OK);
  pki_compiled_encode(b, pk_model_hash(model), bytes);
  assert_false(bytes->failed);
  pk_model_destroy(model);
  return b;
}

static pk_status read_bytes(pk_builder *b, const pki_text *bytes, const pk_load_options *o, pk_error *err)
{
  memset(err, 0, sizeof *err);
  return pk_builder_add_compiled_memory(b, bytes->data, bytes->size, "test.pkm", o, err);
}

/* Make the head fit the bytes after it. */
static void mend_head(pki_text *bytes)
{
  char digest[65];
  unsigned char *data = (unsigned char *)bytes->data;
  pki_put_bytes(data + 24, bytes->size - PKI_COMPILED_HEAD, 8);
  pki_sha256_hex(data + PKI_COMPILED_HEAD, bytes->size - PKI_COMPILED_HEAD, digest);
  memcpy(data + 32, digest, 64);
}

static pki_text copy_bytes(const pki_text *bytes)
{
  pki_text copy = {0};
  pki_text_add_bytes(&copy, bytes->data, bytes->size);
  return copy;
}

/* Replace a word in the bytes by another of the same length; the head is mended. */
static pki_text with_word(const pki_text *bytes, const char *word, const char *other)
{
  pki_text copy = copy_bytes(bytes);
  const size_t length = strlen(word);
  assert_int_equal(strlen(other), length);
  bool found = false;
  for (size_t i = PKI_COMPILED_HEAD; i + length <= copy.size && !found; i++) {
    found = memcmp(copy.data + i, word, length) == 0;
    if (found) {
      memcpy(copy.data + i, other, length);
    }
  }
  assert_true(found);
  mend_head(&copy);
  return copy;
}

static void expect_refused(const pki_text *bytes, pk_status status, const char *message)
{
  pk_builder *b = new_builder();
  pk_error err;
  assert_int_equal(read_bytes(b, bytes, NULL, &err), status);
  if (strstr(err.message, message) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, message);
  }
  assert_int_equal(b->nrobot + b->nlink + b->nshape + b->nconstraint, 0);
  pk_builder_destroy(b);
}

/* ---- whole files ---- */

static void everything_comes_back_to_the_bit(void **state)
{
  (void)state;
  pki_text bytes = {0}, again = {0};
  pk_builder *b = build_all(&bytes), *read = new_builder();
  pk_error err;
  if (read_bytes(read, &bytes, NULL, &err) != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
  pk_model *first, *second;
  assert_int_equal(pk_builder_compile(b, &first, &err), PK_OK);
  assert_int_equal(pk_builder_compile(read, &second, &err), PK_OK);
  assert_true(pk_model_hash(first) == pk_model_hash(second));
  assert_int_equal(second->nM, first->nM);
  assert_memory_equal(second->M_col, first->M_col, (size_t)first->nM * sizeof *first->M_col);
  assert_memory_equal(second->q0, first->q0, (size_t)first->nq * sizeof *first->q0);
  assert_memory_equal(second->gravity, first->gravity, sizeof first->gravity);
  assert_int_equal(second->nmesh, 2);
  assert_non_null(second->tree);
  assert_string_equal(second->robots[0].file, "test.pkm");
  /* all descriptions are the same: so are their bytes */
  pki_compiled_encode(read, pk_model_hash(second), &again);
  assert_int_equal(again.size, bytes.size);
  assert_memory_equal(again.data, bytes.data, bytes.size);
  pk_model_destroy(first), pk_model_destroy(second);
  pk_builder_destroy(b), pk_builder_destroy(read);
  pki_text_free(&bytes), pki_text_free(&again);
}

/* The bytes of a description that its fields in files take up in memory. */
static size_t held_bytes(const pki_record_kind *kind, size_t desc_size)
{
  size_t held = 0;
  for (int i = 0; i < kind->nfield; i++) {
    const pki_record_field *f = &kind->fields[i];
    const bool counted = f->item == PKI_ITEM_REALS || f->item == PKI_ITEM_INTS;
    const size_t own = f->item == PKI_ITEM_REAL                              ? 8 * (size_t)f->count
                       : f->item == PKI_ITEM_BOOL                            ? 1
                       : f->item == PKI_ITEM_INT || f->item == PKI_ITEM_WORD ? 4
                                                                             : sizeof(void *);
    held += f->offset < desc_size ? own + (counted ? 4 : 0) : 0;
  }
  return held;
}

/* A new field of a description needs a row in compiled_fields.c. Bytes in no field are known: file names, lines, pointers to
 * meshes (records have their index), padding. */
static void every_field_of_every_description_is_in_the_tables(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    size_t size;
    int left_out;
  } known[] = {{"robots", sizeof(pk_robot_desc), 12},
               {"links", sizeof(pk_link_desc), 8},
               {"joints", sizeof(pk_joint_desc), 12},
               {"shapes", sizeof(pk_shape_desc), 22},
               {"sites", sizeof(pk_site_desc), 12},
               {"actuators", sizeof(pk_actuator_desc), 15},
               {"sensors", sizeof(pk_sensor_desc), 12},
               {"keyframes", sizeof(pk_keyframe_desc), 16},
               {"pairs", sizeof(pk_pair_desc), 14},
               {"constraints", sizeof(pk_constraint_desc), 12},
               {"cuts", sizeof(pki_cut), 0}};
  assert_int_equal(pki_record_kind_count, sizeof known / sizeof known[0]);
  for (int k = 0; k < pki_record_kind_count; k++) {
    const pki_record_kind *kind = &pki_record_kinds[k];
    const int left_out = (int)(known[k].size - held_bytes(kind, known[k].size));
    assert_string_equal(kind->name, known[k].name);
    if (left_out != known[k].left_out) {
      fail_msg("%s: %d bytes of a description are in no field of compiled_fields.c, %d are known here: give "
               "a new field "
               "its row there",
               kind->name, left_out, known[k].left_out);
    }
  }
}

static void options_of_loading_hold(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes), *read = new_builder();
  pk_error err;
  pk_load_options o = pk_load_options_default();
  o.prefix = "two/", o.load_meshes = false;
  assert_int_equal(read_bytes(read, &bytes, &o, &err), PK_OK);
  pk_model *model;
  assert_int_equal(pk_builder_compile(read, &model, &err), PK_OK);
  assert_in_range(pk_model_find_link(model, "two/trunk"), 0, 100);
  assert_in_range(pk_model_find_joint(model->tree, "two/stand_elbow"), 0, 100);
  assert_int_equal(model->nmesh, 0);
  pk_model_destroy(model);
  /* root and pose would be for both robots */
  o.root = PK_ROOT_FIXED;
  assert_int_equal(read_bytes(read, &bytes, &o, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(read->nrobot, 2);
  pk_builder_destroy(b), pk_builder_destroy(read);
  pki_text_free(&bytes);
}

static void a_single_robot_takes_root_and_pose(void **state)
{
  (void)state;
  pk_builder *b = new_builder(), *read = new_builder();
  pk_error err;
  pk_model *model;
  pki_text bytes = {0};
  assert_int_equal(pk_builder_add_urdf(b, PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &err), PK_OK);
  pki_compiled_encode(b, 0, &bytes);
  pk_load_options o = pk_load_options_default();
  o.root = PK_ROOT_FIXED, o.pose.pos[2] = 2;
  assert_int_equal(read_bytes(read, &bytes, &o, &err), PK_OK);
  assert_int_equal(pk_builder_compile(read, &model, &err), PK_OK);
  assert_int_equal(model->robots[0].root, PK_ROOT_FIXED);
  assert_true(model->links[model->robots[0].root_link].pose.pos[2] == 2);
  pk_model_destroy(model);
  pk_builder_destroy(b), pk_builder_destroy(read);
  pki_text_free(&bytes);
}

/* ---- versions ---- */

static void other_versions_are_told_apart(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes);
  pki_text copy = copy_bytes(&bytes);
  copy.data[0] = 'X';
  expect_refused(&copy, PK_ERROR_SYNTAX, "no compiled model");
  copy.data[0] = 'P', copy.data[8] = 9;
  expect_refused(&copy, PK_ERROR_UNSUPPORTED,
                 "the file has version 9 of the format, this Pronk reads version 1");
  copy.data[8] = 1, copy.data[12] = 1;
  expect_refused(&copy, PK_ERROR_SYNTAX, "another order");
  pki_text_free(&copy);
  copy = with_word(&bytes, "mimic_offset", "mimic_onset!");
  expect_refused(&copy, PK_ERROR_UNSUPPORTED, "field \"mimic_onset!\" is unknown: a newer version");
  pki_text_free(&copy);
  copy = with_word(&bytes, "keyframes", "keyfigure");
  expect_refused(&copy, PK_ERROR_UNSUPPORTED, "section \"keyfigure\" is unknown");
  pki_text_free(&copy);
  copy = with_word(&bytes, "mimic_offset", "mimic\001offset");
  expect_refused(&copy, PK_ERROR_SYNTAX, "\"fields\"");
  pki_text_free(&copy);
  pk_builder_destroy(b);
  pki_text_free(&bytes);
}

/* A file of a version that did not know a field yet: cuts are the last section, and may be missing. */
static void what_a_file_lacks_has_its_default(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes), *read = new_builder();
  pki_text copy = copy_bytes(&bytes);
  size_t at = copy.size;
  while (memcmp(copy.data + --at, "cuts", 4) != 0) {}
  copy.size = at - 4;
  mend_head(&copy);
  pk_error err;
  pk_model *model;
  assert_int_equal(read_bytes(read, &copy, NULL, &err), PK_OK);
  assert_int_equal(pk_builder_compile(read, &model, &err), PK_OK);
  assert_null(model->tree);
  pk_model_destroy(model);
  pk_builder_destroy(b), pk_builder_destroy(read);
  pki_text_free(&bytes), pki_text_free(&copy);
}

/* The world is the first section, gravity its first field. */
static void a_file_without_gravity_has_the_usual_one(void **state)
{
  (void)state;
  enum { SIZE = PKI_COMPILED_HEAD + 9, FIELD = SIZE + 12, RECORD = FIELD + 53, FIELD_BYTES = 16, REALS = 24 };
  pki_text bytes = {0}, copy = {0};
  pk_builder *b = build_all(&bytes), *read = new_builder();
  const char *data = bytes.data;
  assert_memory_equal(data + FIELD + 4, "gravity", 7);
  pki_text_add_bytes(&copy, data, FIELD);
  pki_text_add_bytes(&copy, data + FIELD + FIELD_BYTES, RECORD - FIELD - FIELD_BYTES);
  pki_text_add_bytes(&copy, data + RECORD + REALS, bytes.size - RECORD - REALS);
  unsigned char *size = (unsigned char *)copy.data + SIZE;
  pki_put_bytes(size, pki_take_bytes(size, 8) - FIELD_BYTES - REALS, 8);
  pki_put_bytes(size + 8, pki_take_bytes(size + 8, 4) - 1, 4);
  mend_head(&copy);
  pk_error err;
  assert_int_equal(read_bytes(read, &copy, NULL, &err), PK_OK);
  assert_true(read->gravity[0] == 0 && read->gravity[1] == 0 && read->gravity[2] == -9.81);
  assert_true(read->magnetic[0] == 0.1 && read->magnetic[2] == -0.5);
  pk_builder_destroy(b), pk_builder_destroy(read);
  pki_text_free(&bytes), pki_text_free(&copy);
}

/* The last thing that can be wrong with a file is its world, when all the rest is in the builder. */
static void a_file_that_is_refused_leaves_no_cut(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes), *read = new_builder();
  pk_error err;
  pki_text_free(&bytes);
  assert_int_equal(pk_builder_cut_joint(b, NULL, &err), PK_OK);
  bytes = (pki_text){0};
  pki_compiled_encode(b, 0, &bytes);
  const pk_robot_desc robot = pk_robot_desc_default();
  assert_int_equal(pk_builder_add_robot(read, &robot, &err), PK_OK);
  assert_int_equal(read_bytes(read, &bytes, NULL, &err), PK_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.message, "only be added to an empty world"));
  assert_int_equal(read->ncut + read->nconstraint, 0);
  assert_int_equal(read->nrobot, 1);
  pk_builder_destroy(b), pk_builder_destroy(read);
  pki_text_free(&bytes);
}

/* ---- damage ---- */

static void damage_is_found(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes);
  for (size_t i = 0; i < bytes.size; i += 97) {
    pki_text copy = copy_bytes(&bytes);
    copy.data[i] ^= 0x20;
    pk_builder *read = new_builder();
    pk_error err;
    /* the hash of the model is the one thing in the head that only tells */
    if (i < 16 || i >= 24) {
      assert_int_not_equal(read_bytes(read, &copy, NULL, &err), PK_OK);
    }
    pk_builder_destroy(read);
    pki_text_free(&copy);
  }
  pki_text copy = copy_bytes(&bytes);
  copy.data[copy.size / 2] ^= 1;
  expect_refused(&copy, PK_ERROR_SYNTAX, "the file is damaged");
  copy.size = 40;
  expect_refused(&copy, PK_ERROR_SYNTAX, "cut off within its head");
  copy.size = bytes.size - 1;
  expect_refused(&copy, PK_ERROR_SYNTAX, "the file is cut off");
  pki_text_free(&copy);
  pk_builder_destroy(b);
  pki_text_free(&bytes);
}

static void what_cannot_be_read_is_told(void **state)
{
  (void)state;
  pk_builder *b = new_builder();
  pk_error err;
  assert_int_equal(pk_builder_add_compiled(b, "no/such.pkm", NULL, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the file: there is no such file");
  assert_int_equal(pk_builder_add_compiled(b, PK_SOURCE_DIR "/tests", NULL, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the file: it is a folder, name the .pkm file in it");
  pk_builder_destroy(b);
}

static void numbers_must_be_numbers(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes);
  pki_text copy = copy_bytes(&bytes);
  unsigned char mass[8];
  pki_put_real(mass, 12);
  size_t at = PKI_COMPILED_HEAD;
  while (at + 8 < copy.size && memcmp(copy.data + at, mass, 8) != 0) {
    at++;
  }
  pki_put_real((unsigned char *)copy.data + at, NAN);
  mend_head(&copy);
  expect_refused(&copy, PK_ERROR_SYNTAX, "\"mass\" of a record is cut off or holds what it cannot hold");
  pki_text_free(&copy), pki_text_free(&bytes);
  pk_builder_destroy(b);
}

/* Bytes that somebody changed on purpose, checksum and all: read or refused, never harmful. */
static void changed_bytes_do_no_harm(void **state)
{
  (void)state;
  pki_text bytes = {0};
  pk_builder *b = build_all(&bytes);
  int taken = 0, refused = 0;
  for (size_t i = PKI_COMPILED_HEAD; i < bytes.size; i += PACE(3, 31)) {
    pki_text copy = copy_bytes(&bytes);
    static const unsigned char flips[4] = {0xff, 0x01, 0x80, 0x7f};
    copy.data[i] = (char)((unsigned char)copy.data[i] ^ flips[i % 4]);
    mend_head(&copy);
    pk_builder *read = new_builder();
    pk_error err;
    pk_model *model = NULL;
    if (read_bytes(read, &copy, NULL, &err) == PK_OK) {
      taken++;
      pk_builder_compile(read, &model, &err);
      pk_model_destroy(model);
    } else {
      refused++;
      assert_true(err.message[0] != '\0' && read->nrobot == 0);
    }
    pk_builder_destroy(read);
    pki_text_free(&copy);
  }
  for (size_t size = PKI_COMPILED_HEAD; size < bytes.size; size += PACE(11, 101)) {
    pki_text copy = copy_bytes(&bytes);
    copy.size = size;
    mend_head(&copy);
    pk_builder *read = new_builder();
    pk_error err;
    assert_int_not_equal(read_bytes(read, &copy, NULL, &err) == PK_OK && size < bytes.size / 2, 1);
    pk_builder_destroy(read);
    pki_text_free(&copy);
  }
  print_message("%d changes were read, %d refused\n", taken, refused);
  assert_true(taken > 0 && refused > 0);
  pk_builder_destroy(b);
  pki_text_free(&bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_comes_back_to_the_bit),
      cmocka_unit_test(every_field_of_every_description_is_in_the_tables),
      cmocka_unit_test(options_of_loading_hold),
      cmocka_unit_test(a_single_robot_takes_root_and_pose),
      cmocka_unit_test(other_versions_are_told_apart),
      cmocka_unit_test(what_a_file_lacks_has_its_default),
      cmocka_unit_test(a_file_without_gravity_has_the_usual_one),
      cmocka_unit_test(a_file_that_is_refused_leaves_no_cut),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(what_cannot_be_read_is_told),
      cmocka_unit_test(numbers_must_be_numbers),
      cmocka_unit_test(changed_bytes_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
