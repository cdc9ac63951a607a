/* Patches: memory, which pairs are there, and finding elements. */
#include "contact/compliant/patch.h"

#include <math.h>
#include <string.h>

#include "contact/compliant/patch_faces.h"
#include "contact/compliant/press_kernels.h"
#include "math/mat3.h"
#include "model/pose.h"

/* ---- memory ---- */

static int round_up(int n)
{
  return (n + PKI_PRESS_LANES - 1) / PKI_PRESS_LANES * PKI_PRESS_LANES;
}

static bool is_mesh(const pk_geometry *g)
{
  return g->kind == PK_SHAPE_MESH;
}

const pki_trimesh *pki_patch_faces(const pk_geometry *geometry)
{
  return is_mesh(geometry) ? geometry->mesh : geometry->facets;
}

void pki_patch_carriers(const pk_geometry *a, const pk_geometry *b, const pki_trimesh *out[2])
{
  out[0] = is_mesh(a) ? a->mesh : NULL, out[1] = is_mesh(b) ? b->mesh : NULL;
  if (out[0] == NULL && out[1] == NULL) {
    const bool first = a->facets != NULL && (b->facets == NULL || a->bound <= b->bound);
    out[first ? 0 : 1] = first ? a->facets : b->facets;
  }
}

int pki_patch_room(const pk_geometry *a, const pk_geometry *b)
{
  const pki_trimesh *faces[2];
  pki_patch_carriers(a, b, faces);
  const int n = (faces[0] != NULL ? faces[0]->ntriangle : 0) + (faces[1] != NULL ? faces[1]->ntriangle : 0);
  return round_up(n > 0 ? n : 1);
}

void pki_patch_carve(pki_patch *p, int room, pki_arena *arena)
{
  const size_t n = (size_t)round_up(room);
  *p = (pki_patch){.room = (int)n, .threads = 1, .kernels = pki_press_kernels_get()};
  for (int k = 0; k < 3; k++) {
    p->arm[k] = pki_arena_take(arena, n, sizeof(double));
    p->normal[k] = pki_arena_take(arena, n, sizeof(double));
  }
  p->depth = pki_arena_take(arena, n, sizeof(double));
  p->stiffness = pki_arena_take(arena, n, sizeof(double));
  p->area = pki_arena_take(arena, n, sizeof(double));
  p->load = pki_arena_take(arena, n, sizeof(double));
  p->face = pki_arena_take(arena, n, sizeof(int));
  p->side = pki_arena_take(arena, n, sizeof(unsigned char));
}

/* What finding the faces of two meshes needs. */
typedef struct scratch_parts {
  unsigned char *marks[2];
  int *queue;
} scratch_parts;

static scratch_parts carve_scratch(const pki_trimesh *const faces[2], pki_arena *arena)
{
  scratch_parts out;
  const int na = faces[0]->ntriangle, nb = faces[1]->ntriangle;
  out.marks[0] = pki_arena_take(arena, (size_t)na, 1);
  out.marks[1] = pki_arena_take(arena, (size_t)nb, 1);
  out.queue = pki_arena_take(arena, (size_t)(na > nb ? na : nb), sizeof(int));
  return out;
}

size_t pki_patch_scratch(const pk_geometry *a, const pk_geometry *b)
{
  pki_arena counting = pki_arena_over(NULL, 0);
  const pki_trimesh *faces[2];
  pki_patch_carriers(a, b, faces);
  if (faces[0] != NULL && faces[1] != NULL) {
    (void)carve_scratch(faces, &counting);
  }
  return counting.used;
}

/* ---- which pairs there are ---- */

static const char *kind_of(const pki_soft_side *side)
{
  return pk_shape_kind_name(side->geometry->kind);
}

static pk_status check_pair(const pki_soft_side *a, const pki_soft_side *b, pk_error *err)
{
  if (a->surface == NULL && b->surface == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "surface"},
                    "both surfaces are rigid, expected a compliant one");
  }
  if (a->surface == NULL || b->surface == NULL) {
    return PK_OK;
  }
  if (a->surface->law != b->surface->law) {
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "law"},
        "a surface with the law %s meets one with the law %s, expected the same law on both, or a "
        "pair with a compliance of its own (pairs: compliance)",
        pki_compliance_laws[a->surface->law]->name, pki_compliance_laws[b->surface->law]->name);
  }
  if (a->surface->friction != b->surface->friction) {
    const pk_field *field = pki_fields_find(pki_compliance_fields, pki_compliance_field_count, "friction");
    return pki_fail(
        err, PK_ERROR_ARGUMENT, (pki_where){.field = "friction"},
        "a surface with the friction %s meets one with the friction %s, expected the same on both, or a pair "
        "with a compliance of its own (pairs: compliance)",
        pki_field_word(field, (int)a->surface->friction), pki_field_word(field, (int)b->surface->friction));
  }
  return PK_OK;
}

