/* MJCF as Pronk reads it, against MuJoCo: the same file, the same states, the same numbers.
 *
 *   test_peers_mjcf                    files that MuJoCo 2.2.2 reads, compared here
 *   test_peers_mjcf --write FOLDER     files of today's features and what Pronk computes, for mjcf_modern.mjs
 *
 * What is compared: counts, masses, the initial configuration, frames of bodies, the mass matrix, accelerations with
 * passive forces and actuators but without constraints, and sensors. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

#include "base/text.h"
#include "math/mat3.h"
#include "pronk/pronk.h"
#include "support/bounds.h"
#include "support/random_mjcf.h"

enum { FILES = 50, STATES = 20, MODERN_STATES = 4 };

static const double tolerance = 1e-9;

/* ---- Pronk ---- */

/* One state, and what Pronk computes there. */
typedef struct answer {
  double *q, *u, *ctrl;
  double *M, *a, *sensors;
  double *tau, *force;
} answer;

static double *room(int count)
{
  double *x = calloc((size_t)count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static answer answer_create(const pk_model *m)
{
  return (answer){.q = room(m->nq),
                  .u = room(m->nu),
                  .ctrl = room(m->nactuator),
                  .M = room(m->nu * m->nu),
                  .a = room(m->nu),
                  .sensors = room(m->nsensordata),
                  .tau = room(m->nu),
                  .force = room(m->nactuator)};
}

static void answer_free(answer *x)
{
  free(x->q), free(x->u), free(x->ctrl), free(x->M), free(x->a), free(x->sensors), free(x->tau),
      free(x->force);
}

/* Anywhere: joint limits bind nothing here. */
static void random_state(const pk_model *m, pki_random *rng, answer *x)
{
  for (int i = 0; i < m->nq; i++) {
    x->q[i] = pki_random_between(rng, -1, 1);
  }
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_motion[i] == PK_MOTION_SPHERICAL || m->body_motion[i] == PK_MOTION_FLOATING) {
      pki_random_quaternion(rng, x->q + m->body_q[i] + (m->body_motion[i] == PK_MOTION_FLOATING ? 3 : 0));
    }
  }
  for (int i = 0; i < m->nu; i++) {
    x->u[i] = pki_random_between(rng, -2, 2);
  }
  for (int i = 0; i < m->nactuator; i++) {
    x->ctrl[i] = pki_random_between(rng, -2, 2);
  }
}

/* Springs and dampers in joints, then actuators. */
static void joint_forces(const pk_model *m, answer *x)
{
  for (int i = 0; i < m->nu; i++) {
    x->tau[i] = -m->dof_damping[i] * x->u[i];
    if (m->dof_q[i] >= 0) {
      x->tau[i] -= m->dof_stiffness[i] * (x->q[m->dof_q[i]] - m->dof_spring_ref[i]);
    }
  }
  for (int i = 0; i < m->nactuator; i++) {
    const pk_model_actuator *act = &m->actuators[i];
    const pk_model_joint *j = &m->joints[act->joint];
    const double c = fmin(fmax(x->ctrl[i], act->ctrl_lower), act->ctrl_upper);
    const double length = act->gear * x->q[j->q], rate = act->gear * x->u[j->u];
    const double force = (act->gain[0] + act->gain[1] * length + act->gain[2] * rate) * c + act->bias[0] +
                         act->bias[1] * length + act->bias[2] * rate;
    x->force[i] = fmin(fmax(force, act->force_lower), act->force_upper);
    x->tau[j->u] += act->gear * x->force[i];
  }
}

static void compute_answer(pk_workspace *w, const pk_model *m, answer *x)
{
  joint_forces(m, x);
  pk_mass_matrix(w, x->q, x->M);
  assert_int_equal(pk_forward_dynamics(w, PK_DYNAMICS_METHOD_AUTO, x->q, x->u, x->tau, x->a), PK_OK);
  pk_sensors_read(w, &(pk_sensor_input){.q = x->q, .u = x->u, .a = x->a, .actuator_force = x->force},
                  x->sensors);
}

static pk_model *read_model(const pki_text *text, const char *name)
{
  pk_builder *b;
  pk_model *model = NULL;
  pk_error err = {0};
  assert_int_equal(pk_builder_create(&b, NULL), PK_OK);
  if (pk_builder_add_mjcf_memory(b, text->data, text->size, name, NULL, &err) != PK_OK ||
      pk_builder_compile(b, &model, &err) != PK_OK) {
    fail_msg("%s:%d: %s", name, err.line, err.message);
  }
  pk_builder_destroy(b);
  return model;
}

/* ---- MuJoCo ---- */

