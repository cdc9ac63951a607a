#include "support/motion_problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"
#include "optimize/motion/guess.h"
#include "pronk/builder.h"

pk_model *chain_model(const char *name)
{
  char path[512];
  pk_error err = {.message = ""};
  pk_model *model = NULL;
  pk_builder *b;
  pk_load_options options = pk_load_options_default();
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  snprintf(path, sizeof path, PK_SOURCE_DIR "/models/%s/%s.urdf", name, name);
  options.load_meshes = false;
  options.root = strcmp(name, "five_link_biped") == 0 ? PK_ROOT_FIXED : PK_ROOT_CHAIN;
  if (pk_builder_add_urdf(b, path, &options, &err) != PK_OK || pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  pk_builder_destroy(b);
  return model;
}

int coordinate_of(const pk_model *model, const char *joint)
{
  const int index = pk_model_find_joint(model, joint);
  assert_true(index >= 0);
  return model->joints[index].u;
}

void set_pose(pki_motion_problem *problem, const char *joint, double value)
{
  problem->pose[coordinate_of(problem->model, joint)] = value;
}

static void stand(pki_motion_problem *problem, const pk_model *model, int nfoot, const char *const *feet)
{
  pk_error err = {.message = ""};
  pki_motion_problem_default(problem, model);
  for (int i = 0; i < nfoot; i++) {
    if (pki_motion_add_foot(problem, feet[i], &err) != PK_OK) {
      fail_msg("%s", err.message);
    }
  }
}

static const char *const four_feet[] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
static const char *const two_feet[] = {"L_FOOT", "R_FOOT"};

/* Bend the four legs, and put the trunk as high. */
static void bend_legs(pki_motion_problem *problem, const double fore[2], const double hind[2], double height)
{
  const char *const legs[] = {"LF", "RF", "LH", "RH"};
  for (int i = 0; i < 4; i++) {
    const double *angles = i < 2 ? fore : hind;
    char hip[16], knee[16];
    snprintf(hip, sizeof hip, "%s_HFE", legs[i]);
    snprintf(knee, sizeof knee, "%s_KFE", legs[i]);
    set_pose(problem, hip, angles[0]);
    set_pose(problem, knee, angles[1]);
  }
  problem->pose[2] = height;
}

void stand_sony(pki_motion_problem *problem, const pk_model *model)
{
  stand(problem, model, 4, four_feet);
  bend_legs(problem, (const double[2]){0.7856222726598383, -1.575401296013326},
            (const double[2]){-0.8177319154980682, 1.7380424159949595}, 0.118);
}

void stand_starleth(pki_motion_problem *problem, const pk_model *model)
{
  stand(problem, model, 4, four_feet);
  bend_legs(problem, (const double[2]){0.7343101344764329, -1.3411529067300831},
            (const double[2]){-0.7343101344764329, 1.3411529067300831}, 0.435);
}

void stand_five_links(pki_motion_problem *problem, const pk_model *model)
{
  stand(problem, model, 2, two_feet);
  for (int f = 0; f < 2; f++) {
    problem->feet[f].radius = 0;
    problem->feet[f].ankle = 1e6;
  }
  problem->pose[1] = 0.7; /* hips that high, knees bent */
  problem->pose[3] = problem->pose[5] = -0.25;
  problem->pose[4] = problem->pose[6] = 0.5;
}

void stand_hardt(pki_motion_problem *problem, const pk_model *model)
{
  stand(problem, model, 2, two_feet);
  const char *const sides[] = {"L", "R"};
  for (int i = 0; i < 2; i++) { /* thighs forward, shanks back, soles level */
    const struct {
      const char *joint;
      double value;
    } bent[] = {{"HIP_PITCH", -0.3}, {"KNEE_PITCH", 0.6}, {"ANKLE_PITCH", -0.3}};
    for (int k = 0; k < 3; k++) {
      char joint[32];
      snprintf(joint, sizeof joint, "%s_%s", sides[i], bent[k].joint);
      set_pose(problem, joint, bent[k].value);
    }
  }
  problem->pose[2] = 0.45;
}

void add_phase(pki_motion_problem *problem, unsigned stance, int intervals, double shortest, double longest)
{
  problem->phases[problem->nphase++] = (pki_motion_phase){.stance = stance,
                                                          .intervals = intervals,
                                                          .shortest = shortest,
                                                          .longest = longest,
                                                          .guess = (shortest + longest) / 2};
}

void amble(pki_motion_problem *problem, int intervals)
{
  enum { LF = 1, LH = 4, RH = 8 };
  problem->closure = PKI_MOTION_HALF;
  add_phase(problem, LF | LH, intervals, 0.05, 0.25);
  add_phase(problem, LF | RH, intervals, 0.02, 0.15);
  add_phase(problem, LF | RH, intervals, 0.02, 0.15);
  problem->phases[1].crossing = true;
}

void five_link_step(pki_motion_problem *problem, const pk_model *model, int intervals)
{
  stand_five_links(problem, model);
  add_phase(problem, 1, intervals, 0.7, 0.7);
  problem->closure = PKI_MOTION_HALF;
  problem->stride_shortest = problem->stride_longest = 1;
  problem->friction = INFINITY;
  problem->clearance = -1; /* the foot may swing through the floor */
  problem->objective.torque = 1;
  problem->tolerance = 1e-10;
}

/* The middle of the foot in its link. */
static int find_link(const pki_motion_problem *p, int foot, double local[3])
{
  const pki_motion_foot *f = &p->feet[foot];
  const int link = p->model->body_link[f->body];
  double d[3];
  pki_sub3(f->at, p->model->links[link].pose.pos, d);
  pki_mat3_apply_transposed(p->model->links[link].pose.rot, d, local);
  return link;
}

void contact_jacobian(const pki_motion_problem *problem, const pk_workspace *w, int foot, double *J)
{
  const int n = problem->model->nu;
  const double radius = problem->feet[foot].radius;
  double local[3];
  const int link = find_link(problem, foot, local);
  pk_link_jacobian(w, link, local, J);
  for (int k = 0; k < n; k++) { /* omega x (0, 0, -r) */
    J[3 * n + k] -= radius * J[n + k];
    J[4 * n + k] += radius * J[k];
  }
}

void contact_acceleration(const pki_motion_problem *problem, pk_workspace *w, int foot, const double *v,
                          const double *a, double out[6])
{
  const int n = problem->model->nu;
  double J[6 * PKI_MOTION_DOFS], local[3];
  const int link = find_link(problem, foot, local);
  pk_link_jacobian_dot_u(w, link, local, v, out);
  pk_link_jacobian(w, link, local, J);
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < n && a != NULL; k++) {
      out[i] += J[i * n + k] * a[k];
    }
  }
  out[3] -= problem->feet[foot].radius * out[1];
  out[4] += problem->feet[foot].radius * out[0];
}

