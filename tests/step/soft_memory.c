/* Memory of compliant pairs: many of them, worlds that change, worlds that take their compliance from another. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pronk/sim.h"
#include "sim/sim_pressure.h"
#include "support/allocations.h"
#include "support/bounds.h"
#include "support/soft_shapes.h"
#include "support/world.h"

enum { MANY = 150 };

static const double WEIGHTLESS[3] = {0, 0, 0}, RADIUS = 0.05;

static pk_model *cubes_model(int n, int cells)
{
  soft_mesh cube = soft_brick((const double[3]){RADIUS, RADIUS, RADIUS}, cells);
  const pk_mesh mesh = {.name = "cube",
                        .nvertex = cube.nvertex,
                        .ntriangle = cube.ntriangle,
                        .vertex = cube.vertex,
                        .triangle = cube.triangle};
  static free_solid solids[MANY];
  for (int i = 0; i < n; i++) {
    solids[i] = (free_solid){.kind = PK_SHAPE_MESH, .mass = 1, .moment = {1e-3, 1e-3, 1e-3}, .mesh = &mesh};
  }
  pk_model *m = solids_model(solids, n, WEIGHTLESS);
  soft_mesh_free(&cube);
  return m;
}

static pk_model *balls_model(int n)
{
  static free_solid solids[MANY];
  for (int i = 0; i < n; i++) {
    solids[i] =
        (free_solid){.kind = PK_SHAPE_SPHERE, .size = {RADIUS}, .mass = 1, .moment = {1e-3, 1e-3, 1e-3}};
  }
  return solids_model(solids, n, WEIGHTLESS);
}

static pk_sim *soft_world(const pk_model *m, const pk_terrain *t, pk_compliance_law law, int max_contacts)
{
  pk_error err = {.message = ""};
  pk_sim *sim;
  pk_sim_options o = pk_sim_options_default();
  o.max_contacts = max_contacts;
  pk_compliance c = pk_compliance_default();
  c.law = law, c.stiffness = 10;
  assert_int_equal(pk_sim_create(m, &o, &sim, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim, 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(sim, 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK);
  return sim;
}

static void end_world(pk_sim *sim, pk_terrain *t, pk_model *m)
{
  pk_sim_destroy(sim);
  pk_terrain_destroy(t);
  pk_model_destroy(m);
}

/* All faces of many small meshes press, far more than the room that was planned for: each is told of once, with its own body and force. */
static void faces_of_many_small_meshes_all_press(void **state)
{
  (void)state;
  enum { FACES = 12 };
  static pk_sim_pressure faces[MANY * FACES + 1];
  static int seen[MANY][FACES];
  pk_model *m = cubes_model(MANY, 1);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = soft_world(m, t, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, 4096);
  for (int i = 0; i < MANY; i++) {
    double *q = pk_sim_q(sim) + 7 * i;
    q[0] = 0.2 * (i % 20), q[1] = 0.2 * (i / 20), q[2] = -1.2 * RADIUS;
  }
  const struct pki_soft *s = sim->scene.soft;
  assert_less(s->elements, MANY * FACES); /* else the step has nothing to do */
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  const int n = pk_sim_pressures(sim, faces, MANY * FACES + 1);
  assert_int_equal(n, MANY * FACES);
  assert_at_least(pki_sim_pressure_room(sim), n);
  memset(seen, 0, sizeof seen);
  for (int i = 0; i < n; i++) {
    assert_in_range(faces[i].body, 0, MANY - 1);
    assert_in_range(faces[i].face, 0, FACES - 1);
    seen[faces[i].body][faces[i].face]++;
    const double *q = pk_sim_q(sim) + 7 * faces[i].body;
    assert_less(fabs(faces[i].point[0] - q[0]) + fabs(faces[i].point[1] - q[1]), 4 * RADIUS);
    assert_near(faces[i].force[2] / (faces[i].pressure * faces[i].area), 1,
                1e-9); /* up, no friction at rest */
  }
  for (int i = 0; i < MANY * FACES; i++) {
    assert_int_equal(seen[i / FACES][i % FACES], 1);
  }
  end_world(sim, t, m);
}