/* Springs need faces, and something with an inside that they can lie in. */
static pk_status check_faces(const pki_soft_side *a, const pki_soft_side *b, const char *law, pk_error *err)
{
  const pki_trimesh *faces[2];
  pki_patch_carriers(a->geometry, b->geometry, faces);
  if (faces[0] == NULL && faces[1] == NULL) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "law"},
                    "the law %s needs faces, and neither the %s nor the %s has some: make one of them a mesh",
                    law, kind_of(a), kind_of(b));
  }
  const pki_soft_side *const sides[2] = {a, b};
  for (int i = 0; faces[0] != NULL && faces[1] != NULL && i < 2; i++) {
    if (!faces[i]->closed) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "law"},
                      "the %s mesh of a pair of meshes does not enclose a volume, as the law %s expects",
                      sides[i] == a ? "first" : "second", law);
    }
  }
  return PK_OK;
}

pk_status pki_patch_supports(const pki_soft_side *a, const pki_soft_side *b, pk_error *err)
{
  pk_status status = check_pair(a, b, err);
  if (status != PK_OK) {
    return status;
  }
  const pki_compliance_law_row *law = pki_compliance_law_of(a, b);
  if (law->supports != NULL) {
    status = law->supports(a, b, err);
  }
  if (status == PK_OK && law->find == NULL) {
    status = check_faces(a, b, law->name, err);
  }
  return status;
}

bool pki_patch_has_faces(const pk_compliance *surface)
{
  return pki_compliance_laws[surface->law]->find == NULL;
}

/* Curves that fall with the slip begin at the static coefficient, the convex one rises to the dynamic one. */
static double largest_friction(const pki_patch_law *law)
{
  return law->friction == PK_COMPLIANCE_FRICTION_CONVEX ? law->mu_dynamic : law->mu_static;
}

double pki_patch_friction(const pki_soft_side *a, const pki_soft_side *b)
{
  const pki_compliance_law_row *law = pki_compliance_law_of(a, b);
  const pki_trimesh *faces[2] = {NULL, NULL};
  pki_patch_law of[2];
  law->rub(a, b, of);
  if (law->find == NULL) {
    pki_patch_carriers(a->geometry, b->geometry, faces);
  }
  const double first = largest_friction(&of[0]), second = largest_friction(&of[1]);
  return faces[1] == NULL ? first : faces[0] == NULL ? second : fmax(first, second);
}

/* ---- finding ---- */

/* Candidates that overlap, or those that are near, into out; their area in all. */
static int list_candidates(const pki_trimesh *t, const unsigned char *marks, bool near, int *out,
                           double *area)
{
  int count = 0;
  *area = 0;
  for (int i = 0; i < t->ntriangle; i++) {
    if (near ? marks[i] == PKI_FACE_NEAR : marks[i] == PKI_FACE_INSIDE || marks[i] == PKI_FACE_CUT) {
      out[count++] = i;
      *area += t->area[i];
    }
  }
  return count;
}

static void scale_areas(pki_patch *p, int first, int count, double factor)
{
  for (int i = first; i < first + count; i++) {
    p->area[i] *= factor;
  }
}

/* Faces of two meshes, each in the other. Areas that are shared are those of faces that overlap; where none does yet, of those
 * that are near. */
static int find_in_meshes(pki_face_job job[2], const pki_foundation *f, const scratch_parts *scratch,
                          pki_patch *p)
{
  const bool cut = pki_faces_overlap(job[0].mesh, job[1].mesh, &job[1].place, p->margin, scratch->marks[0],
                                     scratch->marks[1], scratch->queue);
  if (!cut && !(p->margin > 0)) {
    return 0;
  }
  int n = 0, stays[2] = {0, 0};
  double area[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    for (int near = cut ? 0 : 1; near < (p->margin > 0 ? 2 : 1); near++) {
      double sum;
      const int count = list_candidates(job[i].mesh, scratch->marks[i], near == 1, p->face + n, &sum);
      area[i] = near == 0 || !cut ? sum : area[i];
      job[i].open = near == 1;
      const int more = pki_faces_measure(&job[i], p, n, count);
      n += more, stays[i] += more;
    }
    p->first_of_second = i == 0 ? n : p->first_of_second;
  }
  for (int i = 0; i < 2; i++) {
    const double even = 0.25 * (area[0] + area[1]) / area[i];
    scale_areas(p, i == 0 ? 0 : stays[0], stays[i], f->evens_areas ? even : f->area_part[i]);
  }
  return n;
}

