/* <contact>: pairs of geoms that collide whatever their groups say, pairs of bodies that never do. Tendons: what can be
 * left out, and what cannot. */
#include <string.h>

#include "model/mjcf/mjcf.h"

void pki_mjcf_read_contact(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "contact", "pair", node)) != NULL;) {
    static const char *const ends[] = {"geom1", "geom2"};
    for (int i = 0; i < 2; i++) {
      const int geom = pki_mjcf_refer(m, node, ends[i], "geom");
      if (geom >= 0) {
        m->geoms[geom].paired = true;
      } else if (pki_mjcf_own(node, ends[i]) == NULL) {
        pki_mjcf_error(m, node, ends[i], PK_ERROR_SYNTAX, "<pair> needs the attribute \"%s\"", ends[i]);
      }
    }
  }
}

static void add_pair(pki_mjcf *m, const pki_mjcf_node *node)
{
  const int a = pki_mjcf_refer(m, node, "geom1", "geom"), b = pki_mjcf_refer(m, node, "geom2", "geom");
  if (a < 0 || b < 0 || m->geoms[a].bad || m->geoms[b].bad) {
    return;
  }
  pk_pair_desc pair = {.shapes = true, .collide = true, .line = node->line};
  pair.name[0] = pki_mjcf_full(m, m->geoms[a].name);
  pair.name[1] = pki_mjcf_full(m, m->geoms[b].name);
  double friction[5] = {0};
  const int given = pki_mjcf_reals(m, node, "friction", 5, friction);
  const int condim = pki_mjcf_int(m, node, "condim", 0);
  if (condim == 1 || (given > 0 && friction[0] == 0)) {
    pair.friction = -1;
  } else if (given > 0) {
    pair.friction = friction[0];
  }
  if (given > 1 && friction[1] != friction[0]) {
    pki_mjcf_warn(m, node, "friction", "friction-isotropic",
                  "friction differs by direction, which is not simulated: %g counts for all", friction[0]);
  }
  if (condim > 3 && pki_mjcf_first_time(m, "condim", "")) {
    pki_mjcf_warn(m, node, "condim", "condim-reduced",
                  "condim %d asks for torsional or rolling friction, which is not simulated", condim);
  }
  pk_error err;
  if (pk_builder_add_pair(m->b, &pair, &err) != PK_OK) {
    pki_mjcf_error(m, node, NULL, err.status, "%s", err.message);
  }
}

static void add_exclude(pki_mjcf *m, const pki_mjcf_node *node)
{
  const int a = pki_mjcf_refer(m, node, "body1", "body"), b = pki_mjcf_refer(m, node, "body2", "body");
  if (a < 0 || b < 0) {
    return;
  }
  pk_pair_desc pair = {.line = node->line};
  pair.name[0] = pki_mjcf_full(m, m->bodies[a].name);
  pair.name[1] = pki_mjcf_full(m, m->bodies[b].name);
  /* the world is a link only where something is on it */
  const bool nothing = (a == 0 && m->bodies[0].robot < 0) || (b == 0 && m->bodies[0].robot < 0);
  pk_error err;
  if (!nothing && pk_builder_add_pair(m->b, &pair, &err) != PK_OK) {
    pki_mjcf_error(m, node, NULL, err.status, "%s", err.message);
  }
}

void pki_mjcf_add_contact(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "contact", NULL, node)) != NULL;) {
    if (pki_mjcf_is(node, "exclude")) {
      add_exclude(m, node);
    } else if (pki_mjcf_is(node, "pair") && !m->off.contact) {
      add_pair(m, node);
    }
  }
}

/* ---- tendons ---- */

/* The attribute by which a tendon acts on the joints; NULL: it only measures. */
static const char *tendon_acts(pki_mjcf *m, const pki_mjcf_node *node)
{
  static const char *const forces[] = {"stiffness", "damping", "frictionloss", "armature"};
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    double value[3] = {0, 0, 0};
    pki_mjcf_reals(m, node, forces[i], 3, value);
    if (value[0] != 0 || value[1] != 0 || value[2] != 0) {
      return forces[i];
    }
  }
  double range[2] = {0, 0};
  pki_mjcf_reals(m, node, "range", 2, range);
  const char *limited = pki_mjcf_text(m, node, "limited");
  return pki_mjcf_limited(m, node, limited, "limited", "range", range[0] != 0 || range[1] != 0) ? "range"
                                                                                                : NULL;
}

void pki_mjcf_check_tendons(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "tendon", NULL, node)) != NULL;) {
    const char *acts = tendon_acts(m, node);
    const char *name = pki_mjcf_own(node, "name");
    if (name != NULL && name[0] != '\0') {
      pki_mjcf_enter(m, node, "tendon", name, m);
    }
    if (acts != NULL) {
      pki_mjcf_error(m, node, acts, PK_ERROR_UNSUPPORTED,
                     "tendons are not simulated, and this one acts by its %s", acts);
    } else {
      pki_mjcf_warn(m, node, NULL, "tendon-dropped",
                    "tendons are not simulated: this one has no force and no limit, and is left out");
    }
  }
}
