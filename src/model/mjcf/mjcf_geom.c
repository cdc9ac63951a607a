/* <geom>: kind, size, place, how it collides, how it looks. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

static const char *const kind_names[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                         "cylinder", "box",    "mesh",   "sdf"};

static pki_mjcf_geom_kind geom_kind(const pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *type = pki_mjcf_text(m, node, "type");
  for (int i = 0; type != NULL && i <= PKI_MJCF_SDF; i++) {
    if (strcmp(type, kind_names[i]) == 0) {
      return (pki_mjcf_geom_kind)i;
    }
  }
  return PKI_MJCF_SPHERE;
}

/* ---- size ---- */

bool pki_mjcf_check_size(pki_mjcf *m, const pki_mjcf_node *node, pki_mjcf_geom_kind kind,
                         const double size[3])
{
  static const int counts[] = {[PKI_MJCF_SPHERE] = 1,   [PKI_MJCF_CAPSULE] = 2, [PKI_MJCF_ELLIPSOID] = 3,
                               [PKI_MJCF_CYLINDER] = 2, [PKI_MJCF_BOX] = 3,     [PKI_MJCF_MESH] = 0};
  if (kind == PKI_MJCF_PLANE && !(size[2] > 0)) {
    pki_mjcf_error(m, node, "size", PK_ERROR_MODEL,
                   "size of a plane is %g %g %g: the third number, its grid, must be positive", size[0],
                   size[1], size[2]);
    return false;
  }
  for (int i = 0; kind >= PKI_MJCF_SPHERE && kind <= PKI_MJCF_BOX && i < counts[kind]; i++) {
    if (!(size[i] > 0)) {
      pki_mjcf_error(m, node, "size", PK_ERROR_MODEL, "size %d of a %s is %g, expected a positive length",
                     i + 1, kind_names[kind], size[i]);
      return false;
    }
  }
  return true;
}

bool pki_mjcf_read_size(pki_mjcf *m, const pki_mjcf_node *node, pki_mjcf_geom_kind kind, double size[3],
                        pk_pose *pose)
{
  double half = 0;
  *pose = pki_mjcf_pose(m, node);
  pki_mjcf_reals(m, node, "size", 3, size);
  if (!pki_mjcf_fromto(m, node, pose, &half)) {
    return true;
  }
  if (kind == PKI_MJCF_CAPSULE || kind == PKI_MJCF_CYLINDER) {
    size[1] = half;
  } else if (kind == PKI_MJCF_ELLIPSOID || kind == PKI_MJCF_BOX) {
    size[1] = size[0];
    size[2] = half;
  } else {
    pki_mjcf_error(m, node, "fromto", PK_ERROR_MODEL,
                   "fromto is for a capsule, a cylinder, a box or an ellipsoid, not for a %s",
                   kind_names[kind]);
    return false;
  }
  return true;
}

/* ---- look ---- */

/* The colour of a material, as far as one colour can tell it. */
static void material_color(pki_mjcf *m, const pki_mjcf_node *material, double rgba[4])
{
  const double white[4] = {1, 1, 1, 1};
  memcpy(rgba, white, sizeof white);
  pki_mjcf_reals(m, material, "rgba", 4, rgba);
  const char *name = pki_mjcf_text(m, material, "texture");
  if (name == NULL && material->first != NULL) {
    name = pki_mjcf_own(material->first, "texture");
  }
  const pki_mjcf_node *texture = name != NULL ? pki_mjcf_find(m, "texture", name) : NULL;
  if (texture == NULL) {
    return;
  }
  if (pki_mjcf_own(texture, "builtin") != NULL && memcmp(rgba, white, sizeof white) == 0) {
    rgba[0] = rgba[1] = rgba[2] = 0.8;
    pki_mjcf_reals(m, texture, "rgb1", 3, rgba);
  } else if (pki_mjcf_own(texture, "file") != NULL && pki_mjcf_first_time(m, "texture", name)) {
    pki_mjcf_warn(m, texture, "file", "texture-dropped",
                  "textures are not shown: shapes of this material have one colour");
  }
}

static void read_color(pki_mjcf *m, pki_mjcf_geom *g)
{
  static const double plain[4] = {0.5, 0.5, 0.5, 1};
  memcpy(g->rgba, plain, sizeof plain);
  pki_mjcf_reals(m, g->node, "rgba", 4, g->rgba);
  const char *name = pki_mjcf_text(m, g->node, "material");
  const pki_mjcf_node *material = name != NULL ? pki_mjcf_find(m, "material", name) : NULL;
  if (name != NULL && material == NULL) {
    pki_mjcf_unknown(m, g->node, "material", "material", name);
  } else if (material != NULL && memcmp(g->rgba, plain, sizeof plain) == 0) {
    material_color(m, material, g->rgba);
  }
  for (int i = 0; i < 4; i++) {
    g->rgba[i] = fmin(fmax(g->rgba[i], 0), 1);
  }
}

/* ---- contact ---- */

