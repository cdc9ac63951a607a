/* <equality>: constraints, which are hard here: solref and solimp are not used. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "model/mjcf/mjcf.h"
#include "model/pose.h"

/* One end of a constraint: a body and a frame in it. */
typedef struct equality_end {
  int body;
  pk_pose frame;
} equality_end;

static void add_constraint(pki_mjcf *m, const pki_mjcf_node *node, pk_constraint_desc *c)
{
  const char *name = pki_mjcf_own(node, "name");
  c->name = name != NULL && name[0] != '\0' ? name : pki_mjcf_invent(m, "equality", node->tag);
  c->line = node->line;
  pk_error err;
  if (c->name == NULL || !pki_mjcf_enter(m, node, "equality", c->name, m)) {
    return;
  }
  c->name = pki_mjcf_full(m, c->name);
  if (pk_builder_add_constraint(m->b, c, &err) != PK_OK) {
    pki_mjcf_error(m, node, NULL, err.status, "%s", err.message);
  }
}

/* The ends of a constraint that names sites; false when it does not, or a name is wrong. */
static bool site_ends(pki_mjcf *m, const pki_mjcf_node *node, equality_end ends[2])
{
  const int a = pki_mjcf_refer(m, node, "site1", "site"), b = pki_mjcf_refer(m, node, "site2", "site");
  if (a < 0 || b < 0) {
    return false;
  }
  ends[0] = (equality_end){.body = m->sites[a].body, .frame = m->sites[a].pose};
  ends[1] = (equality_end){.body = m->sites[b].body, .frame = m->sites[b].pose};
  return true;
}

/* The bodies of a constraint; the second is the world where none is named. */
static bool body_ends(pki_mjcf *m, const pki_mjcf_node *node, equality_end ends[2])
{
  ends[0].body = pki_mjcf_refer(m, node, "body1", "body");
  ends[1].body = pki_mjcf_own(node, "body2") != NULL ? pki_mjcf_refer(m, node, "body2", "body") : 0;
  return ends[0].body >= 0 && ends[1].body >= 0;
}

/* What names sites and bodies together, or too few of them. */
static bool check_ends(pki_mjcf *m, const pki_mjcf_node *node, bool anchored)
{
  const bool site1 = pki_mjcf_own(node, "site1") != NULL, site2 = pki_mjcf_own(node, "site2") != NULL;
  const bool body = pki_mjcf_own(node, "body1") != NULL;
  const bool more = pki_mjcf_own(node, "body2") != NULL || pki_mjcf_own(node, "anchor") != NULL ||
                    pki_mjcf_own(node, "relpose") != NULL;
  if (site1 != site2 || (site1 && (body || more)) ||
      (!site1 && (!body || (anchored && pki_mjcf_own(node, "anchor") == NULL)))) {
    pki_mjcf_error(m, node, NULL, PK_ERROR_SYNTAX,
                   "<%s> needs site1 and site2, or body1%s, and not both kinds", node->tag,
                   anchored ? " and anchor" : "");
    return false;
  }
  return true;
}

/* The frame of the first end as the second body sees it, all joints at their references. */
static pk_pose seen_from(const pki_mjcf *m, const equality_end *first, int body)
{
  const pk_pose world = pki_pose_mul(&m->bodies[first->body].world, &first->frame);
  const pk_pose inverse = pki_pose_invert(&m->bodies[body].world);
  return pki_pose_mul(&inverse, &world);
}

static void set_ends(pki_mjcf *m, const equality_end ends[2], pk_constraint_desc *c)
{
  for (int i = 0; i < 2; i++) {
    /* where the world is no link, its frame is the world's own */
    const bool link = ends[i].body != 0;
    c->link[i] = link ? pki_mjcf_full(m, m->bodies[ends[i].body].name) : NULL;
    c->frame[i] = ends[i].frame;
  }
}

static void add_connect(pki_mjcf *m, const pki_mjcf_node *node)
{
  equality_end ends[2] = {{.frame = pk_pose_identity()}, {.frame = pk_pose_identity()}};
  if (!check_ends(m, node, true)) {
    return;
  }
  if (pki_mjcf_own(node, "site1") != NULL) {
    if (!site_ends(m, node, ends)) {
      return;
    }
  } else {
    if (!body_ends(m, node, ends)) {
      return;
    }
    pki_mjcf_reals(m, node, "anchor", 3, ends[0].frame.pos);
    ends[1].frame = seen_from(m, &ends[0], ends[1].body);
  }
  pk_constraint_desc c = pk_constraint_desc_default();
  c.kind = PK_CONSTRAINT_BALL;
  set_ends(m, ends, &c);
  add_constraint(m, node, &c);
}

