/* Angular momentum about the edges of the support polygon, (10) of the paper, and where the forces of the ground act, (9).
 *
 * An edge has the unit vector e, the outward or forward normal n = e x e_z in the ground, and the mass is at r from it, at right angles:
 *
 *   r_h = -(c - P) . n     r_z = height of c above P     r^2 = r_h^2 + r_z^2
 *   H   = (L_c + (c - P) x m c') . e
 *   H_ref = m r r_h sqrt(2 g/(r + r_z)),   which is m r sqrt(2 g (r - r_z)) with the sign of r_h and no cancellation
 *   H_max = m r_z v_tip, or m r v_tip with the tip's speed along e x r */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/motion/foot_motion.h"

/* ---- their momentum ---- */

/* One edge's numbers from the mass and two points. */
static void write_edge(pki_graph *g, const pki_motion_robot *robot, pki_x m, pki_x3 c,
                       const pki_x3 momentum[2], const pki_x3 points[2], pki_x out[PKI_EDGE_NUMBERS])
{
  const pki_motion_problem *p = robot->problem;
  const pki_x3 along = pki_x3_minus(g, points[1], points[0]), from = pki_x3_minus(g, c, points[0]);
  const pki_x squared = pki_plus_times(g, pki_times(g, along.v[0], along.v[0]), along.v[1], along.v[1]);
  const pki_x inverse = pki_inverse(g, pki_root(g, squared));
  const pki_x ex = pki_times(g, along.v[0], inverse), ey = pki_times(g, along.v[1], inverse);
  /* n = e x e_z = (e_y, -e_x) */
  const pki_x r_h = pki_minus(g, pki_times(g, from.v[1], ex), pki_times(g, from.v[0], ey)), r_z = from.v[2];
  const pki_x r = pki_root(g, pki_plus_times(g, pki_times(g, r_h, r_h), r_z, r_z));
  const pki_x3 about = pki_x3_plus_cross(g, momentum[0], from, momentum[1]);
  const pki_x H = pki_plus_times(g, pki_times(g, about.v[0], ex), about.v[1], ey);
  const pki_x fall =
      pki_root(g, pki_times(g, pki_const(g, 2 * robot->gravity), pki_inverse(g, pki_plus(g, r, r_z))));
  const pki_x H_ref = pki_times(g, pki_times(g, m, pki_times(g, r, r_h)), fall);
  const pki_x H_max =
      pki_times(g, pki_times(g, m, pki_const(g, p->tip_speed)), p->tip_perpendicular ? r : r_z);
  out[PKI_EDGE_H] = H;
  out[PKI_EDGE_H_REF] = H_ref;
  out[PKI_EDGE_H_MAX] = H_max;
  out[PKI_EDGE_HOLDS] = pki_minus(g, H_ref, H);
  out[PKI_EDGE_ROLLS] = pki_minus(g, H, H_ref);
  out[PKI_EDGE_CATCHES] = pki_minus(g, H_max, H);
  out[PKI_EDGE_R_H] = r_h;
}

/* The robot's mass; where lengths are chosen it goes with them. */
static pki_x find_mass(const pki_drafted_robot *d, double mass)
{
  pki_x sum = pki_const(d->g, 0);
  for (int i = 0; i < d->problem->model->nbody; i++) {
    sum = pki_plus(d->g, sum, d->robot.inertia[i].m);
  }
  return d->nlength > 0 ? sum : pki_const(d->g, mass);
}

