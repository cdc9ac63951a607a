/* Compliant surfaces in a step: closed forms of flat patches, and energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/dynamics.h"
#include "pronk/sim.h"
#include "support/bounds.h"
#include "support/world.h"

static const double G = 9.81;

/* A box as a mesh: nx, ny cells above and below, one along its height; outward. */
typedef struct box_mesh {
  pk_mesh mesh;
  double vertex[3 * 2048];
  int triangle[3 * 2048];
} box_mesh;

static int add_vertex(box_mesh *b, double x, double y, double z)
{
  for (int i = 0; i < b->mesh.nvertex; i++) {
    const double *v = b->vertex + 3 * i;
    if (fabs(v[0] - x) + fabs(v[1] - y) + fabs(v[2] - z) < 1e-9) {
      return i;
    }
  }
  double *v = b->vertex + 3 * b->mesh.nvertex;
  v[0] = x, v[1] = y, v[2] = z;
  return b->mesh.nvertex++;
}

/* A quadrilateral cell of one side: origin o, edges e and f, outward by e x f. */
static void add_cell(box_mesh *b, const double o[3], const double e[3], const double f[3])
{
  int c[4];
  for (int i = 0; i < 4; i++) {
    const double s = i == 1 || i == 2, t = i >= 2;
    c[i] = add_vertex(b, o[0] + s * e[0] + t * f[0], o[1] + s * e[1] + t * f[1], o[2] + s * e[2] + t * f[2]);
  }
  const int tri[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
  memcpy(b->triangle + 3 * b->mesh.ntriangle, tri, sizeof tri);
  b->mesh.ntriangle += 2;
}

static void add_side(box_mesh *b, const double o[3], const double e[3], const double f[3], int n, int m)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      double at[3], de[3], df[3];
      for (int k = 0; k < 3; k++) {
        de[k] = e[k] / n, df[k] = f[k] / m;
        at[k] = o[k] + i * de[k] + j * df[k];
      }
      add_cell(b, at, de, df);
    }
  }
}

static void make_box_mesh(box_mesh *b, const double size[3], int nx, int ny, int nz)
{
  const double x = size[0], y = size[1], z = size[2], a = -x / 2, c = -y / 2, d = -z / 2;
  memset(b, 0, sizeof *b);
  b->mesh = (pk_mesh){.name = "box", .vertex = b->vertex, .triangle = b->triangle};
  add_side(b, (double[3]){a, c, d}, (double[3]){0, y, 0}, (double[3]){x, 0, 0}, ny, nx);
  add_side(b, (double[3]){a, c, -d}, (double[3]){x, 0, 0}, (double[3]){0, y, 0}, nx, ny);
  add_side(b, (double[3]){a, c, d}, (double[3]){x, 0, 0}, (double[3]){0, 0, z}, nx, nz);
  add_side(b, (double[3]){a, -c, d}, (double[3]){0, 0, z}, (double[3]){x, 0, 0}, nz, nx);
  add_side(b, (double[3]){a, c, d}, (double[3]){0, 0, z}, (double[3]){0, y, 0}, nz, ny);
  add_side(b, (double[3]){-a, c, d}, (double[3]){0, y, 0}, (double[3]){0, 0, z}, ny, nz);
}

/* A plate on the ground. */
typedef struct plate_world {
  box_mesh mesh;
  pk_model *model;
  pk_terrain *ground;
  pk_sim *sim;
  double mass;
} plate_world;

static const double PLATE[3] = {0.19, 0.067, 0.02};

