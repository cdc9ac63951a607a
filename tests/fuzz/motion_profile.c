/* What a solved motion leaves for the next start, with any of its bytes changed, or any bytes at all: it is refused, or a profile whose grid is one
 * and which a program takes.
 *
 * The first byte says whether the rest is all bytes or changes to sound ones, three bytes each: where (two) and what. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/guess.h"
#include "optimize/motion/profile.h"
#include "pronk/builder.h"

/* A program of a hinge in a phase of two intervals, and its bytes. */
typedef struct sound_start {
  pki_motion_problem problem;
  pki_motion_robot *robot;
  pki_grid_functions small;
  pki_motion_grid grid;
  pki_motion_program *program;
  unsigned char *bytes;
  size_t size;
} sound_start;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
  if (!holds) {
    abort();
  }
}

static pk_model *make_model(void)
{
  pk_builder *b;
  pk_model *m = NULL;
  pk_robot_desc robot = pk_robot_desc_default();
  const pk_link_desc links[] = {
      {.name = "base"}, {.name = "arm", .inertia = {.mass = 1, .moment = {0.01, 0, 0, 0.01, 0, 0.01}}}};
  pk_joint_desc joint = pk_joint_desc_default();
  joint.name = "hinge", joint.kind = PK_JOINT_CONTINUOUS, joint.parent = "base", joint.child = "arm";
  robot.root = PK_ROOT_FIXED;
  need(pk_builder_create(&b, NULL) == PK_OK && pk_builder_add_robot(b, &robot, NULL) == PK_OK);
  need(pk_builder_add_link(b, &links[0], NULL) == PK_OK && pk_builder_add_link(b, &links[1], NULL) == PK_OK);
  need(pk_builder_add_joint(b, &joint, NULL) == PK_OK && pk_builder_compile(b, &m, NULL) == PK_OK);
  pk_builder_destroy(b);
  return m;
}

/* Made once; it lives as long as the program. */
static sound_start *sound(void)
{
  static sound_start made;
  if (made.bytes == NULL) {
    static pk_model *m;
    m = make_model();
    pki_motion_problem *p = &made.problem;
    pki_motion_problem_default(p, m);
    p->phases[0] = (pki_motion_phase){.intervals = 2, .shortest = 1, .longest = 1, .guess = 1};
    p->nphase = 1;
    p->objective.torque = 1;
    need(pki_motion_validate(p, NULL) == PK_OK && pki_motion_robot_create(p, &made.robot, NULL) == PK_OK);
    need(pki_grid_functions_create(&made.small, NULL) == PK_OK);
    need(pki_motion_grid_even(p, &made.grid, NULL) == PK_OK);
    need(pki_motion_program_create(p, made.robot, &made.small, &made.grid, &made.program, NULL) == PK_OK);
    need(pki_motion_guess(made.program, NULL) == PK_OK);
    pki_profile *profile = pki_profile_create(made.program);
    need(profile != NULL);
    made.bytes = pki_profile_pack(profile, &made.grid, 1, &made.size);
    need(made.bytes != NULL);
    pki_profile_destroy(profile);
  }
  return &made;
}

static void offer(sound_start *s, const void *bytes, size_t size)
{
  pki_motion_grid grid;
  pki_profile *profile = pki_profile_unpack(bytes, size, &grid);
  if (profile == NULL) {
    need(grid.share[0] == NULL);
    return;
  }
  double sum = 0;
  for (int k = 0; k < grid.intervals[0]; k++) {
    need(grid.share[0][k] > 0);
    sum += grid.share[0][k];
  }
  need(fabs(sum - 1) < 1e-8);
  pki_profile_apply(profile, s->program);
  pki_profile_destroy(profile);
  pki_motion_grid_free(&grid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) {
    return 0;
  }
  sound_start *s = sound();
  if (data[0] & 1) {
    offer(s, data + 1, size - 1);
    return 0;
  }
  unsigned char *bytes = malloc(s->size);
  if (bytes != NULL) {
    memcpy(bytes, s->bytes, s->size);
    for (size_t i = 1; i + 2 < size; i += 3) {
      bytes[((size_t)data[i] | (size_t)data[i + 1] << 8) % s->size] = data[i + 2];
    }
    offer(s, bytes, s->size);
  }
  free(bytes);
  return 0;
}
