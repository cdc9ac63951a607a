/* pronk solve --stance: where feet and trunk are, in; joint angles, forces of the feet and torques at rest, out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/cmd_solve.h"
#include "cli/load_model.h"
#include "cli/print_json.h"
#include "cli/stance_pose.h"
#include "cli/terminal.h"
#include "model/pose.h"
#include "report/table.h"

/* What is rounding: parts of the weight; rad, m, N and N m of a table. */
static const double rounding = 1e-9;

/* ---- the question ---- */

/* Numbers with commas between them; how many, -1: it is something else. */
static int read_numbers(const char *text, int most, double *out)
{
  const char *cursor = text, *const end = text + strlen(text);
  int count = 0;
  while (count < most && pki_parse_real(&cursor, end, &out[count]) && isfinite(out[count])) {
    count++;
    if (cursor == end || *cursor != ',') {
      return cursor == end ? count : -1;
    }
    cursor++;
  }
  return -1;
}

static int find_limb(const pki_stance_question *s, const char *name, size_t length)
{
  for (int i = 0; i < s->count; i++) {
    const char *foot = s->model->links[s->limbs[i].link].name;
    if (strlen(foot) == length && strncmp(foot, name, length) == 0) {
      return i;
    }
  }
  return -1;
}

static void complain_foot(const pki_stance_question *s, const char *option, const char *name, size_t length)
{
  char feet[512] = "";
  for (int i = 0; i < s->count; i++) {
    const size_t used = strlen(feet);
    snprintf(feet + used, sizeof feet - used, "%s%s", i > 0 ? ", " : "",
             s->model->links[s->limbs[i].link].name);
  }
  pki_complain("solve", "--%s: no leg that stands ends in \"%.*s\", expected one of %s", option, (int)length,
               name, feet);
}

/* Legs are the limbs that end as low as the lowest one, to a tenth; all of --feet. */
static int find_standing(const pki_args *args, const pk_model *m, pki_stance_question *s)
{
  pki_robot_leg all[PKI_LIMBS];
  const int found = pki_legs_of_robot(m, 0, all), count = found < PKI_LIMBS ? found : PKI_LIMBS;
  const char *feet = pki_args_value(args, "feet");
  double lowest = 0;
  for (int i = 0; i < count; i++) {
    lowest = all[i].closed ? fmin(lowest, all[i].leg.foot.pos[2]) : lowest;
  }
  for (int i = 0; i < count; i++) {
    if (all[i].closed && (feet != NULL || all[i].leg.foot.pos[2] <= 0.9 * lowest)) {
      s->limbs[s->count++] = all[i];
    }
  }
  if (s->count == 0) {
    pki_complain("solve", "the model has no leg with a closed form; pronk info %s --legs says why",
                 args->words[0]);
    return PKI_EXIT_USAGE;
  }
  if (feet == NULL) {
    return PKI_EXIT_OK;
  }
  pki_stance_question chosen = *s;
  chosen.count = 0;
  for (const char *at = feet; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    const int i = find_limb(s, at, length);
    if (i >= 0 && find_limb(&chosen, at, length) >= 0) {
      pki_complain("solve", "--feet names \"%.*s\" twice", (int)length, at);
      return PKI_EXIT_USAGE;
    }
    if (i < 0) {
      complain_foot(s, "feet", at, length);
      return PKI_EXIT_USAGE;
    }
    chosen.limbs[chosen.count++] = s->limbs[i];
  }
  *s = chosen;
  return PKI_EXIT_OK;
}

static int read_places(const pki_args *args, pki_stance_question *s)
{
  const char *trunk = pki_args_value(args, "trunk");
  double x[6] = {0};
  if (trunk != NULL) {
    const int count = read_numbers(trunk, 6, x);
    if (count != 3 && count != 6) {
      pki_complain("solve",
                   "--trunk is '%s', expected X,Y,Z in m, or with roll, pitch and yaw in rad behind them",
                   trunk);
      return PKI_EXIT_USAGE;
    }
    s->trunk = pk_pose_from_xyz_rpy(x, x + 3);
  }
  int count = 0;
  const char **given = pki_args_all(args, "foot", &count);
  int code = PKI_EXIT_OK;
  for (int i = 0; given != NULL && i < count && code == PKI_EXIT_OK; i++) {
    const size_t length = strcspn(given[i], "=");
    const int limb = find_limb(s, given[i], length);
    if (given[i][length] != '=' || read_numbers(given[i] + length + 1, 3, x) != 3) {
      pki_complain("solve", "--foot is '%s', expected LINK=X,Y,Z in m", given[i]);
      code = PKI_EXIT_USAGE;
    } else if (limb < 0) {
      complain_foot(s, "foot", given[i], length);
      code = PKI_EXIT_USAGE;
    } else {
      memcpy(s->feet[limb].pos, x, 3 * sizeof *x);
    }
  }
  free(given);
  return code;
}

