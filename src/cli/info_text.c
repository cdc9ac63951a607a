/* The model as a person reads it: totals, the tree with joints and limits, inertias. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_info.h"
#include "cli/exclusions.h"
#include "cli/terminal.h"
#include "model/joint_type.h"
#include "report/table.h"

enum { CELL = 256 };

/* "-0", "1e-17" and their like are zero to a reader. */
static double zero_if_tiny(double v)
{
  return fabs(v) < 5e-13 ? 0 : v;
}

/* --- totals ---------------------------------------------------------------------------- */

static void print_totals(const pki_info *info)
{
  const pk_model *m = info->model;
  const pki_palette p = pki_palette_for(stdout);
  for (int i = 0; i < m->nrobot; i++) {
    printf("%s%s%s  %s%s%s\n", p.bold, m->robots[i].name, p.plain, p.dim,
           m->robots[i].file[0] ? m->robots[i].file : info->path, p.plain);
  }
  printf("\n  mass                %.6g kg\n", m->mass);
  printf("  degrees of freedom  %d  (nq %d, nu %d)\n", m->nu, m->nq, m->nu);
  printf("  bodies              %d  from %d links: %d fixed, %d without mass\n", m->nbody, m->nlink,
         info->fixed_links, info->massless_links);
  printf("  moving joints       %d\n", m->njoint);
  for (int i = 0; i < m->nrobot; i++) {
    const pk_model_robot *r = &m->robots[i];
    printf("  root                %s: %s\n", pk_root_kind_name(r->root), pk_root_reason_text(r->root_reason));
  }
  printf("  shapes              %d to collide with, %d to look at", info->collision_shapes,
         info->visual_shapes);
  if (m->nmesh > 0) {
    printf("; %d meshes of %ld triangles", m->nmesh, info->triangles);
  }
  printf("\n");
  pki_exclusions left_out = pki_exclusions_find(m);
  pki_exclusions_print_total(&left_out);
  pki_exclusions_free(&left_out);
  printf("  gravity             (%g, %g, %g) m/s²\n", m->gravity[0], m->gravity[1], m->gravity[2]);
  printf("\n  at the initial pose:\n");
  printf("  centre of mass      (%.4f, %.4f, %.4f) m\n", zero_if_tiny(info->com[0]),
         zero_if_tiny(info->com[1]), zero_if_tiny(info->com[2]));
  if (info->has_extent) {
    const double *a = info->least, *b = info->most;
    printf("  size                %.3f × %.3f × %.3f m, from z = %.3f to %.3f m\n", b[0] - a[0], b[1] - a[1],
           b[2] - a[2], zero_if_tiny(a[2]), zero_if_tiny(b[2]));
  }
  if (info->warnings > 0) {
    printf("\n  %s%d warning%s%s: pronk check %s\n", p.yellow, info->warnings, info->warnings == 1 ? "" : "s",
           p.plain, info->path);
  }
}

/* --- tree ------------------------------------------------------------------------------ */

enum { JOINT, KIND, AXIS, RANGE, EFFORT, SPEED, DAMPING, FRICTION, ARMATURE, MASS, LINK, COLUMNS };

static const char *const heads[COLUMNS] = {"joint",   "kind",     "axis",     "range",   "effort", "speed",
                                           "damping", "friction", "armature", "mass kg", "link"};

typedef struct tree_row {
  char cell[COLUMNS][CELL];
} tree_row;

static void write_axis(const double a[3], char *out)
{
  static const char *const names[3] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) {
    if (fabs(fabs(a[i]) - 1) < 1e-9) {
      snprintf(out, CELL, "%s%s", a[i] < 0 ? "-" : "", names[i]);
      return;
    }
  }
  snprintf(out, CELL, "(%.3g %.3g %.3g)", zero_if_tiny(a[0]), zero_if_tiny(a[1]), zero_if_tiny(a[2]));
}

static void write_bound(double value, const char *unit, char *out)
{
  if (isfinite(value)) {
    snprintf(out, CELL, "%.4g %s", value, unit);
  }
}

