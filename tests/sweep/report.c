/* What a sweep leaves: the worst, levels, pictures, replays. */
#define _XOPEN_SOURCE 700
#include "sweep/support.h"

#include <libxml/HTMLparser.h>
#include <libxml/xpath.h>

#include "report/svg_box.h"
#include "sweep/sweep_report.h"
#include "sweep/sweep_work.h"

static const char sweep_text[] =
    "scenario: ball.yaml\n"
    "set: {objects.0.rpy: [0, 0, 0]}\n"
    "parameters:\n"
    "  - {key: objects.0.mass, grid: [1, 2, 4]}\n"
    "  - {key: objects.0.rpy.1, name: pitch, unit: rad, from: -1, to: 1, count: 5}\n"
    "  - {key: materials.floor.friction, random: log-uniform, from: 0.01, to: 1}\n"
    "samples: 16\nreplays: 2\n";

static int count(xmlDoc *doc, const char *path)
{
  xmlXPathContext *context = xmlXPathNewContext(doc);
  xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST path, context);
  const int n = found->nodesetval != NULL ? found->nodesetval->nodeNr : 0;
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  return n;
}

static xmlDoc *parse(const pki_text *text)
{
  assert_false(text->failed);
  xmlDoc *doc = xmlReadMemory(text->data, (int)text->size, "x.svg", NULL, XML_PARSE_NONET);
  assert_non_null(doc);
  return doc;
}

static void levels_are_the_grid_or_parts_of_what_is_drawn(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_levels l;
  pki_levels_of(&s, 0, &l);
  assert_int_equal(l.count, 3);
  assert_string_equal(l.name[2], "4");
  pki_levels_of(&s, 1, &l);
  assert_string_equal(l.unit, "°");
  assert_string_equal(l.name[0], "-57.3");
  assert_string_equal(l.name[2], "0");
  pki_levels_of(&s, 2, &l);
  assert_int_equal(l.count, PKI_LEVELS_DRAWN);
  int hits[PKI_LEVELS_DRAWN] = {0};
  for (int i = 0; i < 16; i++) {
    pki_sweep_point p;
    pki_sweep_sample(&s, i, &p);
    hits[pki_level_at(&s, 2, &l, &p)]++;
  }
  for (int i = 0; i < PKI_LEVELS_DRAWN; i++) {
    assert_int_equal(hits[i], 2); /* 16 points of a net in 8 equal parts of the logarithm */
  }
  pki_sweep_free(&s);
}

static void failed_steps_are_worst_then_early_falls_then_tilts(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_store_head head;
  pki_store store;
  pki_samples samples;
  pk_error err = {.message = ""};
  const int fell = pki_metric_find("fell"), at = pki_metric_find("fell_at"),
            tilt = pki_metric_find("tilt_max"), simulated = pki_metric_find("simulated");
  s.replays = 6;
  pki_store_head_of(&s, &head);
  assert_int_equal(pki_store_open("made", &head, false, &store, &err), PK_OK);
  static const struct {
    pki_outcome outcome;
    double fell, at, tilt;
  } made[7] = {
      {PKI_OUTCOME_RAN, 0, NAN, 0.1}, {PKI_OUTCOME_RAN, 1, 2, 1},      {PKI_OUTCOME_REFUSED, NAN, NAN, NAN},
      {PKI_OUTCOME_RAN, 1, 1, 1},     {PKI_OUTCOME_FAILED, 0, NAN, 0}, {PKI_OUTCOME_RAN, 0, NAN, 0.2},
      {PKI_OUTCOME_RAN, 1, 1, 2}};
  for (int i = 0; i < 7; i++) {
    pki_record r = {.index = i, .outcome = made[i].outcome};
    r.metric[fell] = made[i].fell;
    r.metric[at] = made[i].at;
    r.metric[tilt] = made[i].tilt;
    r.metric[simulated] = 3;
    assert_int_equal(pki_store_add(&store, &r, &err), PK_OK);
  }
  assert_int_equal(pki_samples_read(&s, &store, &samples, &err), PK_OK);
  static const int order[6] = {4, 3, 6, 1, 5, 0};
  assert_int_equal(samples.nworst, 6);
  assert_memory_equal(samples.worst, order, sizeof order);
  assert_int_equal(samples.fell, 3);
  assert_int_equal(samples.refused, 1);
  assert_int_equal(samples.failed, 1);
  pki_samples_free(&samples);
  pki_store_close(&store);
  pki_sweep_free(&s);
}

static void the_page_has_maps_boxes_and_links_to_replays_that_agree(void **state)
{
  (void)state;
  pki_sweep s = read_sweep(sweep_text);
  pki_store_head head;
  pki_store store;
  pki_samples samples;
  pki_work_result r;
  pk_error err = {.message = ""};
  pki_store_head_of(&s, &head);
  assert_int_equal(pki_store_open("samples.pronk", &head, false, &store, &err), PK_OK);
  assert_int_equal(pki_work_lead(&s, &head, &store, &(pki_work_options){.threads = 2}, &r, &err), PK_OK);
  assert_int_equal(pki_samples_read(&s, &store, &samples, &err), PK_OK);
  if (pki_sweep_replay(&samples, ".", NULL, &err) != PK_OK ||
      pki_sweep_report(&samples, ".", &err) != PK_OK) {
    fail_msg("%s: %s", err.file, err.message);
  }
  htmlDocPtr doc = htmlReadFile("report.html", "utf-8", HTML_PARSE_RECOVER | HTML_PARSE_NOERROR);
  assert_non_null(doc);
  assert_int_equal(count(doc, "//div[@class='panels']"), 3 + 3); /* pairs and parameters */
  assert_int_equal(count(doc, "//div[@class='panels']/svg"), 3 * (3 + 3));
  assert_int_equal(count(doc, "//a[contains(@href,'worst/')]"), 2);
  xmlFreeDoc(doc);

  /* other numbers than the table's are no replay */
  samples.record[samples.worst[0]].metric[3] += 1e-15;
  assert_int_equal(pki_sweep_replay(&samples, ".", NULL, &err), PK_ERROR_CONVERGENCE);
  assert_non_null(strstr(err.message, "gives other numbers when it runs again"));
  pki_samples_free(&samples);
  pki_store_close(&store);
  pki_sweep_free(&s);
}

