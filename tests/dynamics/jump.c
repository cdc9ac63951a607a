/* Velocities after inelastic collisions: closed forms, momentum, and the signs of what may only push. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "pronk/builder.h"
#include "pronk/jump.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/pace.h"
#include "support/random_tree.h"

enum { NU = 64, NQ = 72, MEMORY = 1 << 18 };

static _Alignas(64) unsigned char memory[MEMORY];

/* A free bar along x: mass 2 kg, length 1.2 m, moment `I` about y. */
static pk_model *make_bar(double I)
{
  pk_builder *b = NULL;
  pk_model *m = NULL;
  pk_error err = {.message = ""};
  assert_int_equal(pk_builder_create(&b, &err), PK_OK);
  pk_robot_desc robot = pk_robot_desc_default();
  robot.name = "bar", robot.root = PK_ROOT_FREE;
  const pk_link_desc link = {.name = "bar", .inertia = {.mass = 2, .moment = {I, 0, 0, I, 0, I}}};
  assert_int_equal(pk_builder_add_robot(b, &robot, &err), PK_OK);
  assert_int_equal(pk_builder_add_link(b, &link, &err), PK_OK);
  if (pk_builder_compile(b, &m, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return m;
}

static const double mass = 2, length = 1.2;

static pk_jump_contact end_of_bar(double side, double up)
{
  return (pk_jump_contact){.link = 0, .point = {0.5 * side * length, 0, 0}, .normal = {0, 0, up}};
}

/* A slender bar falls at an angle theta and its lower end stays where it lands: about that point the angular momentum
 * m v (l/2) cos theta is kept, and the moment there is m l^2/3, so that it turns at 3 v cos theta/(2 l). */
static void the_end_of_a_falling_bar_stops(void **state)
{
  (void)state;
  pk_model *m = make_bar(mass * length * length / 12);
  pk_workspace *w = NULL;
  pk_workspace_create(m, &w, NULL);
  for (double theta = -1.2; theta < 1.3; theta += 0.3) {
    /* turned about -y: the end at +x rises, that at -x is below */
    const double q[7] = {0.3, -0.2, 1, cos(0.5 * theta), 0, -sin(0.5 * theta), 0}, speed = 1.7;
    const double u[6] = {0, 0, -speed, 0, 0, 0};
    const pk_jump_contact end = end_of_bar(theta > 0 ? -1 : 1, 1);
    double after[6], P[3];
    pk_error err = {.message = ""};
    assert_int_equal(pk_jump(w, q, u, 1, &end, memory, after, P, &err), PK_OK);
    const double rate = 1.5 * speed * cos(theta) / length, away = theta > 0 ? 1 : -1;
    assert_near(after[4], away * rate, 1e-13); /* about y: the other end goes down */
    assert_near(after[2], -rate * 0.5 * length * cos(theta), 1e-13);
    assert_near(P[2], mass * (after[2] + speed), 1e-13);
    assert_near(P[0], mass * after[0], 1e-13);
    assert_near(after[1], 0, 1e-15);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

/* A bar that lies on end A and turns about it lands with end B. A slender one stops: A is pushed up, by m w l/6. A dumb-bell whose
 * moment is k m l^2/4 with k > 1 would pull at A, which leaves: about B the momentum (k - 1) m l^2/4 w stays in (k + 1) m l^2/4. */
static void an_end_that_would_be_pulled_is_released(void **state)
{
  (void)state;
  static const double moments[] = {1.0 / 3, 0.8, 1.5, 2, 4};
  const double rate = 2.3, q[7] = {0, 0, 0, 1};
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    const double k = moments[i], unit = 0.25 * mass * length * length;
    pk_model *m = make_bar(k * unit);
    pk_workspace *w = NULL;
    pk_workspace_create(m, &w, NULL);
    /* A at -x rests, B at +x goes down: about +y */
    const double u[6] = {0, 0, -0.5 * length * rate, 0, rate, 0};
    pk_jump_contact ends[2] = {end_of_bar(-1, 1), end_of_bar(1, 1)};
    double after[6], P[6];
    pk_error err = {.message = ""};
    assert_int_equal(pk_jump(w, q, u, 2, ends, memory, after, P, &err), PK_OK);
    const double turns = k < 1 ? 0 : (k - 1) / (k + 1) * rate;
    assert_near(after[4], turns, 1e-13);
    assert_near(after[2], 0.5 * length * turns, 1e-13); /* about B, A rises */
    assert_near(P[2], k < 1 ? 0.25 * (1 - k) * mass * length * rate : 0, 1e-13);
    ends[0].normal[2] = 0; /* held like a joint: it pulls */
    assert_int_equal(pk_jump(w, q, u, 2, ends, memory, after, P, &err), PK_OK);
    assert_near(after[4], 0, 1e-13);
    assert_near(P[2], 0.25 * (1 - k) * mass * length * rate, 1e-13);
    pk_workspace_destroy(w);
    pk_model_destroy(m);
  }
}

/* ---- StarLETH ---- */

static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};

typedef struct robot {
  pk_model *model;
  pk_workspace *work;
  double q[NQ], u[NU], after[NU], M[NU * NU];
} robot;

static robot load_starleth(void)
{
  robot r = {0};
  pk_error err = {.message = ""};
  if (pk_model_load_urdf(PK_SOURCE_DIR "/models/starleth/starleth.urdf", NULL, &r.model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_workspace_create(r.model, &r.work, NULL);
  return r;
}

static void unload(robot *r)
{
  pk_workspace_destroy(r->work);
  pk_model_destroy(r->model);
}

/* Momenta of the whole robot, angular about a point. */
static void momentum_about(robot *r, const double *u, const double at[3], double out[6])
{
  double com[3], vel[3], arm[3], turn[3];
  pk_kinematics_compute(r->work, r->q, u);
  pk_momentum_compute(r->work, -1, out);
  pk_com_compute(r->work, -1, com, vel);
  pki_sub3(com, at, arm);
  pki_cross3(arm, out + 3, turn);
  pki_along3(out, 1, turn, out);
}

static double kinetic(robot *r, const double *u)
{
  pk_kinematics_compute(r->work, r->q, u);
  return pk_energy_compute(r->work, u).kinetic;
}

static void place_of(robot *r, const pk_jump_contact *c, const double *u, double at[3], double velocity[3])
{
  pk_kinematics_compute(r->work, r->q, u);
  const pk_pose pose = pk_link_pose(r->work, c->link);
  pki_mat3_apply(pose.rot, c->point, at);
  pki_along3(at, 1, pose.pos, at);
  pk_link_point_velocity(r->work, c->link, at, velocity);
}

/* One foot: nothing but the impulse at it acts, so that the angular momentum about it stays, and the linear one changes by it. */
static void angular_momentum_about_the_contact_is_kept(void **state)
{
  (void)state;
  robot r = load_starleth();
  pki_random rng = pki_random_seeded(3);
  for (int trial = 0; trial < PACE(200, 40); trial++) {
    pk_jump_contact c = {.link = pk_model_find_link(r.model, feet[trial % 4])};
    double at[3], v[3], before[6], then[6], P[3];
    pk_error err = {.message = ""};
    random_config(&rng, r.model, r.q);
    random_vector(&rng, r.model->nu, 2, r.u);
    random_vector(&rng, 3, 0.03, c.point);
    assert_int_equal(pk_jump(r.work, r.q, r.u, 1, &c, memory, r.after, P, &err), PK_OK);
    place_of(&r, &c, r.after, at, v);
    momentum_about(&r, r.u, at, before);
    momentum_about(&r, r.after, at, then);
    for (int k = 0; k < 3; k++) {
      assert_near(v[k], 0, 1e-11);
      assert_near(then[k], before[k], 1e-11);
      assert_near(then[3 + k] - before[3 + k], P[k], 1e-11);
    }
  }
  unload(&r);
}

/* Any feet, with normals: they are held and pushed, or have left and have none; the energy that is lost is that of the jump. */
static void signs_and_energy(robot *r, int count, const pk_jump_contact *contacts, const double *P,
                             int *released)
{
  const int nu = r->model->nu;
  double jump[NU], lost = 0;
  for (int i = 0; i < count; i++) {
    double at[3], v[3];
    place_of(r, &contacts[i], r->after, at, v);
    const double along = pki_dot3(contacts[i].normal, P + 3 * i), size = pki_length3(P + 3 * i);
    if (size > 0) {
      assert_less(pki_length3(v), 1e-9);
      assert_greater(along, -1e-8);
    } else {
      assert_greater(pki_dot3(contacts[i].normal, v), -1e-9);
      ++*released;
    }
  }
  pk_mass_matrix(r->work, r->q, r->M);
  for (int k = 0; k < nu; k++) {
    jump[k] = r->u[k] - r->after[k];
  }
  for (int k = 0; k < nu * nu; k++) {
    lost += 0.5 * jump[k / nu] * r->M[k] * jump[k % nu];
  }
  const double before = kinetic(r, r->u);
  assert_near(before - kinetic(r, r->after), lost, 1e-10 * before);
}

/* Upright within 0.3 rad, its legs bent about as they stand, and down at 1 m/s. */
static void land_somehow(robot *r, pki_random *rng)
{
  static const double leg[3] = {0, 0.73, -1.34};
  double v[NU], q[NQ];
  memcpy(q, r->model->q0, (size_t)r->model->nq * sizeof *q);
  for (int k = 0; k < 12; k++) {
    q[7 + k] = (k < 6 ? 1 : -1) * leg[k % 3];
  }
  random_vector(rng, r->model->nu, 0.3, v);
  pk_config_add(r->model, q, v, r->q);
  random_vector(rng, r->model->nu, 1.5, r->u);
  r->u[2] -= 1;
}

/* Where no choice obeys the signs, holding all feet pulls at one of them: one that drags over the ground and is stopped there. */
static void some_foot_would_be_pulled(robot *r, int count, pk_jump_contact *contacts)
{
  double P[12], least = 0;
  pk_error err = {.message = ""};
  for (int i = 0; i < count; i++) {
    contacts[i].normal[2] = 0;
  }
  assert_int_equal(pk_jump(r->work, r->q, r->u, count, contacts, memory, r->after, P, &err), PK_OK);
  for (int i = 0; i < count; i++) {
    least = fmin(least, P[3 * i + 2]);
  }
  assert_less(least, -1e-3);
}

static void feet_push_and_never_pull(void **state)
{
  (void)state;
  robot r = load_starleth();
  pki_random rng = pki_random_seeded(8);
  int released = 0, none = 0, all = 0;
  for (int trial = 0; trial < PACE(400, 60); trial++) {
    const int count = 1 + trial % 4;
    pk_jump_contact contacts[4];
    double P[12];
    pk_error err = {.message = ""};
    land_somehow(&r, &rng);
    for (int i = 0; i < count; i++) {
      contacts[i] = (pk_jump_contact){.link = pk_model_find_link(r.model, feet[i]), .normal = {0, 0, 1}};
    }
    const pk_status status = pk_jump(r.work, r.q, r.u, count, contacts, memory, r.after, P, &err);
    if (status == PK_ERROR_CONVERGENCE) {
      none++;
      some_foot_would_be_pulled(&r, count, contacts);
    }
    all += count;
    if (status == PK_OK) {
      signs_and_energy(&r, count, contacts, P, &released);
    }
  }
  print_message("%d of %d feet released, %d collisions without an answer\n", released, all, none);
  assert_in_range(released, 20, all - 20);
  /* measured: 61 */
  assert_less(none, 0.2 * PACE(400, 60));
  unload(&r);
}

/* Four corners of a sole are 12 rows of rank 6; the answer is that of three corners. */
static void rows_that_depend_on_others_change_nothing(void **state)
{
  (void)state;
  pk_model *m = make_bar(0.3);
  pk_workspace *w = NULL;
  pk_workspace_create(m, &w, NULL);
  const double q[7] = {0.1, 0.2, 0.3, cos(0.2), 0, 0, sin(0.2)}, u[6] = {0.3, -0.2, -1, 0.4, 0.1, 0.7};
  pk_jump_contact corners[4];
  double after[6], P[12];
  pk_error err = {.message = ""};
  for (int i = 0; i < 4; i++) {
    corners[i] = (pk_jump_contact){.point = {i % 2 ? 0.1 : -0.1, i / 2 ? 0.05 : -0.05, 0}};
  }
  assert_int_equal(pk_jump(w, q, u, 4, corners, memory, after, P, &err), PK_OK);
  for (int k = 0; k < 6; k++) {
    assert_near(after[k], 0, 1e-12); /* a body that is held everywhere rests */
  }
  for (int k = 0; k < 3; k++) {
    assert_near(P[k] + P[3 + k] + P[6 + k] + P[9 + k], -mass * u[k], 1e-12);
  }
  pk_workspace_destroy(w);
  pk_model_destroy(m);
}

static void what_it_cannot_take_is_told(void **state)
{
  (void)state;
  robot r = load_starleth();
  pk_jump_contact c[13] = {{.link = 99}};
  double P[39];
  pk_error err = {.message = ""};
  pki_random rng = pki_random_seeded(2);
  random_config(&rng, r.model, r.q);
  assert_int_equal(pk_jump(r.work, r.q, r.u, 1, c, memory, r.after, P, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "contact 0 is of link 99, expected 0 to 16");
  assert_int_equal(pk_jump(r.work, r.q, r.u, 13, c, memory, r.after, P, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "13 contacts, expected 0 to 12");
  assert_true(pk_jump_memsize(r.model, 13) == 0);
  assert_true(pk_jump_memsize(r.model, 12) <= MEMORY);
  c[0] = (pk_jump_contact){.link = 0, .normal = {0, 0, 0.5}};
  assert_int_equal(pk_jump(r.work, r.q, r.u, 1, c, memory, r.after, P, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message, "the normal of contact 0 has the length 0.5, expected 1, or 0 for a point that is held");
  c[0].normal[2] = 1;
  assert_int_equal(pk_jump(r.work, r.q, r.u, 1, c, memory + 8, r.after, P, &err), PK_ERROR_ARGUMENT);
  r.u[2] = NAN;
  assert_int_equal(pk_jump(r.work, r.q, r.u, 1, c, memory, r.after, P, &err), PK_ERROR_NONFINITE);
  unload(&r);
}

/* No contacts: nothing happens; and nothing is allocated. */
static void it_allocates_nothing(void **state)
{
  (void)state;
  robot r = load_starleth();
  pki_random rng = pki_random_seeded(1);
  pk_jump_contact c = {.link = pk_model_find_link(r.model, feet[0]), .normal = {0, 0, 1}};
  random_config(&rng, r.model, r.q);
  random_vector(&rng, r.model->nu, 2, r.u);
  const int before = allocations;
  assert_int_equal(pk_jump(r.work, r.q, r.u, 1, &c, memory, r.after, NULL, NULL), PK_OK);
  assert_int_equal(pk_jump(r.work, r.q, r.u, 0, NULL, memory, r.after, NULL, NULL), PK_OK);
  assert_int_equal(allocations, before);
  assert_memory_equal(r.after, r.u, (size_t)r.model->nu * sizeof(double));
  unload(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_end_of_a_falling_bar_stops),
      cmocka_unit_test(an_end_that_would_be_pulled_is_released),
      cmocka_unit_test(angular_momentum_about_the_contact_is_kept),
      cmocka_unit_test(feet_push_and_never_pull),
      cmocka_unit_test(rows_that_depend_on_others_change_nothing),
      cmocka_unit_test(what_it_cannot_take_is_told),
      cmocka_unit_test(it_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