static void write_joint(const pk_model *m, const pk_model_joint *j, tree_row *row)
{
  const bool angle = !pki_joint_is_length(j->kind, 0);
  snprintf(row->cell[KIND], CELL, "%s", pk_joint_kind_name(j->kind));
  if (pki_joint_has_axis(j->kind)) {
    write_axis(j->axis, row->cell[AXIS]);
  }
  if (j->leader >= 0) {
    snprintf(row->cell[RANGE], CELL, "= %g × %s %+g", j->multiplier, m->joints[j->leader].name, j->offset);
  } else if (isfinite(j->lower) || isfinite(j->upper)) {
    char lower[32] = "-∞", upper[32] = "∞";
    if (isfinite(j->lower)) {
      snprintf(lower, sizeof lower, "%.4g", j->lower);
    }
    if (isfinite(j->upper)) {
      snprintf(upper, sizeof upper, "%.4g", j->upper);
    }
    snprintf(row->cell[RANGE], CELL, "%s … %s %s", lower, upper, angle ? "rad" : "m");
  }
  if (j->nu == 1) {
    write_bound(j->effort, angle ? "N m" : "N", row->cell[EFFORT]);
    write_bound(j->velocity, angle ? "rad/s" : "m/s", row->cell[SPEED]);
    write_bound(j->damping != 0 ? j->damping : INFINITY, angle ? "N m s" : "N s/m", row->cell[DAMPING]);
    write_bound(j->friction != 0 ? j->friction : INFINITY, angle ? "N m" : "N", row->cell[FRICTION]);
    write_bound(j->armature != 0 ? j->armature : INFINITY, angle ? "kg m²" : "kg", row->cell[ARMATURE]);
  }
}

static void write_body(const pki_info *info, int body, const char *prefix, tree_row *row)
{
  const pk_model *m = info->model;
  memset(row, 0, sizeof *row);
  const int joint = info->joint[body], link = m->body_link[body];
  if (joint >= 0) {
    snprintf(row->cell[JOINT], CELL, "%s%s", prefix, m->joints[joint].name);
    write_joint(m, &m->joints[joint], row);
  } else {
    const pk_model_robot *r = &m->robots[m->links[link].robot];
    snprintf(row->cell[JOINT], CELL, "%s(root)", prefix);
    snprintf(row->cell[KIND], CELL, "%s root", pk_root_kind_name(r->root));
  }
  snprintf(row->cell[MASS], CELL, "%.4f", m->body_inertia[10 * (size_t)body]);
  char more[32] = "";
  if (info->merged[body] > 0) {
    snprintf(more, sizeof more, " (+%d fixed)", info->merged[body]);
  }
  snprintf(row->cell[LINK], CELL, "%s%s", m->links[link].name, more);
}

/* Bodies come in the order of the tree: a body, then all that hangs on it. */
typedef struct tree {
  const pki_info *info;
  int *depth; /* of each body below its robot's root line */
  bool *last; /* it is the last one that hangs on its parent */
} tree;

static bool has_fixed_root(const pk_model *m, int robot)
{
  return m->links[m->robots[robot].root_link].body < 0;
}

static bool build_tree(const pki_info *info, tree *t)
{
  const pk_model *m = info->model;
  const size_t n = (size_t)m->nbody + 1;
  *t = (tree){.info = info, .depth = malloc(n * sizeof *t->depth), .last = malloc(n * sizeof *t->last)};
  int *seen = malloc(
      n * sizeof *seen); /* the robot whose last child of this parent has been seen; slot 0: the world */
  if (t->depth == NULL || t->last == NULL || seen == NULL) {
    free(seen);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    seen[i] = -1;
  }
  for (int b = m->nbody - 1; b >= 0; b--) {
    const int robot = m->body_link[b] >= 0 ? m->links[m->body_link[b]].robot : -1;
    if (robot >= 0) {
      t->last[b] = seen[info->parent[b] + 1] != robot;
      seen[info->parent[b] + 1] = robot;
    }
  }
  for (int b = 0; b < m->nbody; b++) {
    const int parent = info->parent[b];
    const bool on_root = m->body_link[b] >= 0 && has_fixed_root(m, m->links[m->body_link[b]].robot);
    t->depth[b] = parent >= 0 ? t->depth[parent] + 1 : on_root;
  }
  free(seen);
  return true;
}

/* The lines that join a body to its parent. Beyond DEPTH_MAX levels a tree indents no more.
 * path: for each level down to this body, whether the body there is the last of its kind. */
enum { DEPTH_MAX = 16 };

static void write_prefix(const bool path[DEPTH_MAX], int depth, char out[CELL])
{
  const int drawn = depth < DEPTH_MAX ? depth : DEPTH_MAX;
  out[0] = '\0';
  for (int d = 0; d < drawn; d++) {
    const char *part = d + 1 < drawn ? path[d] ? "   " : "│  " : path[d] ? "└─ " : "├─ ";
    strcat(out, part); /* 16 parts of at most 8 bytes */
  }
}