pk_status pki_motion_edges_create(const pki_motion_robot *robot, unsigned stance, pki_nlp_function **out,
                                  pk_error *err)
{
  const pki_motion_problem *p = robot->problem;
  pki_motion_edge edges[PKI_MOTION_EDGES];
  const int count = pki_motion_find_edges(p, stance, edges), n = robot->n;
  pki_x inputs[2 * PKI_MOTION_DOFS], values[PKI_MOTION_EDGES * PKI_EDGE_NUMBERS];
  pki_drafted_robot d = pki_draft_robot(p);
  pki_graph *const g = d.g;
  pki_x3 c, momentum[2];
  pk_status status = PK_ERROR_MEMORY;
  if (d.good) {
    bool good = pki_motion_mass(&d.robot, &c, momentum);
    const pki_x mass = find_mass(&d, robot->mass);
    for (int k = 0; k < count && good; k++) {
      pki_foot_motion foot[2];
      good = pki_motion_of_foot(&d, &p->feet[edges[k].from], &foot[0]) &&
             pki_motion_of_foot(&d, &p->feet[edges[k].to], &foot[1]);
      if (good) {
        const pki_x3 points[2] = {foot[0].point, foot[1].point};
        write_edge(g, robot, mass, c, momentum, points, values + (size_t)k * PKI_EDGE_NUMBERS);
      }
    }
    memcpy(inputs, d.robot.q, (size_t)n * sizeof *inputs);
    memcpy(inputs + n, d.robot.u, (size_t)n * sizeof *inputs);
    if (good) {
      status = pki_drafted_function(&d, "momentum about edges", 2 * n, inputs, 0, NULL,
                                    count * PKI_EDGE_NUMBERS, values, out, err);
    }
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the stability of a motion") : status;
}

/* ---- where forces act ---- */

/* S_x = sum(p_x f_z - m_y)/sum f_z, S_y = sum(p_y f_z + m_x)/sum f_z, on level ground. */
pk_status pki_motion_polygon_create(const pki_motion_robot *robot, unsigned stance, pki_nlp_function **out,
                                    pk_error *err)
{
  const pki_motion_problem *p = robot->problem;
  const int n = robot->n;
  pki_x inputs[1 + PKI_MOTION_DOFS + PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1)];
  pki_drafted_robot d = pki_draft_robot(p);
  pki_graph *const g = d.g;
  pki_x3 c, momentum[2];
  pk_status status = PK_ERROR_MEMORY;
  if (d.good) {
    bool good = pki_motion_mass(&d.robot, &c, momentum);
    const int port = pki_graph_port(g, "f", PKI_MOTION_FEET * (PKI_MOTION_CONTACT_ROWS + 1), "forces"),
              more = pki_graph_port(g, "T", 2, "duration and weight");
    pki_x total = pki_const(g, 0), sum[2] = {total, total};
    int nw = 0;
    inputs[nw++] = pki_input(g, more, 0);
    for (int k = 0; k < n; k++) {
      inputs[nw++] = d.robot.q[k];
    }
    for (int i = 0; i < p->nfoot && good; i++) {
      pki_foot_motion foot;
      if ((stance >> i & 1u) == 0) {
        continue;
      }
      pki_x f[PKI_MOTION_CONTACT_ROWS + 1];
      good = pki_motion_of_foot(&d, &p->feet[i], &foot);
      for (int k = 0; k < robot->feet[i].forces; k++, nw++) {
        inputs[nw] = f[k] = pki_input(g, port, i * (PKI_MOTION_CONTACT_ROWS + 1) + k);
      }
      total = pki_plus(g, total, f[2]);
      for (int k = 0; k < 2 && good; k++) {
        sum[k] = pki_plus_times(g, sum[k], foot.point.v[k], f[2]);
      }
      if (p->feet[i].area) {
        sum[0] = pki_minus(g, sum[0], f[4]);
        sum[1] = pki_plus(g, sum[1], f[3]);
      }
    }
    const pki_x weight = pki_input(g, more, 1), inverse = pki_inverse(g, total);
    pki_x squared = pki_const(g, 0);
    for (int k = 0; k < 2 && good; k++) {
      const pki_x off = pki_minus(g, pki_times(g, sum[k], inverse), c.v[k]);
      squared = pki_plus_times(g, squared, off, off);
    }
    const pki_x value = pki_times(g, pki_times(g, weight, inputs[0]), squared);
    if (good) {
      status =
          pki_drafted_function(&d, "distance from the mass", nw, inputs, 1, &weight, 1, &value, out, err);
    }
  }
  pki_drop_robot(&d);
  return status == PK_ERROR_MEMORY ? pki_fail_memory(err, "the support of a motion") : status;
}
