/* Corners and edges of the support: the convex hull of the supporting contacts, seen from above. */
#include <math.h>
#include <string.h>

#include "math/mat3.h"
#include "stability/stability.h"

/* Contacts nearer to each other than this part of the support's width are one corner, and corners nearer than it to the line of
 * their neighbours are none. */
static const double same = 1e-9;

/* Horizontal components of b - a. */
static void plan_of(const pki_stance *s, const double a[3], const double b[3], double out[2])
{
  double d[3];
  pki_sub3(b, a, d);
  out[0] = pki_dot3(d, s->x), out[1] = pki_dot3(d, s->y);
}

static double plan_cross(const double a[2], const double b[2])
{
  return a[0] * b[1] - a[1] * b[0];
}

/* The supporting contact farthest along -x, of several the one farthest along -y: a corner for certain. -1: nothing supports. `width`
 * becomes the largest horizontal distance of a contact from it, m. */
static int first_corner(const pki_stance *s, double *width)
{
  const pk_stability_contact *c = s->in->contacts;
  int first = -1;
  for (int i = 0; i < s->in->ncontact; i++) {
    double d[2] = {0, 0};
    if (pki_stance_supports(s, i)) {
      if (first >= 0) {
        plan_of(s, c[first].point, c[i].point, d);
      }
      first = first < 0 || d[0] < 0 || (d[0] == 0 && d[1] < 0) ? i : first;
    }
  }
  *width = 0;
  for (int i = 0; i < s->in->ncontact && first >= 0; i++) {
    double d[2];
    plan_of(s, c[first].point, c[i].point, d);
    *width = pki_stance_supports(s, i) ? fmax(*width, hypot(d[0], d[1])) : *width;
  }
  return first;
}

/* The corner after `at`, counterclockwise: no contact is to the right of the line to it, and it is the farthest on that line. -1: there is
 * no other one. */
static int next_corner(const pki_stance *s, int at, double width)
{
  const pk_stability_contact *c = s->in->contacts;
  int next = -1;
  double to_next[2] = {0, 0};
  for (int i = 0; i < s->in->ncontact; i++) {
    double d[2];
    plan_of(s, c[at].point, c[i].point, d);
    const double length = hypot(d[0], d[1]), best = hypot(to_next[0], to_next[1]);
    if (!pki_stance_supports(s, i) || length <= same * width) {
      continue;
    }
    const double right = next >= 0 ? -plan_cross(to_next, d) : 1, slack = same * width * fmax(length, best);
    const bool beyond = fabs(right) <= slack && length > best && to_next[0] * d[0] + to_next[1] * d[1] > 0;
    if (next < 0 || right > slack || beyond) {
      next = i;
      to_next[0] = d[0], to_next[1] = d[1];
    }
  }
  return next;
}

static bool at_same_place(const pki_stance *s, int i, int j, double width)
{
  double d[2];
  plan_of(s, s->in->contacts[i].point, s->in->contacts[j].point, d);
  return hypot(d[0], d[1]) <= same * width;
}

/* Of more corners than there is room for, those farthest in as many directions: a support within the true one, smaller by less than a part in
 * 200 of its radius. */
static int find_farthest(const pki_stance *s, int corners[PK_STABILITY_EDGES])
{
  const pk_stability_contact *c = s->in->contacts;
  int count = 0;
  for (int k = 0; k < PK_STABILITY_EDGES; k++) {
    const double angle = 2 * 3.14159265358979323846 * k / PK_STABILITY_EDGES, x = cos(angle), y = sin(angle);
    int best = -1;
    double most = 0;
    for (int i = 0; i < s->in->ncontact; i++) {
      const double far = x * pki_dot3(c[i].point, s->x) + y * pki_dot3(c[i].point, s->y);
      if (pki_stance_supports(s, i) && (best < 0 || far > most)) {
        best = i;
        most = far;
      }
    }
    if (count == 0 || (corners[count - 1] != best && corners[0] != best)) {
      corners[count++] = best;
    }
  }
  return count;
}

/* Indices of the contacts at the corners, counterclockwise; how many there are. */
static int find_corners(const pki_stance *s, int corners[PK_STABILITY_EDGES])
{
  double width;
  const int first = first_corner(s, &width);
  int count = 0;
  for (int at = first; at >= 0;) {
    if (count == PK_STABILITY_EDGES) {
      return find_farthest(s, corners);
    }
    corners[count++] = at;
    at = width > 0 ? next_corner(s, at, width) : -1;
    at = at >= 0 && at_same_place(s, first, at, width) ? -1 : at;
  }
  return count;
}

pki_edge_axes pki_edge_axes_of(const pki_stance *s, const pk_stability_edge *edge)
{
  pki_edge_axes axes;
  pki_sub3(edge->to, edge->from, axes.e);
  pki_cross3(s->up, axes.e, axes.n);
  const double along = pki_length3(axes.e), across = pki_length3(axes.n);
  for (int k = 0; k < 3; k++) {
    axes.e[k] /= along;
    axes.n[k] /= across;
  }
  pki_cross3(axes.e, axes.n, axes.u);
  return axes;
}

/* Where a single edge lets the robot out: with the direction of travel over a diagonal one, on their own side over one between feet of
 * one side; zero where feet do not tell. */
