/* Mass and inertia: of solids and shells, of bodies from their geoms, and what <compiler> makes of them. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/inertia.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

static const double pi = 3.14159265358979323846;

/* ---- solids and shells ----
 *
 * Each gives its measure, volume or area, and its moments about x, y, z for mass 1, both in its own frame. */

static void sphere(const double s[3], bool shell, double *measure, double unit[3])
{
  const double r = s[0];
  *measure = shell ? 4 * pi * r * r : 4 * pi * r * r * r / 3;
  unit[0] = unit[1] = unit[2] = (shell ? 2.0 / 3 : 2.0 / 5) * r * r;
}

/* A tube or rod of length h between two halves of a sphere. Half a sphere has its centre 3 r / 8 from its flat side,
 * half a shell r / 2. */
static void capsule(const double s[3], bool shell, double *measure, double unit[3])
{
  const double r = s[0], half = s[1], h = 2 * half;
  const double ends = shell ? 4 * pi * r * r : 4 * pi * r * r * r / 3,
               side = shell ? 2 * pi * r * h : pi * r * r * h;
  const double me = ends / (ends + side), ms = 1 - me;
  const double ball = (shell ? 2.0 / 3 : 2.0 / 5) * r * r, centre = shell ? r / 2 : 3 * r / 8;
  *measure = ends + side;
  unit[0] =
      ms * ((shell ? r * r / 2 : r * r / 4) + h * h / 12) + me * (ball + half * half + 2 * half * centre);
  unit[1] = unit[0];
  unit[2] = ms * (shell ? r * r : r * r / 2) + me * ball;
}

static void cylinder(const double s[3], bool shell, double *measure, double unit[3])
{
  const double r = s[0], half = s[1], h = 2 * half;
  const double lids = shell ? 2 * pi * r * r : 0, side = shell ? 2 * pi * r * h : pi * r * r * h;
  const double ml = lids / (lids + side), ms = 1 - ml;
  *measure = lids + side;
  unit[0] = ms * ((shell ? r * r / 2 : r * r / 4) + h * h / 12) + ml * (r * r / 4 + half * half);
  unit[1] = unit[0];
  unit[2] = ms * (shell ? r * r : r * r / 2) + ml * r * r / 2;
}

/* Thomsen's formula for the area, as MuJoCo has it; a thin layer of even thickness for the moments. */
static void ellipsoid(const double s[3], bool shell, double *measure, double unit[3])
{
  const double p = 1.6075, thin = 1e-6;
  const double outer[3] = {s[0] + thin, s[1] + thin, s[2] + thin};
  const double inside = s[0] * s[1] * s[2], all = outer[0] * outer[1] * outer[2];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double solid = (s[j] * s[j] + s[k] * s[k]) / 5;
    const double larger = (outer[j] * outer[j] + outer[k] * outer[k]) / 5;
    unit[i] = shell ? (all * larger - inside * solid) / (all - inside) : solid;
  }
  const double mean = (pow(s[0] * s[1], p) + pow(s[1] * s[2], p) + pow(s[2] * s[0], p)) / 3;
  *measure = shell ? 4 * pi * pow(mean, 1 / p) : 4 * pi * inside / 3;
}

static void box(const double s[3], bool shell, double *measure, double unit[3])
{
  const double area = 8 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]);
  *measure = shell ? area : 8 * s[0] * s[1] * s[2];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    /* two sides across each axis: a plate of half lengths b, c at distance a from the centre has a moment about its
     * own normal of (b^2 + c^2)/3, about the axis along b of c^2/3 + a^2 */
    const double side_i = 8 * s[j] * s[k] / area, side_j = 8 * s[k] * s[i] / area,
                 side_k = 8 * s[i] * s[j] / area;
    const double jj = s[j] * s[j], kk = s[k] * s[k];
    unit[i] =
        shell ? side_i * (jj + kk) / 3 + side_j * (kk / 3 + jj) + side_k * (jj / 3 + kk) : (jj + kk) / 3;
  }
}

/* ---- geoms ---- */