/* ---- the answer ---- */

/* What a foot's force needs of friction: across the vertical over along it; INFINITY: it pulls. */
static double friction_of(const double force[6])
{
  return force[5] > 0 ? hypot(force[3], force[4]) / force[5] : INFINITY;
}

static bool is_balanced(const pki_stance_question *s, const pki_stance_answer *a)
{
  const double *g = s->model->gravity;
  const double weight = s->model->mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  bool good = true;
  for (int k = 0; k < 6; k++) {
    good = good && fabs(a->unbalanced[k]) <= rounding * fmax(weight, 1);
  }
  return good;
}

static cJSON *foot_json(const pki_stance_question *s, const pki_stance_answer *a, int i)
{
  const pk_model *m = s->model;
  const pk_leg *leg = &s->limbs[i].leg;
  cJSON *o = cJSON_CreateObject(), *joints = cJSON_CreateObject(), *torques = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "foot", m->links[leg->link].name);
  pki_json_array(o, "place", s->feet[i].pos, 3);
  for (int k = 0; k < leg->nhinge; k++) {
    const char *name = m->joints[m->dof_joint[leg->u[k]]].name;
    pki_json_number(joints, name, a->q[leg->q[k]]);
    pki_json_number(torques, name, a->tau[leg->u[k]]);
  }
  cJSON_AddItemToObject(o, "joints", joints);
  cJSON_AddBoolToObject(o, "within_limits", a->within[i]);
  cJSON_AddItemToObject(o, "torques", torques);
  pki_json_array(o, "force", a->force[i] + 3, 3);
  pki_json_array(o, "moment", a->force[i], 3);
  pki_json_number(o, "friction", friction_of(a->force[i]));
  return o;
}

static bool print_stance_json(const char *path, const pki_stance_question *s, const pki_stance_answer *a)
{
  const pk_model *m = s->model;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "file", path);
  cJSON_AddStringToObject(o, "model", m->robots[0].name);
  pki_json_array(o, "trunk", s->trunk.pos, 3);
  pki_json_array(o, "trunk_rotation", s->trunk.rot, 9);
  cJSON_AddBoolToObject(o, "balanced", is_balanced(s, a));
  pki_json_array(o, "unbalanced", a->unbalanced, 6);
  pki_json_array(o, "q", a->q, m->nq);
  pki_json_array(o, "torque", a->tau, m->nu);
  cJSON *reduced = cJSON_AddObjectToObject(o, "reduced");
  cJSON_AddNumberToObject(reduced, "nq", a->nq1);
  cJSON_AddNumberToObject(reduced, "nu", a->nu1);
  pki_json_array(reduced, "acceleration", a->a1, a->nu1);
  cJSON *legs = cJSON_AddArrayToObject(o, "legs");
  for (int i = 0; i < s->count; i++) {
    cJSON_AddItemToArray(legs, foot_json(s, a, i));
  }
  return pki_json_print(o, true, "solve");
}

static double rounded(double value)
{
  return fabs(value) < rounding ? 0 : value;
}

static bool print_joints(const pki_stance_question *s, const pki_stance_answer *a)
{
  const pk_model *m = s->model;
  pki_table table;
  pki_table_begin(&table,
                  (const char *const[]){"foot", "joint", "angle rad", "limits rad", "torque N m", "of"}, 6);
  for (int i = 0; i < s->count; i++) {
    const pk_leg *leg = &s->limbs[i].leg;
    for (int k = 0; k < leg->nhinge; k++) {
      const int u = leg->u[k];
      char angle[32], limits[64], torque[32], effort[32];
      snprintf(angle, sizeof angle, "%.6f", rounded(a->q[leg->q[k]]));
      snprintf(limits, sizeof limits, "%.4g to %.4g", m->dof_lower[u], m->dof_upper[u]);
      snprintf(torque, sizeof torque, "%.3f", rounded(a->tau[u]));
      snprintf(effort, sizeof effort, "%.4g", m->dof_effort[u]);
      pki_table_row(&table,
                    (const char *const[]){k == 0 ? m->links[leg->link].name : "",
                                          m->joints[m->dof_joint[u]].name, angle, limits, torque, effort});
    }
  }
  return pki_solve_print(&table);
}

