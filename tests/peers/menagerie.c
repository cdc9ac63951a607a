/* Robots of MuJoCo's menagerie, where PRONK_MENAGERIE names a folder that holds it (github.com/google-deepmind/mujoco_menagerie):
 * counts and masses are those that MuJoCo 3.14 finds. Meshes are not needed: every body with mass has its own <inertial>. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/file.h"
#include "pronk/pronk.h"
#include "support/bounds.h"

typedef struct robot {
  const char *file;
  int nq, nv, nu;
  double mass; /* kg */
} robot;

static const robot robots[] = {
    {"unitree_a1/a1.xml", 19, 18, 12, 12.453},
    {"unitree_go1/go1.xml", 19, 18, 12, 12.743448},
    {"unitree_go2/go2.xml", 19, 18, 12, 15.206408},
    {"anybotics_anymal_b/anymal_b.xml", 19, 18, 12, 33.330552},
    {"anybotics_anymal_c/anymal_c.xml", 19, 18, 12, 44.96518},
    {"google_barkour_v0/barkour_v0.xml", 19, 18, 12, 11.486912},
    {"google_barkour_vb/barkour_vb.xml", 19, 18, 12, 14.496472},
    {"boston_dynamics_spot/spot.xml", 19, 18, 12, 50.34},
    {"berkeley_humanoid/berkeley_humanoid.xml", 19, 18, 12, 16.056765},
    {"agility_cassie/cassie.xml", 35, 32, 10, 33.312},
    {"unitree_h1/h1.xml", 26, 25, 19, 51.437},
    {"unitree_g1/g1.xml", 36, 35, 29, 33.341142},
    {"booster_t1/t1.xml", 30, 29, 23, 31.614357},
    {"fourier_n1/n1.xml", 30, 29, 23, 39.727},
    {"pal_talos/talos.xml", 51, 50, 32, 94.00319},
    {"robotis_op3/op3.xml", 27, 26, 20, 3.14747},
    {"toddlerbot_2xc/toddlerbot_2xc.xml", 51, 50, 30, 3.45363},
    {"apptronik_apollo/apptronik_apollo.xml", 39, 38, 32, 80.897816},
    {"pndbotics_adam_lite/adam_lite.xml", 32, 31, 25, 58.18825},
};

/* Masses above have eight digits at most. */
static const double rounding = 1e-6;

static int compare_robot(const char *folder, const robot *r)
{
  char path[1000];
  pk_model *m;
  pk_error err = {0};
  pk_load_options options = pk_load_options_default();
  options.load_meshes = false;
  snprintf(path, sizeof path, "%s/%s", folder, r->file);
  if (!pki_is_file(path)) {
    print_message("%s is not there\n", r->file);
    return 0;
  }
  if (pk_model_load(path, &options, &m, &err) != PK_OK) {
    fail_msg("%s:%d: %s", err.file, err.line, err.message);
  }
  print_message("%s: nq %d, nv %d, nu %d, %.8g kg\n", r->file, m->nq, m->nu, m->nactuator, m->mass);
  assert_int_equal(m->nq, r->nq);
  assert_int_equal(m->nu, r->nv);
  assert_int_equal(m->nactuator, r->nu);
  assert_near(m->mass, r->mass, rounding * r->mass);
  pk_model_destroy(m);
  return 1;
}

static void robots_have_the_counts_and_masses_that_mujoco_finds(void **state)
{
  (void)state;
  const char *folder = getenv("PRONK_MENAGERIE");
  int found = 0;
  if (folder == NULL) {
    print_message("PRONK_MENAGERIE is not set\n");
    skip();
  }
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    found += compare_robot(folder, &robots[i]);
  }
  assert_greater(found, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_have_the_counts_and_masses_that_mujoco_finds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
