/* Volume, centre and moments of meshes, in the four ways that MJCF knows, and solids that are fitted to them.
 *
 * A mesh is cut into pyramids with a triangle as base. `exact` counts those whose triangle looks away from the tip as
 * positive and the others as negative, which is right for a closed surface. `legacy` counts all as positive: concave and open
 * meshes come out too heavy, and so they do in MuJoCo, where it is the default. `convex` takes the convex hull's
 * triangles, `shell` the triangles themselves, with a mass for each square metre. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

typedef enum mesh_way { WAY_LEGACY, WAY_EXACT, WAY_CONVEX, WAY_SHELL } mesh_way;

static mesh_way way_of(const pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *text = pki_mjcf_text(m, node, "inertia");
  return text == NULL                  ? (node->settings->exact_meshes ? WAY_EXACT : WAY_LEGACY)
         : strcmp(text, "exact") == 0  ? WAY_EXACT
         : strcmp(text, "convex") == 0 ? WAY_CONVEX
         : strcmp(text, "shell") == 0  ? WAY_SHELL
                                       : WAY_LEGACY;
}

/* Corners of a triangle seen from a point, its centre seen from there, its area times its normal. */
static void see_triangle(const pki_mesh *mesh, int i, const double from[3], double corner[3][3],
                         double centre[3], double normal[3])
{
  double a[3], b[3];
  for (int k = 0; k < 3; k++) {
    pki_sub3(mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)i + (size_t)k], from, corner[k]);
  }
  pki_sub3(corner[1], corner[0], a);
  pki_sub3(corner[2], corner[0], b);
  pki_cross3(a, b, normal);
  for (int k = 0; k < 3; k++) {
    normal[k] *= 0.5;
    centre[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3;
  }
}

/* The weight of a triangle: its area, or the volume of its pyramid. */
static double weigh(mesh_way way, const double centre[3], const double normal[3])
{
  const double volume = pki_dot3(centre, normal) / 3;
  return way == WAY_SHELL ? pki_length3(normal) : way == WAY_LEGACY ? fabs(volume) : volume;
}

/* Area and its centre. */
static double face_centre(const pki_mesh *mesh, double out[3])
{
  const double origin[3] = {0, 0, 0};
  double total = 0, sum[3] = {0, 0, 0};
  for (int i = 0; i < mesh->ntriangle; i++) {
    double corner[3][3], centre[3], normal[3];
    see_triangle(mesh, i, origin, corner, centre, normal);
    const double area = pki_length3(normal);
    total += area;
    pki_along3(sum, area, centre, sum);
  }
  for (int k = 0; k < 3; k++) {
    out[k] = total > 0 ? sum[k] / total : 0;
  }
  return total;
}

/* Centre of mass, from the pyramids over `tip`; returns the measure. */
static double mass_centre(const pki_mesh *mesh, mesh_way way, const double tip[3], double out[3])
{
  double total = 0, sum[3] = {0, 0, 0};
  for (int i = 0; i < mesh->ntriangle; i++) {
    double corner[3][3], centre[3], normal[3];
    see_triangle(mesh, i, tip, corner, centre, normal);
    const double weight = weigh(way, centre, normal);
    total += weight;
    pki_along3(sum, 0.75 * weight, centre, sum);
  }
  for (int k = 0; k < 3; k++) {
    out[k] = tip[k] + (total > 0 ? sum[k] / total : 0);
  }
  return total;
}

/* Moments about `centre` for density 1; returns the measure. The second moments of a pyramid with its tip at the origin
 * are V/20 (sum of x_i y_j over all pairs of corners + sum of x_i y_i), those of a triangle A/12 of the same. */
static double moments_about(const pki_mesh *mesh, mesh_way way, const double about[3], double moment[6])
{
  double total = 0, P[3][3] = {{0}};
  for (int i = 0; i < mesh->ntriangle; i++) {
    double corner[3][3], centre[3], normal[3];
    see_triangle(mesh, i, about, corner, centre, normal);
    const double weight = weigh(way, centre, normal), share = weight / (way == WAY_SHELL ? 12 : 20);
    total += weight;
    for (int a = 0; a < 3; a++) {
      for (int b = a; b < 3; b++) {
        double sum = 9 * centre[a] * centre[b];
        for (int k = 0; k < 3; k++) {
          sum += corner[k][a] * corner[k][b];
        }
        P[a][b] += share * sum;
      }
    }
  }
  const double out[6] = {P[1][1] + P[2][2], -P[0][1], -P[0][2],
                         P[0][0] + P[2][2], -P[1][2], P[0][0] + P[1][1]};
  memcpy(moment, out, sizeof out);
  return total;
}