static void way_out(const pki_stance *s, const pk_stability_contact *a, const pk_stability_contact *b,
                    bool diagonal, double out[3])
{
  const double *heading = s->in->heading;
  double left[3];
  pki_cross3(s->up, heading, left);
  const int front = diagonal ? 1 : a->front == b->front ? a->front : 0;
  const int side = diagonal || front != 0 || a->left != b->left ? 0 : a->left;
  const bool one_foot = a->foot == b->foot;
  for (int k = 0; k < 3; k++) {
    out[k] = one_foot ? 0 : front * heading[k] + side * left[k];
  }
}

static bool is_diagonal(const pk_stability_contact *a, const pk_stability_contact *b)
{
  return a->front * b->front < 0 && a->left * b->left < 0;
}

static void set_edge(const pki_stance *s, int from, int to, pk_stability_edge *edge)
{
  const pk_stability_contact *a = &s->in->contacts[from], *b = &s->in->contacts[to];
  *edge = (pk_stability_edge){.feet = {a->foot, b->foot},
                              .kind = is_diagonal(a, b) ? PK_EDGE_KIND_DIAGONAL : PK_EDGE_KIND_SIDE,
                              .H = NAN,
                              .H_ref = NAN,
                              .H_max = NAN,
                              .s_h = NAN,
                              .energy = NAN,
                              .force_angle = NAN};
  memcpy(edge->from, a->point, sizeof edge->from);
  memcpy(edge->to, b->point, sizeof edge->to);
  const pki_edge_axes axes = pki_edge_axes_of(s, edge);
  double arm[3];
  pki_sub3(s->in->com, edge->from, arm);
  edge->r_h = pki_dot3(arm, axes.n);
  edge->r_z = pki_dot3(arm, axes.u);
}

/* The only edge of a support that is a line, in the direction that its feet tell, or with the robot inside. */
static void set_line(const pki_stance *s, int first, int second, pk_stability_edge *edge)
{
  const pk_stability_contact *c = s->in->contacts;
  double out[3];
  way_out(s, &c[first], &c[second], is_diagonal(&c[first], &c[second]), out);
  set_edge(s, first, second, edge);
  const pki_edge_axes axes = pki_edge_axes_of(s, edge);
  const double outward = -pki_dot3(axes.n, out);
  if (outward < 0 || (outward == 0 && edge->r_h < 0)) {
    set_edge(s, second, first, edge);
  }
}

/* Which formula of (10) holds. On three feet that stand on one side of a diagonal edge the fourth is free to catch the robot on the
 * other; on more of them it is as any edge. */
static pk_edge_branch branch_of(const pki_stance *s, const pk_stability *support,
                                const pk_stability_edge *edge)
{
  if (edge->kind != PK_EDGE_KIND_DIAGONAL || support->feet > 3) {
    return PK_EDGE_BRANCH_SIDE;
  }
  if (support->ncorner == 2) {
    return edge->r_h > 0 ? PK_EDGE_BRANCH_BEFORE : PK_EDGE_BRANCH_PAST;
  }
  const pki_edge_axes axes = pki_edge_axes_of(s, edge);
  return pki_dot3(axes.n, s->in->heading) < 0 ? PK_EDGE_BRANCH_BEHIND : PK_EDGE_BRANCH_FRONT;
}

/* Feet and contacts that support. */
static void count_feet(const pki_stance *s, pk_stability *out)
{
  const pk_stability_contact *c = s->in->contacts;
  for (int i = 0; i < s->in->ncontact; i++) {
    bool known = !pki_stance_supports(s, i);
    out->ncontact += !known;
    for (int j = 0; j < i && !known; j++) {
      known = pki_stance_supports(s, j) && c[j].foot == c[i].foot;
    }
    out->feet += !known;
  }
}

void pki_support_init(const pki_stance *s, pk_stability *out)
{
  int corners[PK_STABILITY_EDGES];
  count_feet(s, out);
  const int n = find_corners(s, corners);
  out->ncorner = n;
  out->nedge = n > 2 ? n : n == 2;
  for (int i = 0; i < n; i++) {
    memcpy(out->corners[i], s->in->contacts[corners[i]].point, sizeof out->corners[i]);
  }
  if (n == 2) {
    set_line(s, corners[0], corners[1], &out->edges[0]);
  }
  for (int i = 0; i < n && n > 2; i++) {
    set_edge(s, corners[i], corners[(i + 1) % n], &out->edges[i]);
  }
  for (int i = 0; i < out->nedge; i++) {
    out->edges[i].branch = branch_of(s, out, &out->edges[i]);
  }
}

/* Horizontal distance of a point from the line between two others. */
static double distance_from_line(const pki_stance *s, const double a[3], const double b[3],
                                 const double point[3])
{
  double d[2], p[2];
  plan_of(s, a, b, d);
  plan_of(s, a, point, p);
  const double length2 = d[0] * d[0] + d[1] * d[1];
  const double t = length2 > 0 ? fmin(fmax((p[0] * d[0] + p[1] * d[1]) / length2, 0), 1) : 0;
  return hypot(p[0] - t * d[0], p[1] - t * d[1]);
}

double pki_support_margin(const pki_stance *s, const pk_stability *support, const double point[3])
{
  const int n = support->ncorner;
  if (n == 0) {
    return NAN;
  }
  if (n <= 2) {
    return -distance_from_line(s, support->corners[0], support->corners[n - 1], point);
  }
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    const pki_edge_axes axes = pki_edge_axes_of(s, &support->edges[i]);
    double arm[3];
    pki_sub3(point, support->edges[i].from, arm);
    const double inside = pki_dot3(arm, axes.n);
    least = inside < least || isnan(inside) ? inside : least;
  }
  return least;
}