/* Every ball overlaps every other: more pairs than were planned for, with room for contacts as given. */
static void room_for_pairs_grows_where_that_for_contacts_is_given(void **state)
{
  (void)state;
  enum { BALLS = 12, PAIRS = BALLS * (BALLS - 1) / 2 };
  for (int enough = 0; enough < 2; enough++) {
    pk_model *m = balls_model(BALLS);
    pk_terrain *t = slope_terrain(0);
    pk_sim *sim = soft_world(m, t, PK_COMPLIANCE_LAW_HERTZ, enough ? 2 * PAIRS : PAIRS);
    for (int i = 0; i < BALLS; i++) {
      pk_sim_q(sim)[7 * i] = 1e-3 * i, pk_sim_q(sim)[7 * i + 2] = 1;
    }
    assert_less(sim->scene.soft->room, PAIRS);
    pk_step_info info;
    const pk_status status = pk_sim_step(sim, &info);
    if (enough) {
      assert_int_equal(status, PK_OK);
      assert_int_equal(pk_sim_pressures(sim, NULL, 0), PAIRS);
    } else {
      assert_int_equal(status,
                       PK_ERROR_LIMIT); /* six rows of a pair of moving bodies are those of two contacts */
      assert_string_equal(info.term, "max_contacts");
    }
    end_world(sim, t, m);
  }
}

/* A sim that becomes as one without compliance goes on as that one does. */
static void a_world_made_like_a_hard_one_steps_as_it_does(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_model *m = balls_model(2);
  pk_terrain *t = slope_terrain(0);
  pk_sim_options o = pk_sim_options_default();
  o.contact = PK_CONTACT_GEHRING_2014; /* on chains, as worlds with compliance are */
  pk_sim *sim[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pk_sim_create(m, &o, &sim[i], &err), PK_OK);
    const pk_compliance c = pk_compliance_default();
    if (i == 0) {
      assert_int_equal(pk_sim_set_surface_compliance(sim[i], 0, &c, &err), PK_OK);
      assert_int_equal(pk_sim_set_material_compliance(sim[i], 0, &c, &err), PK_OK);
    }
    assert_int_equal(pk_sim_set_terrain(sim[i], t, NULL, 0, &err), PK_OK);
  }
  assert_int_equal(pk_sim_step(sim[0], NULL), PK_OK);
  pk_sim_reset(sim[0]);
  assert_int_equal(pk_sim_set_like(sim[0], sim[1], &err), PK_OK);
  for (int i = 0; i < 2; i++) {
    pk_sim_q(sim[i])[2] = RADIUS, pk_sim_q(sim[i])[9] = 3 * RADIUS - 1e-4;
    pk_sim_u(sim[i])[8] = -0.1;
    for (int k = 0; k < 10; k++) {
      assert_int_equal(pk_sim_step(sim[i], NULL), PK_OK);
    }
  }
  assert_memory_equal(pk_sim_q(sim[0]), pk_sim_q(sim[1]), (size_t)m->nq * sizeof(double));
  pk_sim_destroy(sim[0]);
  end_world(sim[1], t, m);
}

