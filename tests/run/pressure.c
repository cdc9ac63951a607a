/* Pressures on compliant surfaces in recordings: faces add up to the contact that is recorded beside them, and exports have them. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <math.h>

#include "base/file.h"
#include "pronk/record.h"
#include "record/export.h"
#include "run/channels.h"
#include "run/run.h"
#include "scenario/help.h"
#include "support/bounds.h"

enum { BODY, SHAPE, FACE, PRESSURE, FX, FY, FZ, CORNER, COLUMNS = 16 };

#define RUBBER_GROUND \
  "terrain: [{shape: plane, material: ground}]\nmaterials: {ground: {compliance: rubber}}\n"

/* A block that falls a little and comes to rest; its lower face is cut into triangles. */
static const char block[] =
    "duration: 1\nstep: {dt: 1e-3}\n" RUBBER_GROUND
    "objects: [{name: block, shape: box, size: [0.2, 0.1, 0.1], mass: 2, position: [0, 0, 0.08], "
    "rpy: [0.17, 0.08, 0], compliance: rubber}]\n"
    "compliance: {rubber: {stiffness: 1e6, layer: 0.01, dissipation: 5}}\n";

/* A ball of Hertz on the ground. */
static const char ball[] =
    "duration: 1\nstep: {dt: 1e-3}\n" RUBBER_GROUND "objects: [{name: ball, shape: sphere, size: [0.1], "
    "mass: 2, position: [0, 0, 0.1], compliance: rubber}]\n"
    "compliance: {rubber: {law: hertz, stiffness: 1e5, dissipation: 10}}\n";

typedef struct recorded {
  char folder[64];
  pk_recording *recording;
  pk_recording_series pressure, contacts;
} recorded;

