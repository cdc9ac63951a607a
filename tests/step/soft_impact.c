/* Compliant surfaces that are about to meet: no step gains energy because it did not see what was coming, fast things are stopped, and
 * energy of a bounce is kept as well as the scheme can. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/soft_shapes.h"
#include "support/world.h"

enum { SOLIDS = 2 };

static const double MASS = 2, MOMENT = 2e-3;

/* Bricks one above the other without gravity: the upper one falls with a speed on the lower one, or a single one on the ground. */
typedef struct impact {
  double half[3];
  int cells[SOLIDS], n; /* n = 1: on the ground */
  double gap, speed;
} impact;

typedef struct impact_world {
  soft_mesh brick[SOLIDS];
  pk_model *model;
  pk_terrain *ground;
  pk_sim *sim;
  int n;
} impact_world;

static pk_compliance layer_of(double K, double c, double mu)
{
  pk_compliance s = pk_compliance_default();
  s.layer = 1e-3, s.stiffness = 2 * K * s.layer, s.dissipation = c;
  s.static_friction = s.dynamic_friction = mu;
  return s;
}

static void begin_impact(impact_world *w, const impact *of, const pk_compliance *c, const pk_sim_options *o)
{
  static const double weightless[3] = {0, 0, 0};
  pk_mesh mesh[SOLIDS];
  free_solid solid[SOLIDS];
  pk_error err = {.message = ""};
  w->n = of->n;
  for (int i = 0; i < of->n; i++) {
    w->brick[i] = soft_brick(of->half, of->cells[i]);
    const soft_mesh *b = &w->brick[i];
    mesh[i] = (pk_mesh){.name = "brick",
                        .nvertex = b->nvertex,
                        .ntriangle = b->ntriangle,
                        .vertex = b->vertex,
                        .triangle = b->triangle};
    solid[i] = (free_solid){
        .kind = PK_SHAPE_MESH, .mass = MASS, .moment = {MOMENT, MOMENT, MOMENT}, .mesh = &mesh[i]};
  }
  w->model = solids_model(solid, of->n, weightless);
  w->ground = slope_terrain(0);
  assert_int_equal(pk_sim_create(w->model, o, &w->sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(w->sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(w->sim, 0, c, &err), PK_OK);
  if (of->n == 1) {
    assert_int_equal(pk_sim_set_terrain(w->sim, w->ground, NULL, 0, &err), PK_OK);
  }
  double *q = pk_sim_q(w->sim), *u = pk_sim_u(w->sim);
  const int top = of->n - 1;
  q[0] = 3e-3; /* edges are not above each other */
  q[2] = of->n > 1 ? 1 : 0;
  q[7 * top + 2] = q[2] + (of->n > 1 ? 2 : 1) * of->half[2] + of->gap;
  u[6 * top + 2] = -of->speed;
}

static void end_impact(impact_world *w)
{
  pk_sim_destroy(w->sim);
  pk_model_destroy(w->model);
  pk_terrain_destroy(w->ground);
  for (int i = 0; i < w->n; i++) {
    soft_mesh_free(&w->brick[i]);
  }
}

static double energy_of(impact_world *w)
{
  const double *u = pk_sim_u(w->sim);
  double sum = pk_sim_elastic_energy(w->sim);
  for (int i = 0; i < 6 * w->n; i++) {
    sum += 0.5 * (i % 6 < 3 ? MASS : MOMENT) * u[i] * u[i];
  }
  return sum;
}

/* The largest energy after any step, over that of the start; every step is certified. */
static double most_energy(const impact *of, double K, const pk_sim_options *o, double seconds)
{
  impact_world w;
  const pk_compliance c = layer_of(K, 0.1, 0);
  begin_impact(&w, of, &c, o);
  const double first = energy_of(&w);
  double most = 0;
  for (int i = 0; i < (int)lround(seconds / o->dt); i++) {
    const pk_step_info info = must_step(w.sim);
    assert_true(info.certified);
    most = fmax(most, energy_of(&w) / first);
  }
  end_impact(&w);
  return most;
}

/* Gaps from almost nothing to more than a step's travel. The midpoint of `moreau` lies half a step ahead: a state that is put there so
 * near that it has passed the surface was not seen before. */
static void meets_without_gain(int n, const int cells[SOLIDS])
{
  static const double stiff[] = {1e6, 1e7, 1e8, 1e9}, speed[] = {0.3, 3};
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  enum { PHASES = 7 };
  for (int i = 0; i < 2 * 4 * 2; i++) {
    pk_sim_options o = pk_sim_options_default();
    o.dt = 1e-2, o.stepper = steppers[i / 8];
    const double K = stiff[i / 2 % 4], v = speed[i % 2], nearest = i / 8 == 0 ? 0.03 : 0.52;
    double worst = 0;
    for (int k = 0; k < PHASES; k++) {
      const double gap = (nearest + 1.3 * k / PHASES) * v * o.dt;
      const impact of = {{0.05, 0.05, 0.05}, {cells[0], cells[1]}, n, gap, v};
      worst = fmax(worst, most_energy(&of, K, &o, 0.3));
    }
    if (!(worst <= 1 + 1e-9)) {
      print_message("%s, K %g, %g m/s: %.9f times the energy of the start\n", i / 8 ? "moreau" : "euler", K,
                    v, worst);
    }
    assert_less(worst, 1 + 1e-9);
  }
}

static void meshes_meet_meshes_at_any_speed_and_phase_without_gain(void **state)
{
  (void)state;
  meets_without_gain(2, (const int[SOLIDS]){6, 6});
  meets_without_gain(2, (const int[SOLIDS]){6, 4});
}

static void meshes_meet_the_ground_at_any_speed_and_phase_without_gain(void **state)
{
  (void)state;
  meets_without_gain(1, (const int[SOLIDS]){6, 6});
}

static void a_state_put_where_a_fast_mesh_is_about_to_touch_gains_nothing_on_the_ground(void **state)
{
  (void)state;
  pk_sim_options o = pk_sim_options_default();
  o.dt = 1e-2;
  for (int i = 0; i < 4 * 5; i++) {
    const double v = 3, gap = (0.02 + 0.1 * (i % 5)) * v * o.dt;
    const impact of = {{0.05, 0.05, 0.05}, {6, 6}, 1, gap, v};
    assert_less(most_energy(&of, pow(10, 6 + i / 5), &o, 0.3), 1 + 1e-9);
  }
}

static void a_plate_that_is_thinner_than_its_way_in_a_step_does_not_pass_the_ground(void **state)
{
  (void)state;
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  for (int i = 0; i < 2 * 6; i++) {
    pk_sim_options o = pk_sim_options_default();
    o.dt = 1e-2, o.stepper = steppers[i / 6];
    const pk_compliance c = layer_of(1e9, 0.1, 0);
    const impact of = {{0.05, 0.05, 0.005}, {6, 6}, 1, 0.11 + 0.02 * (i % 6), 10};
    impact_world w;
    begin_impact(&w, &of, &c, &o);
    for (int k = 0; k < 30; k++) {
      assert_true(must_step(w.sim).certified);
      assert_less(-pk_sim_q(w.sim)[2], 0); /* the middle stays above */
    }
    end_impact(&w);
  }
}

/* ---- threads ---- */

static void no_bit_depends_on_the_threads_of_a_world(void **state)
{
  (void)state;
  enum { NQ = 14 };
  double q[2][NQ];
  for (int i = 0; i < 2; i++) {
    pk_sim_options o = pk_sim_options_default();
    o.threads = i == 0 ? 1 : 3;
    const pk_compliance c = layer_of(1e7, 0.1, 0.5);
    const impact of = {{0.05, 0.05, 0.05}, {16, 16}, 2, 1e-3, 1};
    impact_world w;
    begin_impact(&w, &of, &c, &o);
    for (int k = 0; k < 20; k++) {
      must_step(w.sim);
    }
    memcpy(q[i], pk_sim_q(w.sim), sizeof q[i]);
    end_impact(&w);
  }
  assert_memory_equal(q[0], q[1], sizeof q[0]);
}

/* ---- energy of a bounce without losses ---- */

/* What a bounce without dissipation and friction loses or gains of its energy, the mean of several phases of the first touch. */
static double bounce_error(pk_stepper stepper, double dt)
{
  enum { PHASES = 16 };
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = dt;
  const pk_compliance c = layer_of(1e7, 0, 0);
  double sum = 0;
  for (int k = 0; k < PHASES; k++) {
    const double v = 0.3;
    const impact of = {{0.05, 0.05, 0.05}, {6, 6}, 1, (k + 0.5) / PHASES * v * dt, v};
    impact_world w;
    begin_impact(&w, &of, &c, &o);
    const double first = energy_of(&w);
    for (int i = 0; i < (int)lround(0.05 / dt); i++) {
      must_step(w.sim);
    }
    assert_true(pk_sim_u(w.sim)[2] > 0 && pk_sim_q(w.sim)[2] > of.half[2]); /* it has left */
    sum += fabs(energy_of(&w) / first - 1);
    end_impact(&w);
  }
  return sum / PHASES;
}

/* The force has a bend where surfaces touch, which costs a scheme of higher order than two all above that. */
static void a_bounce_without_losses_keeps_its_energy_to_the_order_of_the_scheme(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    pk_stepper stepper;
    double dt, order;
  } schemes[] = {{"rk4", PK_STEPPER_RK4, 8e-4, 2}, {"euler, implicit", PK_STEPPER_EULER, 4e-4, 1}};
  for (int i = 0; i < 2; i++) {
    double error[3];
    for (int k = 0; k < 3; k++) {
      error[k] = bounce_error(schemes[i].stepper, schemes[i].dt / (1 << 2 * k));
    }
    print_message("%s: %.2e %.2e %.2e of the energy, orders %.2f %.2f\n", schemes[i].name, error[0], error[1],
                  error[2], 0.5 * log2(error[0] / error[1]), 0.5 * log2(error[1] / error[2]));
    assert_less(schemes[i].order - 0.2, 0.25 * log2(error[0] / error[2]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_meet_meshes_at_any_speed_and_phase_without_gain),
      cmocka_unit_test(meshes_meet_the_ground_at_any_speed_and_phase_without_gain),
      cmocka_unit_test(a_state_put_where_a_fast_mesh_is_about_to_touch_gains_nothing_on_the_ground),
      cmocka_unit_test(a_plate_that_is_thinner_than_its_way_in_a_step_does_not_pass_the_ground),
      cmocka_unit_test(no_bit_depends_on_the_threads_of_a_world),
      cmocka_unit_test(a_bounce_without_losses_keeps_its_energy_to_the_order_of_the_scheme),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