static int find_faces(const pki_compliance_law_row *law, const pki_soft_side *a, const pki_soft_side *b,
                      void *scratch, pki_patch *p)
{
  const pki_trimesh *faces[2];
  pki_foundation f;
  pki_patch_carriers(a->geometry, b->geometry, faces);
  law->blend(a, b, &f);
  const bool both = faces[0] != NULL && faces[1] != NULL;
  const pki_soft_side *const side[2] = {a, b};
  pki_face_job job[2];
  for (int i = 0; i < 2; i++) {
    const pki_soft_side *me = side[i], *other = side[1 - i];
    const pk_pose back = pki_pose_invert(&other->pose);
    job[i] = (pki_face_job){.mesh = faces[i],
                            .other = other->geometry,
                            .surface = both ? faces[1 - i] : NULL,
                            .place = pki_pose_mul(&back, &me->pose),
                            .pose = &other->pose,
                            .stiffness = f.stiffness[i],
                            .share = f.share[i],
                            .side = i};
  }
  int n;
  if (both) {
    pki_arena arena = pki_arena_over(scratch, pki_patch_scratch(a->geometry, b->geometry));
    const scratch_parts parts = carve_scratch(faces, &arena);
    n = find_in_meshes(job, &f, &parts, p);
  } else {
    const int i = faces[0] != NULL ? 0 : 1;
    n = pki_faces_measure(&job[i], p, 0, pki_faces_near(&job[i], p->margin, p->face));
    p->first_of_second = i == 0 ? n : 0;
  }
  for (int i = 0; i < n; i++) {
    p->stiffness[i] *= p->area[i];
  }
  return n;
}

/* Positions become arms from the middle of the elements. */
static void centre_arms(pki_patch *p, const double otherwise[3])
{
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
      sum += p->arm[k][i];
    }
    p->at[k] = p->n > 0 ? sum / p->n : otherwise[k];
    for (int i = 0; i < p->n; i++) {
      p->arm[k][i] -= p->at[k];
    }
  }
}

/* Up to a whole vector. */
static void pad_elements(pki_patch *p)
{
  for (int i = p->n; i < round_up(p->n); i++) {
    for (int k = 0; k < 3; k++) {
      p->arm[k][i] = p->normal[k][i] = 0;
    }
    p->depth[i] = p->stiffness[i] = p->area[i] = p->load[i] = 0;
    p->face[i] = -1, p->side[i] = 0;
  }
}

int pki_patch_find(const pki_soft_side *a, const pki_soft_side *b, void *scratch, pki_patch *out)
{
  const pki_compliance_law_row *law = pki_compliance_law_of(a, b);
  out->hertz = false;
  out->keeps_pulled = law->keeps_pulled;
  out->first_of_second = 0;
  law->rub(a, b, out->law);
  out->n = law->find != NULL ? law->find(a, b, out) : find_faces(law, a, b, scratch, out);
  centre_arms(out, a->pose.pos);
  for (int i = 0; i < out->n; i++) {
    const double x = fmax(out->depth[i], 0);
    out->load[i] = out->stiffness[i] * x * (out->hertz ? sqrt(x) : 1);
  }
  pad_elements(out);
  return out->n;
}

/* ---- forces ---- */

void pki_patch_lag(pki_patch *p, const double twist[6])
{
  if (p->law[0].friction != PK_COMPLIANCE_FRICTION_CONVEX &&
      p->law[1].friction != PK_COMPLIANCE_FRICTION_CONVEX) {
    return; /* they bear nothing */
  }
  for (int i = 0; i < p->n; i++) {
    const double arm[3] = {p->arm[0][i], p->arm[1][i], p->arm[2][i]}, x = fmax(p->depth[i], 0);
    double v[3];
    pki_twist_at(twist, arm, v);
    const double s = -(p->normal[0][i] * v[0] + p->normal[1][i] * v[1] + p->normal[2][i] * v[2]);
    const double c = p->law[i < p->first_of_second ? 0 : 1].dissipation;
    p->load[i] = p->stiffness[i] * x * (p->hertz ? sqrt(x) : 1) * fmax(1 + c * s, 0);
  }
}

void pki_patch_press(const pki_patch *p, const double twist[6], double dt, bool wants_slope, pki_press *out,
                     double (*forces)[3])
{
  p->kernels->press(p, twist, dt, wants_slope, out, forces);
}