static mjModel *load_peer(const pki_text *text)
{
  char path[] = "/tmp/pronk-mjcf-XXXXXX", message[500] = "";
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *file = fdopen(fd, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text->data, 1, text->size, file), text->size);
  fclose(file);
  mjModel *m = mj_loadXML(path, NULL, message, sizeof message);
  remove(path);
  if (m == NULL) {
    fail_msg("MuJoCo: %s", message);
  }
  m->opt.disableflags |= mjDSBL_CONSTRAINT;
  return m;
}

/* The largest number, or 1 where that is more. */
static double scale_of(const double *x, int count)
{
  double most = 1;
  for (int i = 0; i < count; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

/* The largest difference as a part of that. */
static double difference(const double *ours, const double *theirs, int count)
{
  double worst = 0;
  for (int i = 0; i < count; i++) {
    worst = fmax(worst, isfinite(ours[i]) ? fabs(ours[i] - theirs[i]) : INFINITY);
  }
  return worst / scale_of(theirs, count);
}

/* Sensors by name, for Pronk has those of each tree together. A quaternion and its negative are one attitude. */
static double compare_sensors(const pk_model *m, const mjModel *p, const mjData *d, double *ours)
{
  double worst = 0;
  for (int i = 0; i < m->nsensor; i++) {
    const pk_model_sensor *s = &m->sensors[i];
    const int id = mj_name2id(p, mjOBJ_SENSOR, s->name);
    assert_at_least(id, 0);
    assert_int_equal(p->sensor_dim[id], s->dim);
    const double *const theirs = d->sensordata + p->sensor_adr[id];
    double *const values = ours + s->first;
    double product = 0;
    for (int k = 0; k < s->dim; k++) {
      product += values[k] * theirs[k];
    }
    for (int k = 0; k < s->dim && s->dim == 4 && product < 0; k++) {
      values[k] = -values[k];
    }
    worst = fmax(worst, difference(values, theirs, s->dim) * scale_of(theirs, s->dim));
  }
  return worst / scale_of(d->sensordata, m->nsensordata);
}

static void compare_frames(const pk_workspace *w, const pk_model *m, const mjModel *p, const mjData *d,
                           double *worst)
{
  for (int i = 1; i < p->nbody; i++) {
    const int link = pk_model_find_link(m, mj_id2name(p, mjOBJ_BODY, i));
    assert_at_least(link, 0);
    const pk_pose pose = pk_link_pose(w, link);
    *worst = fmax(*worst, difference(pose.pos, d->xpos + 3 * (size_t)i, 3));
    *worst = fmax(*worst, difference(pose.rot, d->xmat + 9 * (size_t)i, 9));
  }
}

/* Attitudes of free bodies may have the other sign. */
static double compare_start(const pk_model *m, const double *theirs)
{
  double *ours = room(m->nq);
  memcpy(ours, m->q0, (size_t)m->nq * sizeof *ours);
  for (int i = 0; i < m->nbody; i++) {
    double *const turn = ours + m->body_q[i] + 3;
    const bool opposite = m->body_motion[i] == PK_MOTION_FLOATING && turn[0] * theirs[m->body_q[i] + 3] < 0;
    for (int k = 0; k < 4 && opposite; k++) {
      turn[k] = -turn[k];
    }
  }
  const double worst = difference(ours, theirs, m->nq);
  free(ours);
  return worst;
}

typedef struct worst {
  double frames, M, a, sensors;
} worst;

static void compare_states(const pk_model *m, const mjModel *p, uint64_t seed, worst *out)
{
  pk_workspace *w;
  mjData *d = mj_makeData(p);
  answer x = answer_create(m);
  double *M = room(m->nu * m->nu);
  pki_random rng = pki_random_seeded(seed);
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  for (int k = 0; k < STATES; k++) {
    random_state(m, &rng, &x);
    compute_answer(w, m, &x);
    memcpy(d->qpos, x.q, (size_t)m->nq * sizeof *x.q);
    memcpy(d->qvel, x.u, (size_t)m->nu * sizeof *x.u);
    for (int i = 0; i < m->nactuator; i++) {
      const int id = mj_name2id(p, mjOBJ_ACTUATOR, m->actuators[i].name);
      assert_at_least(id, 0);
      d->ctrl[id] = x.ctrl[i];
    }
    mj_forward(p, d);
    mj_fullM(p, M, d->qM);
    out->M = fmax(out->M, difference(x.M, M, m->nu * m->nu));
    out->a = fmax(out->a, difference(x.a, d->qacc, m->nu));
    out->sensors = fmax(out->sensors, compare_sensors(m, p, d, x.sensors));
    compare_frames(w, m, p, d, &out->frames);
  }
  free(M);
  answer_free(&x);
  mj_deleteData(d);
  pk_workspace_destroy(w);
}

/* ---- tests ---- */

static void random_files_mean_what_they_mean_to_mujoco(void **state)
{
  (void)state;
  worst all = {0};
  for (uint64_t seed = 0; seed < FILES; seed++) {
    pki_text text = {0};
    char name[40];
    snprintf(name, sizeof name, "random %d", (int)seed);
    random_mjcf(seed, false, &text);
    mjModel *p = load_peer(&text);
    pk_model *m = read_model(&text, name);
    assert_int_equal(m->nq, p->nq);
    assert_int_equal(m->nu, p->nv);
    assert_int_equal(m->nactuator, p->nu);
    assert_int_equal(m->nsensordata, p->nsensordata);
    assert_near(m->mass, mj_getTotalmass(p), tolerance * m->mass);
    assert_less(compare_start(m, p->qpos0), tolerance);
    worst one = {0};
    compare_states(m, p, seed, &one);
    if (!(one.M < tolerance && one.a < tolerance && one.sensors < tolerance && one.frames < tolerance)) {
      fail_msg("%s: frames %.1e, M %.1e, a %.1e, sensors %.1e", name, one.frames, one.M, one.a, one.sensors);
    }
    all = (worst){fmax(all.frames, one.frames), fmax(all.M, one.M), fmax(all.a, one.a),
                  fmax(all.sensors, one.sensors)};
    mj_deleteModel(p);
    pk_model_destroy(m);
    pki_text_free(&text);
  }
  print_message("%d files, %d states each, MuJoCo %s: frames %.1e, M %.1e, a %.1e, sensors %.1e\n", FILES,
                STATES, mj_versionString(), all.frames, all.M, all.a, all.sensors);
}

/* ---- for other versions ---- */

static void write_list(FILE *f, const char *name, const double *x, int count, const char *end)
{
  fprintf(f, "\"%s\": [", name);
  for (int i = 0; i < count; i++) {
    fprintf(f, "%s%.17g", i > 0 ? ", " : "", x[i]);
  }
  fprintf(f, "]%s", end);
}

static void write_answers(const pk_model *m, uint64_t seed, FILE *f)
{
  pk_workspace *w;
  answer x = answer_create(m);
  pki_random rng = pki_random_seeded(seed);
  assert_int_equal(pk_workspace_create(m, &w, NULL), PK_OK);
  fprintf(f, "{\"nq\": %d, \"nv\": %d, \"nu\": %d, \"mass\": %.17g, ", m->nq, m->nu, m->nactuator, m->mass);
  fprintf(f, "\"sensors\": {");
  for (int i = 0; i < m->nsensor; i++) {
    fprintf(f, "%s\"%s\": [%d, %d]", i > 0 ? ", " : "", m->sensors[i].name, m->sensors[i].first,
            m->sensors[i].dim);
  }
  fprintf(f, "}, \"actuators\": [");
  for (int i = 0; i < m->nactuator; i++) {
    fprintf(f, "%s\"%s\"", i > 0 ? ", " : "", m->actuators[i].name);
  }
  fprintf(f, "], \"states\": [\n");
  for (int k = 0; k < MODERN_STATES; k++) {
    random_state(m, &rng, &x);
    compute_answer(w, m, &x);
    fprintf(f, "%s{", k > 0 ? ",\n" : "");
    write_list(f, "q", x.q, m->nq, ", ");
    write_list(f, "u", x.u, m->nu, ", ");
    write_list(f, "ctrl", x.ctrl, m->nactuator, ", ");
    write_list(f, "M", x.M, m->nu * m->nu, ", ");
    write_list(f, "a", x.a, m->nu, ", ");
    write_list(f, "sensors", x.sensors, m->nsensordata, "}");
  }
  fprintf(f, "]}\n");
  answer_free(&x);
  pk_workspace_destroy(w);
}

static const char *folder;

static void modern_files_are_written(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < FILES; seed++) {
    pki_text text = {0};
    char path[500];
    random_mjcf(seed, true, &text);
    pk_model *m = read_model(&text, "modern");
    snprintf(path, sizeof path, "%s/random%d.xml", folder, (int)seed);
    assert_int_equal(pki_text_save(&text, path, NULL), PK_OK);
    snprintf(path, sizeof path, "%s/random%d.json", folder, (int)seed);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    write_answers(m, seed, f);
    assert_int_equal(fclose(f), 0);
    pk_model_destroy(m);
    pki_text_free(&text);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_files_mean_what_they_mean_to_mujoco)};
  const struct CMUnitTest writing[] = {cmocka_unit_test(modern_files_are_written)};
  if (argc == 3 && strcmp(argv[1], "--write") == 0) {
    folder = argv[2];
    return cmocka_run_group_tests(writing, NULL, NULL);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