/* Measure, centre and moments for mass 1 in the geom's frame; false when it has no mass or cannot be measured. */
static bool measure_geom(pki_mjcf *m, const pki_mjcf_geom *g, double *measure, double com[3],
                         double moment[6])
{
  static void (*const solids[])(const double[3], bool, double *, double[3]) = {
      [PKI_MJCF_SPHERE] = sphere,     [PKI_MJCF_CAPSULE] = capsule, [PKI_MJCF_ELLIPSOID] = ellipsoid,
      [PKI_MJCF_CYLINDER] = cylinder, [PKI_MJCF_BOX] = box,         [PKI_MJCF_MESH] = NULL};
  if (g->kind == PKI_MJCF_MESH) {
    if (g->mesh == NULL || !pki_mjcf_measure_mesh(m, g->mesh)) {
      return false;
    }
    *measure = g->mesh->volume;
    memcpy(com, g->mesh->com, sizeof g->mesh->com);
    for (int i = 0; i < 6; i++) {
      moment[i] = g->mesh->moment[i] / g->mesh->volume;
    }
    return true;
  }
  if (g->kind > PKI_MJCF_MESH || solids[g->kind] == NULL) {
    return false;
  }
  double unit[3];
  solids[g->kind](g->size, pki_mjcf_flag(m, g->node, "shellinertia", false), measure, unit);
  memset(com, 0, 3 * sizeof *com);
  const double full[6] = {unit[0], 0, 0, unit[1], 0, unit[2]};
  memcpy(moment, full, sizeof full);
  return true;
}

bool pki_mjcf_geom_inertia(pki_mjcf *m, const pki_mjcf_geom *g, pk_inertia *out)
{
  *out = (pk_inertia){.mass = 0};
  double measure, mass = NAN, unit[6];
  const bool given = pki_mjcf_reals(m, g->node, "mass", 1, &mass) > 0;
  const double density = pki_mjcf_real(m, g->node, "density", 1000);
  if (g->bad || (given ? mass == 0 : density == 0)) {
    return false;
  }
  if ((given ? mass : density) < 0) {
    pki_mjcf_error(m, g->node, given ? "mass" : "density", PK_ERROR_MASS, "%s is %g, expected zero or more",
                   given ? "mass" : "density", given ? mass : density);
    return false;
  }
  if (!measure_geom(m, g, &measure, out->com, unit) || (given && !(measure > 1e-14))) {
    return false;
  }
  out->mass = given ? mass : density * measure;
  for (int i = 0; i < 6; i++) {
    out->moment[i] = unit[i] * out->mass;
  }
  return true;
}

/* ---- bodies ---- */

/* The geoms of a body in ten numbers; false when a mesh that counts cannot be had. */
static bool sum_geoms(pki_mjcf *m, int body, double sum[10])
{
  const pki_mjcf_settings *s = m->bodies[body].node->settings;
  memset(sum, 0, 10 * sizeof *sum);
  bool known = true;
  const int first = m->bodies[body].first_geom;
  for (int i = first; i < first + m->bodies[body].ngeom; i++) {
    const pki_mjcf_geom *g = &m->geoms[i];
    if (g->group < s->inertia_group[0] || g->group > s->inertia_group[1]) {
      continue;
    }
    pk_inertia inertia;
    if (pki_mjcf_geom_inertia(m, g, &inertia)) {
      pki_inertia_add(sum, &inertia, &g->pose);
    } else if (g->kind == PKI_MJCF_MESH && g->mesh == NULL) {
      known = false;
    }
  }
  return known;
}

void pki_mjcf_principal(const double moment[6], double lambda[3], double axes[9])
{
  double A[9];
  pki_mat3_from_sym(moment, A);
  pki_mat3_identity(axes);
  /* Jacobi's rotations: each makes one product zero */
  for (int sweep = 0; sweep < 50; sweep++) {
    const double off = fabs(A[1]) + fabs(A[2]) + fabs(A[5]), on = fabs(A[0]) + fabs(A[4]) + fabs(A[8]);
    if (!(off > 1e-18 * on)) {
      break;
    }
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        const double angle = 0.5 * atan2(2 * A[3 * p + q], A[3 * p + p] - A[3 * q + q]);
        double J[9], T[9];
        pki_mat3_identity(J);
        J[3 * p + p] = J[3 * q + q] = cos(angle);
        J[3 * p + q] = -sin(angle);
        J[3 * q + p] = sin(angle);
        pki_mat3_transpose(J, T);
        pki_mat3_mul(T, A, A);
        pki_mat3_mul(A, J, A);
        pki_mat3_mul(axes, J, axes);
      }
    }
  }
  lambda[0] = A[0], lambda[1] = A[4], lambda[2] = A[8];
}