/* All rows, each to `use`. */
static void walk_tree(const tree *t, void (*use)(void *user, const tree_row *row), void *user)
{
  const pk_model *m = t->info->model;
  tree_row row;
  bool path[DEPTH_MAX] = {false};
  for (int r = 0; r < m->nrobot; r++) {
    if (has_fixed_root(m, r)) {
      memset(&row, 0, sizeof row);
      snprintf(row.cell[JOINT], CELL, "(root)");
      snprintf(row.cell[KIND], CELL, "fixed root");
      snprintf(row.cell[LINK], CELL, "%s", m->links[m->robots[r].root_link].name);
      use(user, &row);
    }
    for (int b = m->robots[r].body; b < m->robots[r].body + m->robots[r].nbody; b++) {
      if (m->body_link[b] >= 0) {
        /* Bodies come in the order of the tree, so the levels above still stand in the path. */
        if (t->depth[b] > 0) {
          path[t->depth[b] < DEPTH_MAX ? t->depth[b] - 1 : DEPTH_MAX - 1] = t->last[b];
        }
        char prefix[CELL];
        write_prefix(path, t->depth[b], prefix);
        write_body(t->info, b, prefix, &row);
        use(user, &row);
      }
    }
  }
}

/* Columns without a word are left out. */
typedef struct columns {
  bool any[COLUMNS];
  pki_table table;
} columns;

static void notice_columns(void *user, const tree_row *row)
{
  columns *c = user;
  for (int i = 0; i < COLUMNS; i++) {
    c->any[i] = c->any[i] || row->cell[i][0] != '\0';
  }
}

static void add_row(void *user, const tree_row *row)
{
  columns *c = user;
  const char *cells[COLUMNS];
  int count = 0;
  for (int i = 0; i < COLUMNS; i++) {
    if (c->any[i]) {
      cells[count++] = row->cell[i];
    }
  }
  pki_table_row(&c->table, cells);
}

static void print_table(const pki_table *table, pki_text *out)
{
  pki_text_add(out, "\n");
  pki_table_text(table, "  ", true, out);
}

static bool add_tree(const pki_info *info, pki_text *out)
{
  tree t;
  columns c = {.any = {false}};
  const bool good = build_tree(info, &t);
  if (good) {
    walk_tree(&t, notice_columns, &c);
    const char *cells[COLUMNS];
    int count = 0;
    for (int i = 0; i < COLUMNS; i++) {
      if (c.any[i]) {
        cells[count++] = heads[i];
      }
    }
    pki_table_begin(&c.table, cells, count);
    walk_tree(&t, add_row, &c);
    print_table(&c.table, out);
    pki_table_free(&c.table);
  }
  free(t.depth);
  free(t.last);
  return good;
}

/* --- inertias -------------------------------------------------------------------------- */

static void add_inertias(const pki_info *info, pki_text *out)
{
  enum { N = 11 };
  static const char *const names[N] = {"body", "mass", "com x", "y",   "z",  "Ixx",
                                       "Ixy",  "Ixz",  "Iyy",   "Iyz", "Izz"};
  const pk_model *m = info->model;
  pki_table table;
  pki_table_begin(&table, names, N);
  for (int b = 0; b < m->nbody; b++) {
    if (m->body_link[b] < 0) {
      continue;
    }
    const pk_inertia I = pki_info_inertia(m, b);
    char text[N][32];
    const char *cells[N] = {m->links[m->body_link[b]].name};
    snprintf(text[1], sizeof text[1], "%.4f", I.mass);
    for (int i = 0; i < 3; i++) {
      snprintf(text[2 + i], sizeof text[0], "%.4f", zero_if_tiny(I.com[i]));
    }
    for (int i = 0; i < 6; i++) {
      snprintf(text[5 + i], sizeof text[0], "%.4g", zero_if_tiny(I.moment[i]));
    }
    for (int i = 1; i < N; i++) {
      cells[i] = text[i];
    }
    pki_table_row(&table, cells);
  }
  pki_text_add(out, "\n  Inertias (kg, m, kg m²): fixed links included, moments about the centre of mass, "
                    "frame of the link\n");
  print_table(&table, out);
  pki_table_free(&table);
}

bool pki_info_print_text(const pki_info *info)
{
  pki_text text = {0};
  print_totals(info);
  const bool good = add_tree(info, &text);
  add_inertias(info, &text);
  if (!good || text.failed) {
    pki_complain("info", "out of memory");
  } else {
    fputs(text.data, stdout);
  }
  const bool printed = good && !text.failed;
  pki_text_free(&text);
  return printed;
}
