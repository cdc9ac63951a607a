/* pronk info --legs: hips, feet, reach and masses of a robot's limbs, and which of them have a closed form. */
#include <math.h>
#include <stdio.h>

#include "cli/cmd_info.h"
#include "cli/find_legs.h"
#include "cli/print_json.h"
#include "cli/terminal.h"
#include "dynamics/leg.h"
#include "report/table.h"

static const char *kind_of(const pki_robot_leg *limb)
{
  return !limb->closed                        ? "none"
         : limb->leg.kind == PK_LEG_POSE      ? "pose"
         : pki_leg_bends_in_plane(&limb->leg) ? "point, plane"
                                              : "point, hip";
}

static const char *hinge_name(const pk_model *m, const pk_leg *leg, int k)
{
  const int joint = m->dof_joint[leg->u[k]];
  return joint >= 0 ? m->joints[joint].name : "";
}

/* ---- JSON ---- */

static void add_hinges(cJSON *object, const pk_model *m, const pk_leg *leg)
{
  cJSON *list = cJSON_AddArrayToObject(object, "hinges");
  for (int k = 0; k < leg->nhinge; k++) {
    cJSON *hinge = cJSON_CreateObject();
    cJSON_AddStringToObject(hinge, "joint", hinge_name(m, leg, k));
    cJSON_AddBoolToObject(hinge, "solved", k < leg->nsolve);
    pki_json_array(hinge, "axis", leg->axis[k], 3);
    pki_json_array(hinge, "at", leg->at[k], 3);
    cJSON_AddItemToArray(list, hinge);
  }
}

static cJSON *limb_json(const pk_model *m, const pki_robot_leg *limb)
{
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "foot", m->links[limb->link].name);
  cJSON_AddStringToObject(o, "form", kind_of(limb));
  cJSON_AddNumberToObject(o, "joints", limb->hinges);
  pki_json_number(o, "mass", limb->mass);
  pki_json_number(o, "foot_radius", limb->radius);
  if (!limb->closed) {
    cJSON_AddStringToObject(o, "why", limb->why.message);
    return o;
  }
  const pk_leg *leg = &limb->leg;
  double hip[3];
  pki_leg_hip(leg, hip);
  cJSON_AddNumberToObject(o, "ways", leg->nbranch);
  pki_json_array(o, "hip", hip, 3);
  pki_json_array(o, "point", leg->point, 3);
  pki_json_array(o, "foot_at_zero", leg->foot.pos, 3);
  pki_json_number(o, "thigh", limb->reach.thigh);
  pki_json_number(o, "shank", limb->reach.shank);
  pki_json_array(o, "reach", limb->reach.full, 2);
  pki_json_array(o, "reach_within_limits", limb->reach.limited, 2);
  add_hinges(o, m, leg);
  return o;
}

static bool print_legs_json(const pki_info *info, const pki_robot_leg *limbs, int count)
{
  const pk_model *m = info->model;
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "model", m->robots[0].name);
  cJSON_AddStringToObject(o, "file", info->path);
  cJSON_AddStringToObject(o, "trunk", m->links[m->robots[0].root_link].name);
  cJSON *list = cJSON_AddArrayToObject(o, "legs");
  for (int i = 0; i < count; i++) {
    cJSON_AddItemToArray(list, limb_json(m, &limbs[i]));
  }
  return pki_json_print(o, true, "info");
}

/* ---- text ---- */

enum { FOOT, FORM, WAYS, HINGES, HIP, ZERO, LENGTHS, REACH, LIMITED, MASS, COLUMNS, CELL = 512 };

static void write_point(const double p[3], char out[CELL])
{
  double x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = fabs(p[k]) < 5e-13 ? 0 : p[k];
  }
  snprintf(out, CELL, "(%.4g %.4g %.4g)", x[0], x[1], x[2]);
}

static void write_hinges(const pk_model *m, const pk_leg *leg, char out[CELL])
{
  int used = 0;
  out[0] = '\0';
  for (int k = 0; k < leg->nhinge && used < CELL; k++) {
    used += snprintf(out + used, (size_t)(CELL - used), "%s%s%s", k > 0 ? " " : "", hinge_name(m, leg, k),
                     k < leg->nsolve ? "" : " (kept)");
  }
}

static void add_limb(pki_table *table, const pk_model *m, const pki_robot_leg *limb)
{
  char text[COLUMNS][CELL] = {""};
  const char *cells[COLUMNS];
  snprintf(text[FOOT], CELL, "%s", m->links[limb->link].name);
  snprintf(text[FORM], CELL, "%s", kind_of(limb));
  snprintf(text[MASS], CELL, "%.4f", limb->mass);
  if (limb->closed) {
    const pk_leg *leg = &limb->leg;
    const pki_leg_reach *r = &limb->reach;
    double hip[3];
    pki_leg_hip(leg, hip);
    snprintf(text[WAYS], CELL, "%d", leg->nbranch);
    write_hinges(m, leg, text[HINGES]);
    write_point(hip, text[HIP]);
    write_point(leg->foot.pos, text[ZERO]);
    snprintf(text[LENGTHS], CELL, "%.4g + %.4g", r->thigh, r->shank);
    snprintf(text[REACH], CELL, "%.4g to %.4g", r->full[0], r->full[1]);
    snprintf(text[LIMITED], CELL, "%.4g to %.4g", r->limited[0], r->limited[1]);
  }
  for (int i = 0; i < COLUMNS; i++) {
    cells[i] = text[i];
  }
  pki_table_row(table, cells);
}

static bool print_legs_text(const pki_info *info, const pki_robot_leg *limbs, int count)
{
  static const char *const heads[COLUMNS] = {
      "foot",           "closed form",     "ways",    "hinges",          "hip m",
      "foot at zero m", "thigh + shank m", "reach m", "within limits m", "mass kg"};
  const pk_model *m = info->model;
  const pki_palette p = pki_palette_for(stdout);
  pki_text text = {0};
  pki_table table;
  pki_table_begin(&table, heads, COLUMNS);
  for (int i = 0; i < count; i++) {
    add_limb(&table, m, &limbs[i]);
  }
  pki_table_text(&table, "  ", true, &text);
  const bool good = !table.failed && !text.failed;
  printf("%s%s%s  %s%s%s\n\n  in the frame of the trunk \"%s\", all hinges at zero\n\n", p.bold,
         m->robots[0].name, p.plain, p.dim, info->path, p.plain, m->links[m->robots[0].root_link].name);
  if (good) {
    fputs(text.data, stdout);
  } else {
    pki_complain("info", "out of memory");
  }
  for (int i = 0; i < count && good; i++) {
    if (!limbs[i].closed) {
      printf("  %s has no closed form: %s\n", m->links[limbs[i].link].name, limbs[i].why.message);
    }
  }
  pki_table_free(&table);
  pki_text_free(&text);
  return good;
}

int pki_info_print_legs(const pki_info *info, bool json)
{
  pki_robot_leg limbs[PKI_LIMBS];
  if (info->model->nrobot == 0) {
    pki_complain("info", "%s has no robot, and so no legs", info->path);
    return PKI_EXIT_USAGE;
  }
  const int found = pki_legs_of_robot(info->model, 0, limbs), count = found < PKI_LIMBS ? found : PKI_LIMBS;
  const bool good = json ? print_legs_json(info, limbs, count) : print_legs_text(info, limbs, count);
  if (found > count) {
    pki_complain("info", "%d of %d limbs are shown", count, found);
  }
  return good ? PKI_EXIT_OK : PKI_EXIT_FAILURE;
}
