/* <compiler> and <option>. */
#include <math.h>
#include <string.h>

#include "model/mjcf/mjcf.h"

/* ---- compiler ---- */

static void read_compiler(pki_mjcf *m, const pki_mjcf_node *node, pki_mjcf_settings *s)
{
  const char *text;
  if ((text = pki_mjcf_own(node, "angle")) != NULL) {
    s->degrees = strcmp(text, "degree") == 0;
  }
  if ((text = pki_mjcf_own(node, "eulerseq")) != NULL) {
    if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3) {
      memcpy(s->eulerseq, text, 3);
    } else {
      pki_mjcf_error(m, node, "eulerseq", PK_ERROR_SYNTAX,
                     "eulerseq is \"%s\", expected three letters of xyzXYZ", pki_urdf_quoted(text).text);
    }
  }
  if ((text = pki_mjcf_own(node, "coordinate")) != NULL && strcmp(text, "global") == 0) {
    pki_mjcf_error(
        m, node, "coordinate", PK_ERROR_UNSUPPORTED,
        "global coordinates are no longer part of MJCF: save the model with MuJoCo 2.3.3 or older");
  }
  if ((text = pki_mjcf_own(node, "assetdir")) != NULL || (text = pki_mjcf_own(node, "meshdir")) != NULL) {
    s->mesh_dir = text;
  }
  if ((text = pki_mjcf_own(node, "meshdir")) != NULL) {
    s->mesh_dir = text;
  }
  if ((text = pki_mjcf_own(node, "inertiafromgeom")) != NULL) {
    s->from_geoms = strcmp(text, "true") == 0    ? PKI_MJCF_INERTIA_ALWAYS
                    : strcmp(text, "false") == 0 ? PKI_MJCF_INERTIA_NEVER
                                                 : PKI_MJCF_INERTIA_AUTO;
  }
  double range[2] = {s->inertia_group[0], s->inertia_group[1]};
  pki_mjcf_reals(m, node, "inertiagrouprange", 2, range);
  s->inertia_group[0] = (int)range[0], s->inertia_group[1] = (int)range[1];
  s->autolimits = pki_mjcf_flag(m, node, "autolimits", s->autolimits);
  s->balance = pki_mjcf_flag(m, node, "balanceinertia", s->balance);
  s->discard_visual = pki_mjcf_flag(m, node, "discardvisual", s->discard_visual);
  s->strip_path = pki_mjcf_flag(m, node, "strippath", s->strip_path);
  s->align_free = pki_mjcf_flag(m, node, "alignfree", s->align_free);
  s->fit_aabb = pki_mjcf_flag(m, node, "fitaabb", s->fit_aabb);
  s->exact_meshes = pki_mjcf_flag(m, node, "exactmeshinertia", s->exact_meshes);
  s->bound_mass = pki_mjcf_real(m, node, "boundmass", s->bound_mass);
  s->bound_inertia = pki_mjcf_real(m, node, "boundinertia", s->bound_inertia);
  s->total_mass = pki_mjcf_real(m, node, "settotalmass", s->total_mass);
}

void pki_mjcf_give_settings(pki_mjcf_node *node, pki_mjcf_settings *settings)
{
  node->settings = settings;
  for (pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
    pki_mjcf_give_settings(child, settings);
  }
}

void pki_mjcf_read_settings(pki_mjcf *m, pki_mjcf_node *root)
{
  pki_mjcf_settings *s = pki_mjcf_alloc(m, sizeof *s);
  if (s == NULL) {
    return;
  }
  *s = (pki_mjcf_settings){.degrees = true,
                           .eulerseq = "xyz",
                           .autolimits = true,
                           .total_mass = -1,
                           .from_geoms = PKI_MJCF_INERTIA_AUTO,
                           .inertia_group = {0, 5},
                           .mesh_dir = ""};
  pki_mjcf_give_settings(root, s);
  for (const pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "compiler")) {
      read_compiler(m, node, s);
    }
  }
}

/* ---- option ---- */

/* A flag that switches a part of the physics off, and what that means here. */
static void read_flags(pki_mjcf *m, const pki_mjcf_node *node)
{
  static const char *const known[] = {"constraint", "equality", "frictionloss", "limit",     "contact",
                                      "passive",    "spring",   "damper",       "actuation", "gravity"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const char *text = pki_mjcf_own(node, known[i]);
    if (text == NULL) {
      continue;
    }
    const bool off = strcmp(text, "disable") == 0;
    const char *name = known[i];
    const bool all = strcmp(name, "constraint") == 0, passive = strcmp(name, "passive") == 0;
    m->off.equality |= off && (all || strcmp(name, "equality") == 0);
    m->off.friction |= off && (all || strcmp(name, "frictionloss") == 0);
    m->off.limits |= off && (all || strcmp(name, "limit") == 0);
    m->off.contact |= off && (all || strcmp(name, "contact") == 0);
    m->off.springs |= off && (passive || strcmp(name, "spring") == 0);
    m->off.dampers |= off && (passive || strcmp(name, "damper") == 0);
    m->off.actuation |= off && strcmp(name, "actuation") == 0;
    m->off.gravity |= off && strcmp(name, "gravity") == 0;
  }
}

/* Fluid around the bodies is not simulated. */
static void check_fluid(pki_mjcf *m, const pki_mjcf_node *node)
{
  const char *name = pki_mjcf_real(m, node, "density", 0) != 0     ? "density"
                     : pki_mjcf_real(m, node, "viscosity", 0) != 0 ? "viscosity"
                                                                   : NULL;
  if (name != NULL) {
    pki_mjcf_warn(m, node, name, "fluid-dropped",
                  "forces of a fluid (density, viscosity, wind) are not simulated");
  }
}

void pki_mjcf_read_option(pki_mjcf *m)
{
  double gravity[3] = {0, 0, -9.81};
  const double field[3] = {0, -0.5, 0};
  bool given = false;
  memcpy(m->magnetic, field, sizeof field);
  for (const pki_mjcf_node *node = m->root->first; node != NULL; node = node->next) {
    if (!pki_mjcf_is(node, "option")) {
      continue;
    }
    given |= pki_mjcf_reals(m, node, "gravity", 3, gravity) > 0;
    pki_mjcf_reals(m, node, "magnetic", 3, m->magnetic);
    check_fluid(m, node);
    for (const pki_mjcf_node *flag = node->first; flag != NULL; flag = flag->next) {
      read_flags(m, flag);
    }
    if (pki_mjcf_own(node, "actuatorgroupdisable") != NULL) {
      pki_mjcf_warn(m, node, "actuatorgroupdisable", "actuator-group-dropped",
                    "groups of actuators are not switched off: all of them act");
    }
  }
  if (m->off.gravity) {
    memset(gravity, 0, sizeof gravity);
  }
  if (given || m->off.gravity) {
    m->sets_gravity = true;
    memcpy(m->gravity, gravity, sizeof gravity);
  }
}