static void begin_plate_in(plate_world *w, double mass, const pk_compliance *c, const pk_sim_options *o,
                           const double gravity[3])
{
  pk_error err = {.message = ""};
  const double *s = PLATE;
  make_box_mesh(&w->mesh, PLATE, 5, 5, 1);
  w->mass = mass;
  const free_solid solid = {.kind = PK_SHAPE_MESH,
                            .mass = mass,
                            .moment = {mass * (s[1] * s[1] + s[2] * s[2]) / 12,
                                       mass * (s[0] * s[0] + s[2] * s[2]) / 12,
                                       mass * (s[0] * s[0] + s[1] * s[1]) / 12},
                            .mesh = &w->mesh.mesh};
  w->model = solids_model(&solid, 1, gravity);
  w->ground = slope_terrain(0);
  assert_int_equal(pk_sim_create(w->model, o, &w->sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(w->sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(w->sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(w->sim, w->ground, NULL, 0, &err), PK_OK);
}

static void begin_plate(plate_world *w, double mass, const pk_compliance *c, const pk_sim_options *o)
{
  begin_plate_in(w, mass, c, o, NULL);
}

static void end_plate(plate_world *w)
{
  pk_sim_destroy(w->sim);
  pk_model_destroy(w->model);
  pk_terrain_destroy(w->ground);
}

/* Both surfaces alike, K of the pair in N/m^3. */
static pk_compliance layer_of(double K, double c, double mu_s, double mu_d)
{
  pk_compliance s = pk_compliance_default();
  s.layer = 1e-3, s.stiffness = 2 * K * s.layer, s.dissipation = c;
  s.static_friction = mu_s, s.dynamic_friction = mu_d;
  return s;
}

static double total_energy(pk_sim *sim)
{
  const double elastic = pk_sim_elastic_energy(sim);
  pk_workspace *w = pk_sim_workspace(sim);
  pk_kinematics_compute(w, pk_sim_q(sim), pk_sim_u(sim));
  const pk_energy e = pk_energy_compute(w, pk_sim_u(sim));
  return e.kinetic + e.potential + elastic;
}

static void a_plate_sinks_by_its_weight_over_stiffness_and_area(void **state)
{
  (void)state;
  for (int moreau = 0; moreau < 2; moreau++) {
    plate_world w;
    pk_sim_options o = pk_sim_options_default();
    o.stepper = moreau ? PK_STEPPER_MOREAU : PK_STEPPER_EULER;
    const double K = 1e7;
    const pk_compliance c = layer_of(K, 1, 0.9, 0.8);
    begin_plate(&w, 14.2, &c, &o);
    pk_sim_q(w.sim)[2] = PLATE[2] / 2;
    pk_step_info info = {0};
    for (int i = 0; i < 3000; i++) {
      assert_int_equal(pk_sim_step(w.sim, &info), PK_OK);
      assert_true(info.certified);
    }
    const double sunk = PLATE[2] / 2 - pk_sim_q(w.sim)[2], closed = w.mass * G / (K * PLATE[0] * PLATE[1]);
    print_message("sunk %.9f m, closed form %.9f m; newton %d contacts %d\n", sunk, closed, info.newton,
                  info.contacts);
    assert_less(fabs(sunk - closed), 1e-9);
    pk_sim_contact contacts[4];
    double up = 0;
    assert_int_equal(pk_sim_contacts(w.sim, contacts, 4), 4);
    for (int i = 0; i < 4; i++) {
      up += contacts[i].impulse[2] / o.dt;
    }
    assert_near(up, w.mass * G, 1e-6 * w.mass * G);
    end_plate(&w);
  }
}

/* What a drop did. */
typedef struct drop {
  double gain; /* largest rise of the total energy above the start, part of the energy of the drop */
  int rounds, uncertified;
  double mean; /* Newton rounds in a step */
} drop;

/* A plate that falls on an edge, tilted and sliding. */
static drop drop_plate(double mass, double K, double c, double dt, pk_stepper stepper)
{
  static const double height = 5e-3, slide = 0.11, tilt = 0.6 * 3.14159265358979 / 180;
  plate_world w;
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.dt = dt;
  const pk_compliance s = layer_of(K, c, 1.1, 0.9);
  begin_plate(&w, mass, &s, &o);
  double *q = pk_sim_q(w.sim);
  q[2] = PLATE[2] / 2 + height + 0.5 * PLATE[0] * sin(tilt);
  q[3] = cos(tilt / 2), q[5] = sin(tilt / 2);
  pk_sim_u(w.sim)[0] = slide;
  const double first = total_energy(w.sim), scale = 0.5 * mass * slide * slide + mass * G * height;
  const int n = (int)(1 / dt);
  drop out = {.gain = -INFINITY};
  for (int i = 0; i < n; i++) {
    pk_step_info info;
    assert_int_equal(pk_sim_step(w.sim, &info), PK_OK);
    out.rounds = info.newton > out.rounds ? info.newton : out.rounds;
    out.mean += info.newton / (double)n;
    out.uncertified += !info.certified;
    out.gain = fmax(out.gain, (total_energy(w.sim) - first) / scale);
  }
  end_plate(&w);
  return out;
}

static void stiff_contact_gains_no_energy_at_any_step_and_every_step_is_certified(void **state)
{
  (void)state;
  static const double stiff[] = {1e6, 1e7, 1e8, 1e9}, steps[] = {1e-2, 5e-3, 1e-3}, mass[] = {14.2, 0.67},
                      loss[] = {0.1, 10};
  static const pk_stepper steppers[] = {PK_STEPPER_EULER, PK_STEPPER_MOREAU};
  int most = 0;
  for (int i = 0; i < 2 * 4 * 3 * 2 * 2; i++) {
    const drop d =
        drop_plate(mass[i % 2], stiff[i / 2 % 4], loss[i / 8 % 2], steps[i / 16 % 3], steppers[i / 48]);
    assert_int_equal(d.uncertified, 0);
    assert_less(d.gain, 1e-12);
    most = d.rounds > most ? d.rounds : most;
  }
  print_message("at most %d Newton rounds\n", most);
}

static void pressures_of_all_faces_sum_to_the_weight(void **state)
{
  (void)state;
  enum { MOST = 256 };
  pk_sim_pressure faces[MOST];
  plate_world w;
  const pk_compliance c = layer_of(1e7, 1, 0.9, 0.8);
  begin_plate(&w, 14.2, &c, NULL);
  pk_sim_q(w.sim)[2] = PLATE[2] / 2;
  assert_int_equal(pk_sim_pressures(w.sim, faces, MOST), 0);
  for (int i = 0; i < 3000; i++) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  }
  const int n = pk_sim_pressures(w.sim, faces, MOST);
  double up = 0, area = 0;
  assert_int_equal(n, 2 * 5 * 5); /* the triangles below */
  for (int i = 0; i < n; i++) {
    up += faces[i].force[2], area += faces[i].area;
    assert_int_equal(faces[i].shape, 0);
    assert_int_equal(faces[i].other, -1);
    assert_int_equal(faces[i].body, 0);
    assert_near(faces[i].pressure, w.mass * G / (PLATE[0] * PLATE[1]), 1e-3);
    for (int k = 0; k < 3; k++) {
      assert_near(faces[i].corner[k][2], -PLATE[2] / 2, 1e-12); /* in the plate's frame */
    }
  }
  assert_near(up, w.mass * G, 1e-6);
  assert_near(area, PLATE[0] * PLATE[1], 1e-12);
  assert_int_equal(pk_sim_pressures(w.sim, NULL, 0), n);
  pk_sim_reset(w.sim);
  assert_int_equal(pk_sim_pressures(w.sim, NULL, 0), 0);
  end_plate(&w);
}

/* ---- bounces ---- */

static void step_until(pk_sim *sim, bool (*done)(pk_sim *sim), int most)
{
  int n = 0;
  do {
    assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  } while (!done(sim) && ++n < most);
  assert_less(n, most);
}

static bool has_left(pk_sim *sim)
{
  return pk_sim_u(sim)[2] > 0 && pk_sim_q(sim)[2] > PLATE[2] / 2;
}

/* The speed after a bounce, over that before it, with nothing but the patch: no gravity. */
static double bounce_plate(double c, double v, const pk_sim_options *o)
{
  static const double weightless[3] = {0, 0, 0};
  plate_world w;
  const pk_compliance s = layer_of(1e7, c, 0, 0);
  begin_plate_in(&w, 14.2, &s, o, weightless);
  pk_sim_q(w.sim)[2] = PLATE[2] / 2 + 1e-9;
  pk_sim_u(w.sim)[2] = -v;
  step_until(w.sim, has_left, 1000000);
  const double e = pk_sim_u(w.sim)[2] / v;
  end_plate(&w);
  return e;
}

/* Hunt and Crossley 1975: with f = k x (1 + c x') the speeds v before and e v after a bounce obey c v (1 + e) = ln((1 + c v)/(1 - c e v)). For
 * small c v that is e = 1 - 2/3 c v. */
static double closed_bounce(double cv)
{
  double low = 0, high = 1;
  for (int i = 0; i < 200; i++) {
    const double e = 0.5 * (low + high);
    const bool more = log((1 + cv) / (1 - cv * e)) < cv * (1 + e);
    low = more ? e : low;
    high = more ? high : e;
  }
  return low;
}

static void a_flat_patch_bounces_as_hunt_and_crossley_say(void **state)
{
  (void)state;
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_RK4, o.dt = 1e-5;
  static const double speed[] = {0.05, 0.2, 1};
  for (int i = 0; i < 3; i++) {
    const double c = 0.1, e = bounce_plate(c, speed[i], &o), exact = closed_bounce(c * speed[i]);
    print_message("v %.2f m/s: e %.6f, closed form %.6f, 1 - 2/3 c v %.6f\n", speed[i], e, exact,
                  1 - 2.0 / 3 * c * speed[i]);
    assert_near(e, exact, 2e-5);
    assert_near(e, 1 - 2.0 / 3 * c * speed[i], c * c * speed[i] * speed[i]);
  }
}

/* A plate that is pressed and let go, and stays on the ground: height above rest at time t is a cos(w t). */
static double oscillation_error(pk_stepper stepper, pk_implicit_forces implicit, double dt)
{
  static const double K = 1e7, mass = 14.2, a = 5e-4, t = 0.08;
  plate_world w;
  pk_sim_options o = pk_sim_options_default();
  o.stepper = stepper, o.implicit = implicit, o.dt = dt;
  const pk_compliance s = layer_of(K, 0, 0, 0);
  begin_plate(&w, mass, &s, &o);
  const double area = PLATE[0] * PLATE[1], rest = PLATE[2] / 2 - mass * G / (K * area);
  pk_sim_q(w.sim)[2] = rest + a;
  for (int i = 0; i < (int)lround(t / dt); i++) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  }
  const double error = fabs(pk_sim_q(w.sim)[2] - rest - a * cos(sqrt(K * area / mass) * t));
  end_plate(&w);
  return error;
}

static void schemes_have_their_orders_on_a_patch_that_stays(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    pk_stepper stepper;
    pk_implicit_forces implicit;
    double dt, order;
  } schemes[] = {{"rk4", PK_STEPPER_RK4, PK_IMPLICIT_FORCES_ALL, 2e-3, 4},
                 {"euler, explicit", PK_STEPPER_EULER, PK_IMPLICIT_FORCES_NONE, 5e-4, 1},
                 {"euler, implicit", PK_STEPPER_EULER, PK_IMPLICIT_FORCES_ALL, 5e-4, 1},
                 {"moreau, implicit", PK_STEPPER_MOREAU, PK_IMPLICIT_FORCES_ALL, 5e-4, 1}};
  for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
    const double coarse = oscillation_error(schemes[i].stepper, schemes[i].implicit, schemes[i].dt);
    const double fine = oscillation_error(schemes[i].stepper, schemes[i].implicit, schemes[i].dt / 2);
    const double order = log2(coarse / fine);
    print_message("%s: errors %.2e m, %.2e m, order %.2f\n", schemes[i].name, coarse, fine, order);
    assert_near(order, schemes[i].order, 0.2);
  }
}