/* A pendulum goes nowhere: it has heat of its winding, and no cost of transport. */
static void motors_have_pictures_of_their_heat(void **state)
{
  (void)state;
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  write_text("motor.yaml",
             "model: {model: pendulum, joints: {hinge: 1}}\nduration: 0.05\nstep: {dt: 2.5e-3}\n"
             "actuators: [{joints: hinge, kind: dc, motor: maxon-ec-4pole-30, gear: 100, current: 10}]\n"
             "controller: {name: hold, kp: 20, kd: 1}\n");
  pki_sweep s = read_sweep("scenario: motor.yaml\nparameters:\n"
                           "  - {key: controller.kp, grid: [10, 20]}\nreplays: 0\n");
  pki_store_head head;
  pki_store store;
  pki_samples samples;
  pki_work_result r;
  pk_error err = {.message = ""};
  pki_store_head_of(&s, &head);
  assert_int_equal(pki_store_open("motors.pronk", &head, false, &store, &err), PK_OK);
  assert_int_equal(pki_work_lead(&s, &head, &store, &(pki_work_options){.threads = 1}, &r, &err), PK_OK);
  assert_int_equal(pki_samples_read(&s, &store, &samples, &err), PK_OK);
  assert_int_equal(pki_sweep_report(&samples, ".", &err), PK_OK);
  size_t size;
  char *page = pki_file_read("report.html", (size_t)1 << 24, &size);
  if (page == NULL) {
    fail_msg("there is no report");
    return;
  }
  assert_non_null(strstr(page, "Heat of windings"));
  assert_non_null(strstr(page, "Hottest winding"));
  assert_non_null(strstr(page, "°C ("));
  assert_null(strstr(page, "Electrical cost"));
  assert_null(strstr(page, "velocity seen"));
  free(page);
  pki_samples_free(&samples);
  pki_store_close(&store);
  pki_sweep_free(&s);
}

static void a_map_has_a_cell_for_each_value_that_is_there(void **state)
{
  (void)state;
  static const char *const x[] = {"a", "b<"}, *const y[] = {"1", "2", "3"};
  static const double v[6] = {0, 0.5, 1, NAN, 0.25, INFINITY};
  pki_text text = {0};
  pki_svg_map_render(&(pki_svg_map){.title = "T & t",
                                    .x = {"x", "m", x, 2},
                                    .y = {"y", NULL, y, 3},
                                    .values = v,
                                    .unit = "%",
                                    .scale = PKI_SVG_SCALE_HEAT,
                                    .most = 1},
                     &text);
  xmlDoc *doc = parse(&text);
  assert_int_equal(count(doc, "//*[local-name()='rect']/*[local-name()='title']"), 4);
  assert_non_null(strstr(text.data, "fill=\"#fbf6ef\"><title>x a, y 1: 0 %</title>"));
  assert_non_null(strstr(text.data, "fill=\"#700624\"><title>x a, y 2: 100 %</title>"));
  assert_non_null(strstr(text.data, ">x (m)</text>"));
  xmlFreeDoc(doc);
  pki_text_free(&text);
}

static void boxes_have_tukeys_numbers(void **state)
{
  (void)state;
  static const double v[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100}, one[1] = {3};
  assert_true(pki_quantile(v, 11, 0.25) == 2.5 && pki_quantile(v, 11, 0.5) == 5 &&
              pki_quantile(v, 4, 0.5) == 1.5);
  assert_true(pki_quantile(one, 1, 0.75) == 3);
  static const char *const names[] = {"p", "q", "r"};
  const double *const groups[3] = {v, one, NULL};
  static const int n[3] = {11, 1, 0};
  pki_text text = {0};
  pki_svg_boxes_render(&(pki_svg_boxes){.title = "B", .x = {"x", "", names, 3}, .group = groups, .n = n},
                       &text);
  xmlDoc *doc = parse(&text);
  assert_int_equal(count(doc, "//*[local-name()='g']/*[local-name()='rect']"), 2);
  assert_non_null(strstr(text.data, "p: median 5, quartiles 2.5 and 7.5, from 0 to 100, 11 samples"));
  assert_non_null(strstr(text.data, ">+1</text>")); /* 100 is out of the picture */
  xmlFreeDoc(doc);
  pki_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_are_the_grid_or_parts_of_what_is_drawn),
      cmocka_unit_test(failed_steps_are_worst_then_early_falls_then_tilts),
      cmocka_unit_test(the_page_has_maps_boxes_and_links_to_replays_that_agree),
      cmocka_unit_test(motors_have_pictures_of_their_heat),
      cmocka_unit_test(a_map_has_a_cell_for_each_value_that_is_there),
      cmocka_unit_test(boxes_have_tukeys_numbers),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