static bool print_feet(const pki_stance_question *s, const pki_stance_answer *a)
{
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"foot", "x m", "y", "z", "force x N", "y", "z", "friction"},
                  8);
  for (int i = 0; i < s->count; i++) {
    char cell[7][32];
    const double *f = a->force[i];
    for (int k = 0; k < 3; k++) {
      snprintf(cell[k], sizeof cell[k], "%.4f", rounded(s->feet[i].pos[k]));
      snprintf(cell[3 + k], sizeof cell[k], "%.3f", rounded(f[3 + k]));
    }
    snprintf(cell[6], sizeof cell[6], isfinite(friction_of(f)) ? "%.4f" : "it pulls", friction_of(f));
    pki_table_row(&table, (const char *const[]){s->model->links[s->limbs[i].link].name, cell[0], cell[1],
                                                cell[2], cell[3], cell[4], cell[5], cell[6]});
  }
  return pki_solve_print(&table);
}

static bool print_stance(const char *path, const pki_stance_question *s, const pki_stance_answer *a)
{
  const pki_palette c = pki_palette_for(stdout);
  const pk_model *m = s->model;
  printf("%s%s%s  %s%s%s\n  trunk at (%.4g, %.4g, %.4g) m; %d + %d states, with these feet held %d + %d\n",
         c.bold, m->robots[0].name, c.plain, c.dim, path, c.plain, s->trunk.pos[0], s->trunk.pos[1],
         s->trunk.pos[2], m->nq, m->nu, a->nq1, a->nu1);
  bool good = print_joints(s, a) && print_feet(s, a);
  for (int i = 0; i < s->count; i++) {
    if (!a->within[i]) {
      printf("\n  %sthe leg of %s has no way to its place within its joints' limits%s\n", c.yellow,
             m->links[s->limbs[i].link].name, c.plain);
    }
  }
  if (is_balanced(s, a)) {
    printf("\n  %sat rest%s: the shortest forces that carry it, and torques that hold it\n", c.green,
           c.plain);
  } else {
    const double *b = a->unbalanced;
    printf("\n  %snot at rest%s: these feet leave a force of (%.3g, %.3g, %.3g) N and a moment of (%.3g, "
           "%.3g, %.3g) N m "
           "on the trunk;\n  forces are those of the motion that begins, at up to %.3g m/s² or rad/s²\n",
           c.red, c.plain, b[0], b[1], b[2], b[3], b[4], b[5], a->fastest);
  }
  return good;
}

/* ---- one model ---- */

static int solve_stance(const pki_args *args, const pk_model *m)
{
  pki_stance_question s = {.model = m};
  pki_stance_answer a = {0};
  pk_error err = {0};
  if (m->nrobot != 1 || m->robots[0].root != PK_ROOT_FREE) {
    pki_complain("solve", "%s: a stance is of one robot with a free root", args->words[0]);
    return PKI_EXIT_USAGE;
  }
  int code = find_standing(args, m, &s);
  if (code == PKI_EXIT_OK) {
    pki_stance_preset(&s);
    code = read_places(args, &s);
  }
  if (code != PKI_EXIT_OK) {
    return code;
  }
  a.q = calloc((size_t)m->nq + 2 * (size_t)m->nu, sizeof *a.q);
  if (a.q == NULL) {
    pki_complain("solve", "out of memory");
    return PKI_EXIT_FAILURE;
  }
  a.tau = a.q + m->nq, a.a1 = a.tau + m->nu;
  if (pki_stance_solve(&s, &a, &err) != PK_OK) {
    pki_complain_error("solve", &err);
    code = PKI_EXIT_FAILURE;
  } else {
    bool good = args->json ? print_stance_json(args->words[0], &s, &a) : print_stance(args->words[0], &s, &a);
    for (int i = 0; i < s.count; i++) {
      good = good && a.within[i];
    }
    code = good && is_balanced(&s, &a) ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
  }
  free(a.q);
  return code;
}

int pki_solve_stance(const pki_args *args)
{
  static const char *const own[] = {"stance", "trunk", "foot", "feet", "json"};
  if (args->nword != 1) {
    pki_complain("solve", "--stance takes one model (pronk list models shows some)");
    return PKI_EXIT_USAGE;
  }
  for (int i = 0; i < args->ngiven; i++) {
    bool known = false;
    for (int k = 0; k < 5; k++) {
      known = known || strcmp(args->given[i].name, own[k]) == 0;
    }
    if (!known) {
      pki_complain("solve", "--%s is for saved problems; a stance has no use for it", args->given[i].name);
      return PKI_EXIT_USAGE;
    }
  }
  pki_loaded loaded;
  int code = pki_load(args, args->words[0], &loaded);
  if (code == PKI_EXIT_OK) {
    code = solve_stance(args, loaded.model);
  } else if (loaded.error.message[0] != '\0') {
    pki_complain_error("solve", &loaded.error);
  }
  pki_loaded_free(&loaded);
  return code;
}