/* Balls whose faces are needed on a surface of their own step in a copy of the world as in the world itself. */
static void a_world_made_like_a_soft_one_steps_as_it_does(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_model *m = balls_model(1);
  pk_terrain *t = slope_terrain(0);
  const pk_sim_options o = pk_sim_options_default();
  const pk_compliance c = pk_compliance_default();
  pk_sim *sim[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pk_sim_create(m, &o, &sim[i], &err), PK_OK);
  }
  assert_int_equal(pk_sim_set_terrain(sim[1], t, NULL, 0, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface(sim[1], 0, 1, &err), PK_OK);
  assert_int_equal(pk_sim_set_surface_compliance(sim[1], 1, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_material_compliance(sim[1], 0, &c, &err), PK_OK);
  assert_int_equal(pk_sim_set_like(sim[0], sim[1], &err), PK_OK);
  for (int i = 0; i < 2; i++) {
    pk_sim_q(sim[i])[2] = 0.9 * RADIUS;
    assert_true(pk_sim_elastic_energy(sim[i]) > 0);
    for (int k = 0; k < 10; k++) {
      assert_int_equal(pk_sim_step(sim[i], NULL), PK_OK);
    }
  }
  assert_memory_equal(pk_sim_q(sim[0]), pk_sim_q(sim[1]), (size_t)m->nq * sizeof(double));
  pk_sim_destroy(sim[0]);
  end_world(sim[1], t, m);
}

/* What is planned once for all shapes is enough for each: surfaces and filters that are set one by one plan nothing. */
static void setting_surfaces_one_by_one_allocates_nothing(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_model *m = balls_model(MANY);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = soft_world(m, t, PK_COMPLIANCE_LAW_HERTZ, 0);
  allocations = 0;
  for (int i = 0; i < MANY; i++) {
    assert_int_equal(pk_sim_set_surface(sim, i, i % 2, &err), PK_OK);
  }
  for (int i = 0; i < MANY; i++) {
    assert_int_equal(pk_sim_set_surface(sim, i, 0, &err), PK_OK);
  }
  assert_int_equal(allocations, 0);
  end_world(sim, t, m);
}

/* The law of Hertz has one element a pair, and cuts no shape into faces. */
static void round_bodies_under_hertz_have_no_faces(void **state)
{
  (void)state;
  pk_model *m = balls_model(MANY);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = soft_world(m, t, PK_COMPLIANCE_LAW_HERTZ, 0);
  for (int i = 0; i < MANY; i++) {
    assert_null(pki_patch_faces(sim->scene.colliders.of[i].geometry));
  }
  assert_at_most(pki_sim_pressure_room(sim), 8 * MANY);
  pk_sim_q(sim)[2] = 0.999 * RADIUS;
  for (int i = 1; i < MANY; i++) {
    pk_sim_q(sim)[7 * i + 2] = 4 * RADIUS * (i + 1);
  }
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_int_equal(pk_sim_pressures(sim, NULL, 0), 1);
  end_world(sim, t, m);
}

/* Two meshes that may not collide at first, and then may: there is room for the faces of both from the start. */
static void pairs_that_are_let_collide_later_have_their_memory(void **state)
{
  (void)state;
  pk_error err = {.message = ""};
  pk_model *m = cubes_model(2, 4);
  pk_terrain *t = slope_terrain(0);
  pk_sim *sim = soft_world(m, t, PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, 0);
  assert_int_equal(pk_sim_set_collision(sim, 0, 1, false, &err), PK_OK);
  assert_int_equal(pk_sim_set_terrain(sim, t, NULL, 0, &err), PK_OK); /* plans anew, without the pair */
  pk_sim_q(sim)[2] = 1, pk_sim_q(sim)[9] = 1 + RADIUS;
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_int_equal(pk_sim_pressures(sim, NULL, 0), 0);
  const void *before = sim->scene.soft->block;
  assert_int_equal(pk_sim_set_collision(sim, 0, 1, true, &err), PK_OK);
  assert_ptr_equal(sim->scene.soft->block, before);
  assert_int_equal(pk_sim_step(sim, NULL), PK_OK);
  assert_greater(pk_sim_pressures(sim, NULL, 0), 0);
  end_world(sim, t, m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faces_of_many_small_meshes_all_press),
      cmocka_unit_test(room_for_pairs_grows_where_that_for_contacts_is_given),
      cmocka_unit_test(a_world_made_like_a_hard_one_steps_as_it_does),
      cmocka_unit_test(a_world_made_like_a_soft_one_steps_as_it_does),
      cmocka_unit_test(setting_surfaces_one_by_one_allocates_nothing),
      cmocka_unit_test(round_bodies_under_hertz_have_no_faces),
      cmocka_unit_test(pairs_that_are_let_collide_later_have_their_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