/* <inertial>: about its own frame, or with all six moments in the body's axes. */
static pk_inertia read_inertial(pki_mjcf *m, const pki_mjcf_node *node)
{
  pk_inertia out = {.mass = pki_mjcf_real(m, node, "mass", 0)};
  pki_mjcf_reals(m, node, "pos", 3, out.com);
  double full[6], diagonal[3] = {0, 0, 0}, rot[9];
  const bool has_full = pki_mjcf_reals(m, node, "fullinertia", 6, full) > 0;
  const bool has_diagonal = pki_mjcf_reals(m, node, "diaginertia", 3, diagonal) > 0;
  const bool turned = pki_mjcf_rotation(m, node, rot);
  if (has_full && (has_diagonal || turned)) {
    pki_mjcf_error(m, node, "fullinertia", PK_ERROR_SYNTAX,
                   "fullinertia goes neither with diaginertia nor with %s",
                   "an orientation: its axes are the body's");
  }
  if (has_full) {
    /* MJCF writes xx yy zz xy xz yz */
    const double moment[6] = {full[0], full[3], full[4], full[1], full[5], full[2]};
    memcpy(out.moment, moment, sizeof moment);
    double lambda[3], axes[9];
    pki_mjcf_principal(moment, lambda, axes);
    if (!(fmin(lambda[0], fmin(lambda[1], lambda[2])) >= 1e-14)) {
      pki_mjcf_error(m, node, "fullinertia", PK_ERROR_MASS,
                     "fullinertia has the principal moments %g, %g, %g: all %s", lambda[0], lambda[1],
                     lambda[2], "must be positive");
    }
  } else {
    const double moment[6] = {diagonal[0], 0, 0, diagonal[1], 0, diagonal[2]};
    pki_sym3_rotate(rot, moment, out.moment);
  }
  return out;
}

/* Least mass and moments, and what to do with moments that no body has. */
static void bound_inertia(pki_mjcf *m, const pki_mjcf_node *node, pk_inertia *i)
{
  const pki_mjcf_settings *s = node->settings;
  double lambda[3], axes[9];
  pki_mjcf_principal(i->moment, lambda, axes);
  if (i->mass < 0 ||
      fmin(lambda[0], fmin(lambda[1], lambda[2])) < -1e-12 * fabs(lambda[0] + lambda[1] + lambda[2])) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_MASS, "mass and moments of inertia cannot be negative");
    return;
  }
  i->mass = fmax(i->mass, s->bound_mass);
  bool changed = false;
  for (int k = 0; k < 3; k++) {
    changed |= lambda[k] < s->bound_inertia;
    lambda[k] = fmax(lambda[k], s->bound_inertia);
  }
  const double sum = lambda[0] + lambda[1] + lambda[2];
  const double largest = fmax(lambda[0], fmax(lambda[1], lambda[2]));
  if (2 * largest > sum * (1 + 1e-9)) {
    if (!s->balance) {
      pki_mjcf_error(
          m, node, NULL, PK_ERROR_MASS,
          "the principal moments of inertia are %g, %g, %g: one is above the sum of the others, which no "
          "body has; balanceinertia=\"true\" in <compiler> mends it",
          lambda[0], lambda[1], lambda[2]);
      return;
    }
    lambda[0] = lambda[1] = lambda[2] = sum / 3;
    changed = true;
  }
  if (changed) {
    const double moment[6] = {lambda[0], 0, 0, lambda[1], 0, lambda[2]};
    pki_sym3_rotate(axes, moment, i->moment);
  }
}

void pki_mjcf_read_inertia(pki_mjcf *m, int body, const pki_mjcf_node *inertial, const pk_pose *frame)
{
  pki_mjcf_body *b = &m->bodies[body];
  const pki_mjcf_settings *s = b->node->settings;
  const bool from_geoms = s->from_geoms == PKI_MJCF_INERTIA_ALWAYS ||
                          (inertial == NULL && s->from_geoms == PKI_MJCF_INERTIA_AUTO);
  if (inertial != NULL) {
    double sum[10] = {0};
    const pk_inertia own = read_inertial(m, inertial);
    pki_inertia_add(sum, &own, frame);
    b->inertia = own.mass > 0 ? pki_inertia_central(sum) : own;
  }
  if (from_geoms) {
    double sum[10];
    if (!sum_geoms(m, body, sum) && b->moves && m->nerror == 0) {
      pki_mjcf_error(m, b->node, NULL, PK_ERROR_MASS,
                     "the mass of body \"%s\" comes from a mesh that was not read: give it an <inertial>",
                     pki_urdf_quoted(b->name).text);
    }
    if (sum[0] > 0 || inertial == NULL) {
      b->inertia = pki_inertia_central(sum);
    }
  }
  bound_inertia(m, inertial != NULL ? inertial : b->node, &b->inertia);
}

void pki_mjcf_finish_masses(pki_mjcf *m)
{
  const double wanted = m->root->settings->total_mass;
  double total = 0;
  for (int i = 1; i < m->nbody; i++) {
    total += m->bodies[i].inertia.mass;
  }
  for (int i = 1; i < m->nbody && wanted > 0 && total > 0; i++) {
    pk_inertia *inertia = &m->bodies[i].inertia;
    inertia->mass *= wanted / total;
    for (int k = 0; k < 6; k++) {
      inertia->moment[k] *= wanted / total;
    }
  }
}