static void read_contact(pki_mjcf *m, pki_mjcf_geom *g)
{
  const pki_mjcf_node *node = g->node;
  double friction[3] = {1, 0.005, 0.0001};
  g->contype = pki_mjcf_int(m, node, "contype", 1);
  g->conaffinity = pki_mjcf_int(m, node, "conaffinity", 1);
  g->condim = pki_mjcf_int(m, node, "condim", 3);
  g->priority = pki_mjcf_int(m, node, "priority", 0);
  g->group = pki_mjcf_int(m, node, "group", 0);
  pki_mjcf_reals(m, node, "friction", 3, friction);
  g->friction = friction[0];
  if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6) {
    pki_mjcf_error(m, node, "condim", PK_ERROR_MODEL, "condim is %d, expected 1, 3, 4 or 6", g->condim);
  } else if (g->condim > 3 && (g->contype != 0 || g->conaffinity != 0) &&
             pki_mjcf_first_time(m, "condim", "")) {
    pki_mjcf_warn(
        m, node, "condim", "condim-reduced",
        "condim %d asks for torsional or rolling friction, which is not simulated: contacts slide only",
        g->condim);
  }
  if (g->friction < 0) {
    pki_mjcf_error(m, node, "friction", PK_ERROR_MODEL, "friction is %g, expected zero or more", g->friction);
  }
  double speed[6] = {0};
  const bool moves = pki_mjcf_reals(m, node, "surfacevel", 6, speed) > 0;
  if (moves || pki_mjcf_real(m, node, "adhesion", 0) != 0) {
    pki_mjcf_warn(m, node, moves ? "surfacevel" : "adhesion", "geom-feature-dropped",
                  "%s of geoms is not simulated", moves ? "surfacevel" : "adhesion");
  }
  if (pki_mjcf_word_is(m, node, "fluidshape", "ellipsoid") && pki_mjcf_first_time(m, "fluid", "")) {
    pki_mjcf_warn(m, node, "fluidshape", "fluid-dropped", "forces of a fluid are not simulated");
  }
}

/* ---- all of it ---- */

/* What a geom refers to must fit its kind. */
static bool check_references(pki_mjcf *m, pki_mjcf_geom *g)
{
  const pki_mjcf_node *node = g->node;
  const bool mesh = pki_mjcf_text(m, node, "mesh") != NULL, field = pki_mjcf_text(m, node, "hfield") != NULL;
  if (g->kind == PKI_MJCF_SDF || node->first != NULL) {
    pki_mjcf_error(m, node, "type", PK_ERROR_UNSUPPORTED,
                   "geoms of signed distance fields (sdf) and of plugins are not simulated: use a mesh");
    return false;
  }
  if (g->kind == PKI_MJCF_MESH && !mesh) {
    pki_mjcf_error(m, node, "mesh", PK_ERROR_SYNTAX, "a geom of type mesh needs the attribute \"mesh\"");
    return false;
  }
  if ((g->kind == PKI_MJCF_HFIELD) != field) {
    pki_mjcf_error(m, node, "hfield", PK_ERROR_SYNTAX,
                   "type hfield and the attribute \"hfield\" go together: the geom has only one of them");
    return false;
  }
  if ((g->kind == PKI_MJCF_PLANE || g->kind == PKI_MJCF_HFIELD) && m->bodies[g->body].moves) {
    pki_mjcf_error(m, node, "type", PK_ERROR_MODEL, "a %s can only be in a body that never moves",
                   kind_names[g->kind]);
    return false;
  }
  return true;
}

/* The mesh of a geom; a primitive that names one takes its size from it. False: nothing can be added. */
static bool read_mesh(pki_mjcf *m, pki_mjcf_geom *g)
{
  if (pki_mjcf_text(m, g->node, "mesh") == NULL) {
    return true;
  }
  g->mesh = pki_mjcf_get_mesh(m, g->node);
  if (g->kind == PKI_MJCF_MESH) {
    if (pki_mjcf_flag(m, g->node, "shellinertia", false)) {
      pki_mjcf_error(m, g->node, "shellinertia", PK_ERROR_MODEL,
                     "the inertia of a mesh is chosen in <mesh>, with inertia=\"shell\"");
    }
    return true;
  }
  return g->mesh != NULL && pki_mjcf_fit_mesh(m, g);
}

void pki_mjcf_read_geom(pki_mjcf *m, const pki_mjcf_node *node, int body, const pk_pose *frame)
{
  if (!pki_mjcf_grow(m, (void **)&m->geoms, m->ngeom, &m->geom_cap, sizeof *m->geoms)) {
    return;
  }
  pki_mjcf_geom g = {.node = node, .kind = geom_kind(m, node), .body = body};
  const char *name = pki_mjcf_own(node, "name");
  g.name = name != NULL && name[0] != '\0' ? name : NULL;
  read_contact(m, &g);
  read_color(m, &g);
  pk_pose pose;
  const bool sized = pki_mjcf_read_size(m, node, g.kind, g.size, &pose);
  g.pose = pki_pose_mul(frame, &pose);
  bool good = check_references(m, &g) && sized && read_mesh(m, &g);
  good = good && pki_mjcf_check_size(m, node, g.kind, g.size);
  if (g.name != NULL) {
    good = pki_mjcf_enter(m, node, "geom", g.name, (void *)(intptr_t)(m->ngeom + 1)) && good;
  }
  g.bad = !good;
  m->geoms[m->ngeom++] = g;
}
