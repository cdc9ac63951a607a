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

static void begin_plate(plate_world *w, double mass, const pk_compliance *c, const pk_sim_options *o)
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
  w->model = solids_model(&solid, 1, NULL);
  w->ground = slope_terrain(0);
  assert_int_equal(pk_sim_create(w->model, o, &w->sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(w->sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(w->sim, 0, c, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(w->sim, w->ground, NULL, 0, &err), PK_OK);
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
    pk_sim_contact contact;
    assert_int_equal(pk_sim_contacts(w.sim, &contact, 1), 1);
    assert_near(contact.impulse[2] / o.dt, w.mass * G, 1e-6 * w.mass * G);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_sinks_by_its_weight_over_stiffness_and_area),
      cmocka_unit_test(stiff_contact_gains_no_energy_at_any_step_and_every_step_is_certified),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