/* Fill in volume, com and moment; what is wrong, NULL: nothing. */
static const char *measure(const pki_mesh *mesh, mesh_way way, pki_mjcf_mesh *out)
{
  double tip[3];
  if (!(face_centre(mesh, tip) >= 1e-15)) {
    return "its surface is too small";
  }
  const double measured = mass_centre(mesh, way, tip, out->com);
  if (!(measured >= 1e-15)) {
    return measured < 0 ? "its volume is negative: its triangles are turned inside out"
                        : "its volume is too small; inertia=\"shell\" counts its surface";
  }
  out->volume = moments_about(mesh, way, out->com, out->moment);
  double lambda[3], axes[9];
  pki_mjcf_principal(out->moment, lambda, axes);
  const double sum = lambda[0] + lambda[1] + lambda[2], largest = fmax(lambda[0], fmax(lambda[1], lambda[2]));
  return 2 * largest > sum * (1 + 1e-6) + 1e-9 ? "its moments of inertia are those of no body" : NULL;
}

bool pki_mjcf_measure_mesh(pki_mjcf *m, pki_mjcf_mesh *mesh)
{
  if (mesh->measured) {
    return mesh->volume > 0;
  }
  mesh->measured = true;
  const mesh_way way = way_of(m, mesh->node);
  pki_mesh hull = {0};
  const pki_mesh *surface = &mesh->data;
  if (way == WAY_CONVEX) {
    hull = (pki_mesh){.nvertex = mesh->data.nvertex, .vertex = mesh->data.vertex};
    if (!pki_mjcf_hull(m, mesh->node, &hull)) {
      mesh->volume = 0;
      return false;
    }
    surface = &hull;
  }
  const char *trouble = measure(surface, way, mesh);
  if (way == WAY_CONVEX) {
    hull.vertex = NULL;
    pki_mesh_free(&hull);
  }
  if (trouble != NULL) {
    pki_mjcf_error(m, mesh->node, NULL, PK_ERROR_MASS, "mesh \"%s\" gives no mass: %s",
                   pki_urdf_quoted(mesh->name).text, trouble);
    mesh->volume = 0;
    return false;
  }
  return true;
}

/* ---- solids fitted to a mesh ---- */

/* The box with the same mass and moments: half lengths from the smallest to the largest, its axes. */
static void inertia_box(const pki_mjcf_mesh *mesh, double half[3], double axes[9])
{
  double lambda[3], columns[9];
  pki_mjcf_principal(mesh->moment, lambda, columns);
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2 - i; k++) {
      if (lambda[order[k]] < lambda[order[k + 1]]) {
        const int swap = order[k];
        order[k] = order[k + 1];
        order[k + 1] = swap;
      }
    }
  }
  const double sum = lambda[0] + lambda[1] + lambda[2];
  for (int k = 0; k < 3; k++) {
    half[k] = 0.5 * sqrt(fmax(0, 6 * (sum - 2 * lambda[order[k]]) / mesh->volume));
    for (int row = 0; row < 3; row++) {
      axes[3 * row + k] = columns[3 * row + order[k]];
    }
  }
  const double x[3] = {axes[0], axes[3], axes[6]}, y[3] = {axes[1], axes[4], axes[7]};
  double z[3];
  pki_cross3(x, y, z);
  axes[2] = z[0], axes[5] = z[1], axes[8] = z[2];
}

bool pki_mjcf_fit_mesh(pki_mjcf *m, pki_mjcf_geom *g)
{
  if (g->node->settings->fit_aabb) {
    pki_mjcf_error(
        m, g->node, "mesh", PK_ERROR_UNSUPPORTED,
        "solids are not fitted to the bounding box of a mesh (fitaabb): only to its moments of inertia");
    return false;
  }
  if (!pki_mjcf_measure_mesh(m, g->mesh)) {
    return false;
  }
  double half[3], axes[9];
  inertia_box(g->mesh, half, axes);
  const double radius = (half[0] + half[1]) / 2;
  switch (g->kind) {
  case PKI_MJCF_SPHERE: g->size[0] = (half[0] + half[1] + half[2]) / 3; break;
  case PKI_MJCF_CAPSULE: g->size[0] = radius, g->size[1] = fmax(0, half[2] - radius / 2); break;
  case PKI_MJCF_CYLINDER: g->size[0] = radius, g->size[1] = half[2]; break;
  case PKI_MJCF_BOX:
  case PKI_MJCF_ELLIPSOID: memcpy(g->size, half, sizeof half); break;
  default:
    pki_mjcf_error(m, g->node, "mesh", PK_ERROR_MODEL, "no geom of this type can be fitted to a mesh");
    return false;
  }
  const double scale = pki_mjcf_real(m, g->node, "fitscale", 1);
  for (int k = 0; k < 3; k++) {
    g->size[k] *= scale;
  }
  pk_pose fitted = {.pos = {0, 0, 0}};
  memcpy(fitted.pos, g->mesh->com, sizeof fitted.pos);
  memcpy(fitted.rot, axes, sizeof axes);
  g->pose = pki_pose_mul(&g->pose, &fitted);
  g->mesh = NULL;
  return true;
}