static pk_recording_series series_of(const recorded *r, const char *name)
{
  pk_recording_series s = {0};
  pk_error err = {.message = ""};
  const int channel = pk_recording_find(r->recording, name);
  assert_true(channel >= 0);
  if (pk_recording_read(r->recording, channel, -INFINITY, INFINITY, &s, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return s;
}

static recorded record(const char *text)
{
  recorded r = {.folder = "/tmp/pronk-pressure-XXXXXX"};
  char path[128];
  pki_scenario *s = good_scenario(text, NULL);
  pki_world w = good_world(s);
  pki_run_result result;
  pk_error err = {.message = ""};
  assert_non_null(mkdtemp(r.folder));
  const pki_run_options o = {.duration = -1, .folder = r.folder, .no_report = true};
  if (pki_run(&w, &o, &result, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pki_run_result_free(&result);
  pki_world_free(&w);
  pki_scenario_destroy(s);
  snprintf(path, sizeof path, "%s/run.mcap", r.folder);
  assert_int_equal(pk_recording_open(path, &r.recording, &err), PK_OK);
  r.pressure = series_of(&r, "pressure");
  r.contacts = series_of(&r, "contacts");
  assert_int_equal(r.pressure.columns, COLUMNS);
  return r;
}

static void forget(recorded *r)
{
  static const char *const files[] = {"run.mcap", "summary.json", "run.h5", "csv/pressure.csv", "csv"};
  pk_recording_series_free(&r->pressure);
  pk_recording_series_free(&r->contacts);
  pk_recording_close(r->recording);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", r->folder, files[i]);
    remove(path);
  }
  assert_int_equal(remove(r->folder), 0);
}

/* The sum of three columns over the rows of a sample. */
static void add_up(const pk_recording_series *s, int sample, int column, double out[3])
{
  memset(out, 0, 3 * sizeof *out);
  for (int row = s->row[sample]; row < s->row[sample + 1]; row++) {
    for (int k = 0; k < 3; k++) {
      out[k] += s->values[(size_t)row * (size_t)s->columns + (size_t)(column + k)];
    }
  }
}

static int sample_at(const pk_recording_series *s, double time)
{
  for (int i = 0; i < s->n; i++) {
    if (fabs(s->time[i] - time) < 1e-9) {
      return i;
    }
  }
  fail_msg("no sample at %g s", time);
  return -1;
}

static double face_area(const double *corner)
{
  double u[3], v[3];
  for (int k = 0; k < 3; k++) {
    u[k] = corner[3 + k] - corner[k];
    v[k] = corner[6 + k] - corner[k];
  }
  const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

/* Also while it lands on an edge, turns and slides. The two sums are of the same forces, in another order; the step is solved to 1e-8. */
static void faces_add_up_to_the_contact(void **state)
{
  (void)state;
  const char *const texts[] = {block, ball};
  for (int t = 0; t < 2; t++) {
    recorded r = record(texts[t]);
    int pressed = 0;
    assert_greater(r.pressure.n, 25);
    for (int i = 0; i < r.pressure.n; i++) {
      double faces[3], contact[3];
      add_up(&r.pressure, i, FX, faces);
      add_up(&r.contacts, sample_at(&r.contacts, r.pressure.time[i]), 7, contact);
      for (int k = 0; k < 3; k++) {
        assert_near(faces[k], contact[k], 1e-6 * (1 + fabs(contact[2])));
      }
      pressed += r.pressure.row[i + 1] > r.pressure.row[i];
    }
    assert_greater(pressed, r.pressure.n / 2);
    forget(&r);
  }
}

/* A block at rest: 2 kg on 0.2 m x 0.1 m, the same on every face. */
static void a_block_at_rest_presses_evenly(void **state)
{
  (void)state;
  recorded r = record(block);
  const pk_recording_series *s = &r.pressure;
  double area = 0;
  for (int row = s->row[s->n - 1]; row < s->row[s->n]; row++) {
    const double *v = s->values + (size_t)row * COLUMNS;
    assert_near(v[PRESSURE], 2 * 9.81 / 0.02, 1);
    assert_true(v[BODY] == 0 && v[FACE] >= 0);
    area += face_area(v + CORNER);
  }
  assert_near(area, 0.02, 1e-9);
  forget(&r);
}

/* Hertz at rest: a disc of radius sqrt(R g), g the depth of both surfaces together, and the weight is its pressure times its area. */
static void a_ball_presses_on_a_disc(void **state)
{
  (void)state;
  recorded r = record(ball);
  const pk_recording_series *s = &r.pressure;
  const int last = s->n - 1;
  assert_int_equal(s->row[last + 1] - s->row[last], 1);
  const double *v = s->values + (size_t)s->row[last] * COLUMNS, *c = v + CORNER;
  const double radius = sqrt(pow(c[3] - c[0], 2) + pow(c[4] - c[1], 2) + pow(c[5] - c[2], 2));
  const int at = sample_at(&r.contacts, s->time[last]);
  const double gap = r.contacts.values[(size_t)r.contacts.row[at] * (size_t)r.contacts.columns + 10];
  assert_true(v[FACE] == -1);
  assert_near(v[FZ], 2 * 9.81, 0.02 * 9.81);
  assert_near(v[PRESSURE] * acos(-1) * radius * radius, v[FZ], 1e-6 * v[FZ]);
  assert_near(radius, sqrt(0.1 * -gap), 1e-6);
  forget(&r);
}

static void exports_have_every_face(void **state)
{
  (void)state;
  recorded r = record(block);
  char path[128];
  pk_error err = {.message = ""};
  const int channel = pk_recording_find(r.recording, "pressure");
  pki_export what = pki_export_all(r.recording);
  what.channels = &channel, what.nchannel = 1;
  snprintf(path, sizeof path, "%s/csv", r.folder);
  assert_int_equal(pki_export_csv(&what, path, &err), PK_OK);
  if (pki_export_has_hdf5()) {
    snprintf(path, sizeof path, "%s/run.h5", r.folder);
    assert_int_equal(pki_export_hdf5(&what, path, &err), PK_OK);
    assert_int_equal(what.samples, r.pressure.n);
  }
  size_t size = 0;
  snprintf(path, sizeof path, "%s/csv/pressure.csv", r.folder);
  char *text = pki_file_read(path, 1 << 26, &size);
  assert_non_null(text);
  static const char head[] = "time [s],row,body,shape,face,pressure [Pa],fx [N],fy [N],fz [N],ax [m]";
  assert_memory_equal(text, head, sizeof head - 1);
  int lines = -1; /* the head */
  for (size_t i = 0; i < size; i++) {
    lines += text[i] == '\n';
  }
  assert_int_equal(lines, r.pressure.row[r.pressure.n]);
  free(text);
  forget(&r);
}

static void worlds_without_compliance_have_no_channel(void **state)
{
  (void)state;
  static const char *const only[] = {"pressure"};
  pki_scenario *s = good_scenario("duration: 0.1\nterrain: [{shape: plane}]\n"
                                  "objects: [{shape: sphere, size: [0.1], mass: 2, position: [0, 0, 0.1]}]\n",
                                  NULL);
  pki_world w = good_world(s);
  pki_watch watch;
  pki_run_result result;
  pki_channel_reader *reader;
  pk_error err = {.message = ""};
  assert_int_equal(pki_watch_begin(&watch, &w, 1e-8, &result, &err), PK_OK);
  assert_int_equal(pki_channel_reader_create(&watch, &result, only, 1, &reader, &err), PK_OK);
  assert_int_equal(reader->count, 0);
  pki_channel_reader_destroy(reader);
  pki_watch_free(&watch);
  pki_run_result_free(&result);
  pki_world_free(&w);
  pki_scenario_destroy(s);
}

/* What a run of a scenario adds up to. */
static pki_run_result run_to_end(const char *text)
{
  pki_scenario *s = good_scenario(text, NULL);
  pki_world w = good_world(s);
  pki_run_result result;
  pk_error err = {.message = ""};
  const pki_run_options o = {.duration = -1, .no_report = true};
  if (pki_run(&w, &o, &result, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pki_run_result_free(&result);
  pki_world_free(&w);
  pki_scenario_destroy(s);
  return result;
}

/* Implicit steps damp a little. A crate that is put down without speed on two layers in series swings to twice the depth at which it rests, p h/(k/2) with
 * p = m g/A, at most, and presses there twice as hard. */
static const char crate[] =
    "duration: 0.3\nstep: {dt: 1e-4}\n" RUBBER_GROUND
    "objects: [{name: crate, shape: box, size: [0.2, 0.1, 0.1], mass: 2, position: [0, 0, 0.05], "
    "compliance: rubber}]\n"
    "compliance: {rubber: {stiffness: 1e4, layer: 0.01, dissipation: 0}}\n";

static void a_run_tells_its_deepest_compression_and_largest_pressure(void **state)
{
  (void)state;
  const double rest = 2 * 9.81 / (0.2 * 0.1), K = 1e4 / 0.01 / 2;
  const pki_run_result r = run_to_end(crate);
  assert_true(r.has_soft);
  assert_int_equal(r.most_hard, 0);
  assert_near(r.pressure, 2 * rest, 0.05 * rest);
  assert_near(r.compression, 2 * rest / K, 0.05 * rest / K);
}

/* The same with more keys of `step`. */
static pki_run_result run_crate(const char *keys)
{
  char text[1024];
  const char *end = strstr(crate, "dt: 1e-4}") + strlen("dt: 1e-4");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(end - crate), crate, keys, end);
  return run_to_end(text);
}

static void a_stepper_that_solves_no_contact_certifies_none(void **state)
{
  (void)state;
  pki_run_result r = run_crate("");
  assert_true(pki_run_certified(&r));
  r = run_crate(", stepper: rk4");
  assert_true(r.most_contacts > 0);
  assert_false(pki_run_certified(&r));
}

static void soft_pairs_are_not_contacts_of_the_law_of_points(void **state)
{
  (void)state;
  const pki_run_result r = run_crate(", law: penalty");
  assert_true(r.most_contacts > 0);
  assert_false(pki_run_on_springs(&r));
  assert_true(pki_run_certified(&r));
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_tells_its_deepest_compression_and_largest_pressure),
      cmocka_unit_test(a_stepper_that_solves_no_contact_certifies_none),
      cmocka_unit_test(soft_pairs_are_not_contacts_of_the_law_of_points),
      cmocka_unit_test(faces_add_up_to_the_contact),
      cmocka_unit_test(a_block_at_rest_presses_evenly),
      cmocka_unit_test(a_ball_presses_on_a_disc),
      cmocka_unit_test(exports_have_every_face),
      cmocka_unit_test(worlds_without_compliance_have_no_channel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
