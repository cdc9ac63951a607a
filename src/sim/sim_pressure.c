/* Pressures of compliant pairs, face by face. */
#include "sim/sim_pressure.h"

#include <math.h>
#include <string.h>

#include "collision/shapes/trimesh.h"
#include "math/mat3.h"

/* A point of a collider's own frame in its body's. */
static void place_in_body(const pki_collider *c, const double point[3], double out[3])
{
  pki_mat3_apply(c->pose.rot, point, out);
  for (int k = 0; k < 3; k++) {
    out[k] += c->pose.pos[k];
  }
}

/* The corners of a triangle. */
static void face_corners(const pki_collider *c, int face, double out[3][3])
{
  const pki_trimesh *t = pki_patch_faces(c->geometry);
  for (int k = 0; k < 3; k++) {
    place_in_body(c, t->vertex + 3 * (size_t)t->triangle[3 * (size_t)face + (size_t)k], out[k]);
  }
}

/* A disc of the ellipse's area, where it was when it was found. */
static void ellipse_corners(const pki_collider *c, const pk_pose *pose, const double at[3], const double n[3],
                            double area, double out[3][3])
{
  const double radius = sqrt(area / acos(-1));
  double tangent[2][3];
  pki_tangents(n, tangent[0], tangent[1]);
  for (int i = 0; i < 3; i++) {
    double away[3], own[3];
    for (int k = 0; k < 3; k++) {
      away[k] = at[k] - pose->pos[k] + (i > 0 ? radius * tangent[i - 1][k] : 0);
    }
    pki_mat3_apply_transposed(pose->rot, away, own);
    place_in_body(c, own, out[i]);
  }
}

/* Element e of a patch; its force on the first body. */
static pk_sim_pressure pressure_of(const pk_sim *sim, const pki_soft_patch *p, int e, const double force[3],
                                   double push)
{
  const int side = p->patch.side[e], geom = p->geom[side], other = p->geom[1 - side];
  const pki_collider *c = &sim->scene.colliders.of[p->collider[side]];
  const double n[3] = {p->patch.normal[0][e], p->patch.normal[1][e], p->patch.normal[2][e]};
  const double area = p->patch.area[e], sign = side == 0 ? 1 : -1;
  pk_sim_pressure out = {.shape = geom < sim->model->nshape ? geom : -1,
                         .other = other < sim->model->nshape ? other : -1,
                         .body = p->body[side],
                         .face = p->patch.face[e],
                         .area = area,
                         .pressure = area > 0 ? push / area : 0};
  for (int k = 0; k < 3; k++) {
    out.point[k] = p->patch.at[k] + p->patch.arm[k][e];
    out.force[k] = sign * force[k];
  }
  if (out.face >= 0) {
    face_corners(c, out.face, out.corner);
  } else {
    ellipse_corners(c, &p->pose[side], out.point, n, area, out.corner);
  }
  return out;
}

int pki_sim_pressures(const pk_sim *sim, int first, pk_sim_pressure *out, int most)
{
  const struct pki_soft *s = sim->scene.soft;
  const double(*force)[3] = s != NULL ? (const double(*)[3])s->forces : NULL;
  int count = 0;
  for (int i = 0; s != NULL && s->shown && i < s->npatch; i++) {
    const pki_soft_patch *p = &s->patches[i];
    for (int e = 0; e < p->patch.n; e++, force++) {
      const double n[3] = {p->patch.normal[0][e], p->patch.normal[1][e], p->patch.normal[2][e]};
      const double push = pki_dot3(n, *force);
      if (push > 0) {
        if (count >= first && count < first + most) {
          out[count - first] = pressure_of(sim, p, e, *force, push);
        }
        count++;
      }
    }
  }
  return count;
}

int pk_sim_pressures(const pk_sim *sim, pk_sim_pressure *out, int most)
{
  return pki_sim_pressures(sim, 0, out, most);
}

void pki_sim_pressed(const pk_sim *sim, double *depth, double *pressure)
{
  const struct pki_soft *s = sim->scene.soft;
  const double(*force)[3] = s != NULL ? (const double(*)[3])s->forces : NULL;
  *depth = *pressure = 0;
  for (int i = 0; s != NULL && s->shown && i < s->npatch; i++) {
    const pki_patch *p = &s->patches[i].patch;
    for (int e = 0; e < p->n; e++, force++) {
      const double n[3] = {p->normal[0][e], p->normal[1][e], p->normal[2][e]}, push = pki_dot3(n, *force);
      if (push > 0) {
        *depth = fmax(*depth, p->depth[e]);
        *pressure = p->area[e] > 0 ? fmax(*pressure, push / p->area[e]) : *pressure;
      }
    }
  }
}

int pki_sim_soft_contacts(const pk_sim *sim)
{
  const struct pki_soft *s = sim->scene.soft;
  return s != NULL && s->shown ? s->ncontact : 0;
}

int pki_sim_pressure_room(const pk_sim *sim)
{
  return sim->scene.soft != NULL ? sim->scene.soft->elements : 0;
}