static pk_status copy_grid(const pki_motion_grid *grid, int nphase, pki_motion_grid *out)
{
  *out = *grid;
  for (int p = 0; p < nphase; p++) {
    const size_t size = (size_t)grid->intervals[p] * sizeof *grid->share[p];
    out->share[p] = malloc(size);
    assert_non_null(out->share[p]);
    memcpy(out->share[p], grid->share[p], size);
  }
  return PK_OK;
}

void build_motion(built_motion *motion, const pki_motion_problem *problem, const pki_motion_grid *grid)
{
  pk_error err = {.message = ""};
  *motion = (built_motion){.problem = *problem};
  pki_motion_problem *p = &motion->problem;
  pk_status status = pki_motion_validate(p, &err);
  status = status == PK_OK ? pki_motion_robot_create(p, &motion->robot, &err) : status;
  status = status == PK_OK ? pki_grid_functions_create(&motion->small, &err) : status;
  if (status == PK_OK) {
    status = grid != NULL ? copy_grid(grid, p->nphase, &motion->grid)
                          : pki_motion_grid_even(p, &motion->grid, &err);
  }
  status = status == PK_OK ? pki_motion_program_create(p, motion->robot, &motion->small, &motion->grid,
                                                       &motion->program, &err)
                           : status;
  status = status == PK_OK ? pki_motion_guess(motion->program, &err) : status;
  if (status != PK_OK) {
    fail_msg("%s: %s", err.field, err.message);
  }
}

void free_motion(built_motion *motion)
{
  pki_motion_program_destroy(motion->program);
  pki_motion_grid_free(&motion->grid);
  pki_grid_functions_free(&motion->small);
  pki_motion_robot_destroy(motion->robot);
}