static void oscillation_dies_out_at_the_rate_that_the_weight_gives(void **state)
{
  (void)state;
  static const double K = 2.5e7, mass = 14.2, c = 1, a = 1e-6, t = 0.2;
  plate_world w;
  pk_sim_options o = pk_sim_options_default();
  o.stepper = PK_STEPPER_RK4, o.dt = 1e-5;
  const pk_compliance s = layer_of(K, c, 0, 0);
  begin_plate(&w, mass, &s, &o);
  const double area = PLATE[0] * PLATE[1], rest = PLATE[2] / 2 - mass * G / (K * area);
  pk_sim_q(w.sim)[2] = rest + a;
  for (int i = 0; i < (int)lround(t / o.dt); i++) {
    assert_int_equal(pk_sim_step(w.sim, NULL), PK_OK);
  }
  const double x = (pk_sim_q(w.sim)[2] - rest) / a, v = pk_sim_u(w.sim)[2] / (a * sqrt(K * area / mass));
  const double left = hypot(x, v), closed = exp(-0.5 * G * c * t);
  print_message("amplitude after %.2f s: %.5f, exp(-g c t/2) = %.5f\n", t, left, closed);
  assert_near(left, closed, 0.01 * closed);
  end_plate(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_sinks_by_its_weight_over_stiffness_and_area),
      cmocka_unit_test(stiff_contact_gains_no_energy_at_any_step_and_every_step_is_certified),
      cmocka_unit_test(pressures_of_all_faces_sum_to_the_weight),
      cmocka_unit_test(a_flat_patch_bounces_as_hunt_and_crossley_say),
      cmocka_unit_test(schemes_have_their_orders_on_a_patch_that_stays),
      cmocka_unit_test(oscillation_dies_out_at_the_rate_that_the_weight_gives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
