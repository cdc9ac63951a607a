/* A saved state with any of its bytes changed, or any bytes at all: the world takes it and steps, or says why not and stays
 * as it was. It never writes outside its memory.
 *
 * The first byte chooses the law of contact and whether the rest is a whole state or changes to a sound one, three bytes
 * each: where (two) and what. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pronk/builder.h"
#include "pronk/gait.h"
#include "pronk/sim.h"

enum { WORLDS = 2 };

typedef struct world {
  pk_sim *sim;
  unsigned char *sound, *now, *again;
  size_t size;
} world;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
  if (!holds) {
    abort();
  }
}

/* Two feet on a hinge each, below a trunk. */
static pk_model *make_model(void)
{
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  robot.root = PK_ROOT_FREE;
  need(pk_builder_add_robot(b, &robot, NULL) == PK_OK);
  static const char *const names[3] = {"trunk", "left", "right"};
  for (int i = 0; i < 3; i++) {
    const pk_link_desc link = {.name = names[i],
                               .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}};
    const pk_shape_desc shape = {
        .link = names[i], .kind = PK_SHAPE_SPHERE, .pose = pk_pose_identity(), .size = {0.1, 0, 0}};
    need(pk_builder_add_link(b, &link, NULL) == PK_OK && pk_builder_add_shape(b, &shape, NULL) == PK_OK);
    pk_joint_desc joint = pk_joint_desc_default();
    joint.name = names[i], joint.parent = "trunk", joint.child = names[i], joint.kind = PK_JOINT_REVOLUTE;
    joint.axis[0] = joint.axis[2] = 0, joint.axis[1] = 1;
    joint.origin.pos[1] = i == 1 ? 0.2 : -0.2, joint.lower = -1, joint.upper = 1, joint.friction = 0.1;
    need(i == 0 || pk_builder_add_joint(b, &joint, NULL) == PK_OK);
  }
  need(pk_builder_compile(b, &m, NULL) == PK_OK);
  pk_builder_destroy(b);
  return m;
}

static world make_world(const pk_model *m, const pk_terrain *t, const pk_controller *hold, pk_contact_law law)
{
  world w = {0};
  pk_sim_options o = pk_sim_options_default();
  o.law = law;
  o.max_contacts = 6;
  need(pk_sim_create(m, &o, &w.sim, NULL) == PK_OK && pk_sim_set_terrain(w.sim, t, NULL, 0, NULL) == PK_OK &&
       pk_sim_set_controller(w.sim, hold, NULL) == PK_OK);
  pk_sim_q(w.sim)[2] = 0.0999;
  pk_sim_u(w.sim)[1] = 0.5;
  for (int i = 0; i < 20; i++) {
    need(pk_sim_step(w.sim, NULL) == PK_OK);
  }
  need(pk_sim_contacts(w.sim, NULL, 0) > 0);
  w.size = pk_sim_state_size(w.sim);
  w.sound = malloc(w.size), w.now = malloc(w.size), w.again = malloc(w.size);
  need(w.sound != NULL && w.now != NULL && w.again != NULL);
  pk_sim_get_state(w.sim, w.sound);
  return w;
}

/* Made once; they live as long as the program. */
static world *worlds(void)
{
  static world made[WORLDS];
  if (made[0].sim == NULL) {
    static pk_model *m;
    static pk_terrain *t;
    static pk_controller *hold;
    m = make_model();
    pk_terrain_create(&t, NULL);
    need(pk_terrain_add_plane(t, (const double[3]){0}, (const double[3]){0, 0, 1}, 0, NULL) == PK_OK);
    need(pk_hold_create(m, NULL, &hold, NULL) == PK_OK);
    made[0] = make_world(m, t, hold, PK_CONTACT_LAW_HARD);
    made[1] = make_world(m, t, hold, PK_CONTACT_LAW_COMPLIANT);
  }
  return made;
}

static void offer(world *w, const void *bytes, size_t size)
{
  pk_error err = {PK_OK, 0, "", "", ""};
  const pk_status status = pk_sim_set_state(w->sim, bytes, size, &err);
  pk_sim_get_state(w->sim, w->now);
  if (status == PK_OK) {
    need(pk_sim_set_state(w->sim, w->now, w->size, NULL) == PK_OK);
    pk_sim_get_state(w->sim, w->again);
    need(memcmp(w->now, w->again, w->size) == 0);
    pk_sim_contact contacts[6];
    (void)pk_sim_contacts(w->sim, contacts, 6);
    (void)pk_sim_step(w->sim, NULL);
    need(pk_sim_set_state(w->sim, w->sound, w->size, NULL) == PK_OK);
  } else {
    need(err.status == status && err.message[0] != '\0' && memcmp(w->now, w->sound, w->size) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) {
    return 0;
  }
  world *w = &worlds()[data[0] & 1];
  if (data[0] & 2) {
    offer(w, data + 1, size - 1);
    return 0;
  }
  unsigned char *bytes = malloc(w->size);
  if (bytes != NULL) {
    memcpy(bytes, w->sound, w->size);
    for (size_t i = 1; i + 2 < size; i += 3) {
      bytes[((size_t)data[i] | (size_t)data[i + 1] << 8) % w->size] = data[i + 2];
    }
    offer(w, bytes, w->size);
  }
  free(bytes);
  return 0;
}