static void add_weld(pki_mjcf *m, const pki_mjcf_node *node)
{
  equality_end ends[2] = {{.frame = pk_pose_identity()}, {.frame = pk_pose_identity()}};
  if (!check_ends(m, node, false)) {
    return;
  }
  if (pki_mjcf_own(node, "site1") != NULL) {
    if (!site_ends(m, node, ends)) {
      return;
    }
  } else {
    if (!body_ends(m, node, ends)) {
      return;
    }
    double pose[7] = {0, 1, 0, 0, 0, 0, 0};
    pki_mjcf_reals(m, node, "relpose", 7, pose);
    if (pose[3] == 0 && pose[4] == 0 && pose[5] == 0 && pose[6] == 0) {
      ends[1].frame = seen_from(m, &ends[0], ends[1].body); /* as they stand at first */
    } else {
      memcpy(ends[0].frame.pos, pose, sizeof ends[0].frame.pos);
      pki_quat_to_mat3(pose + 3, ends[0].frame.rot);
    }
  }
  pk_constraint_desc c = pk_constraint_desc_default();
  c.kind = PK_CONSTRAINT_WELD;
  set_ends(m, ends, &c);
  add_constraint(m, node, &c);
}

/* MJCF counts from the references: y - y0 = sum of c_k (x - x0)^k. In the coordinates themselves, by the binomial
 * theorem, the coefficient of x^j is the sum over k of c_k (k over j) (-x0)^(k - j), and y0 in the constant one. */
static void shift_polynomial(const double c[5], double x0, double y0, double out[5])
{
  for (int j = 0; j < 5; j++) {
    out[j] = j == 0 ? y0 : 0;
    double binomial = 1, power = 1;
    for (int k = j; k < 5; k++) {
      out[j] += c[k] * binomial * power;
      binomial = binomial * (k + 1) / (k + 1 - j);
      power *= -x0;
    }
  }
}

static void add_coupling(pki_mjcf *m, const pki_mjcf_node *node)
{
  const int y = pki_mjcf_refer(m, node, "joint1", "joint");
  const bool leads = pki_mjcf_own(node, "joint2") != NULL;
  const int x = leads ? pki_mjcf_refer(m, node, "joint2", "joint") : -1;
  if (y < 0 || (leads && x < 0)) {
    return;
  }
  const int ends[2] = {y, x};
  for (int i = 0; i < (leads ? 2 : 1); i++) {
    if (m->joints[ends[i]].kind != PKI_MJCF_SLIDE && m->joints[ends[i]].kind != PKI_MJCF_HINGE) {
      pki_mjcf_error(m, node, i == 0 ? "joint1" : "joint2", PK_ERROR_MODEL,
                     "joint \"%s\" has several coordinates: only hinges and slides can be coupled",
                     pki_urdf_quoted(m->joints[ends[i]].name).text);
      return;
    }
  }
  double coefficient[5] = {0, 1, 0, 0, 0};
  pki_mjcf_reals(m, node, "polycoef", 5, coefficient);
  pk_constraint_desc c = pk_constraint_desc_default();
  c.kind = PK_CONSTRAINT_COUPLING;
  c.joint[0] = pki_mjcf_full(m, m->joints[y].name);
  c.joint[1] = leads ? pki_mjcf_full(m, m->joints[x].name) : NULL;
  if (!leads) {
    memset(coefficient + 1, 0, 4 * sizeof *coefficient);
  }
  shift_polynomial(coefficient, leads ? m->joints[x].ref : 0, m->joints[y].ref, c.polynomial);
  add_constraint(m, node, &c);
}

void pki_mjcf_add_equality(pki_mjcf *m)
{
  for (const pki_mjcf_node *node = NULL; (node = pki_mjcf_next_in(m, "equality", NULL, node)) != NULL;) {
    if (m->off.equality || !pki_mjcf_flag(m, node, "active", true)) {
      continue;
    }
    if (pki_mjcf_is(node, "connect")) {
      add_connect(m, node);
    } else if (pki_mjcf_is(node, "weld")) {
      add_weld(m, node);
    } else if (pki_mjcf_is(node, "joint")) {
      add_coupling(m, node);
    } else {
      pki_mjcf_error(m, node, NULL, PK_ERROR_UNSUPPORTED,
                     "constraints of kind <%s> are not simulated: only connect, weld and joint are",
                     node->tag);
    }
  }
}
