#include "sense/loads.h"

#include <string.h>

#include "math/mat3.h"

/* A force at a place joins a sum about a point: moment, then force. */
static void add_force(double sum[6], const double point[3], const double at[3], const double force[3],
                      double sign)
{
  double arm[3], moment[3];
  pki_sub3(at, point, arm);
  pki_cross3(arm, force, moment);
  for (int i = 0; i < 3; i++) {
    sum[i] += sign * moment[i];
    sum[3 + i] += sign * force[i];
  }
}

void pki_relieve_body(pk_workspace *w, int body, const double point[3], const double force[3],
                      const double moment[3])
{
  for (; body >= 0; body = w->model->body_parent[body]) {
    const size_t entry = (size_t)(body + 1);
    double *const load = w->work.force + 6 * entry;
    add_force(load, w->work.origin + 3 * entry, point, force, -1);
    for (int i = 0; i < 3 && moment != NULL; i++) {
      load[i] -= moment[i];
    }
  }
}

void pki_relieve_contacts(pk_workspace *w, const pk_sim_contact *contacts, int ncontact, double dt)
{
  const pk_model_link *const links = w->model->links;
  for (int i = 0; i < ncontact; i++) {
    const pk_sim_contact *c = &contacts[i];
    double force[3], back[3];
    for (int k = 0; k < 3; k++) {
      force[k] = c->impulse[k] / dt, back[k] = -force[k];
    }
    pki_relieve_body(w, links[c->link].body, c->point, force, NULL);
    if (c->other_link >= 0) {
      pki_relieve_body(w, links[c->other_link].body, c->point, back, NULL);
    }
  }
}

void pki_load_at(const pk_workspace *w, int body, const double point[3], double load[6])
{
  const size_t entry = (size_t)(body + 1);
  const double *const held = w->work.force + 6 * entry;
  memcpy(load, held, 3 * sizeof *load);
  memset(load + 3, 0, 3 * sizeof *load);
  add_force(load, point, w->work.origin + 3 * entry, held + 3, 1);
}

/* ---- within a body ---- */

/* What one link needs to move as it does, about `point`. */
static void add_inertial_force(const pk_workspace *w, const pk_model_link *l, const double point[3],
                               double sum[6])
{
  const pk_pose pose = pki_com_in_body(l);
  const pki_frame f = pki_frame_in_body(w, l->body, &pose);
  double force[3], spin[3], moment[3], gyroscopic[3];
  pki_apply_moment(&f, l->inertia.moment, f.w, spin);
  pki_apply_moment(&f, l->inertia.moment, f.dw, moment);
  pki_cross3(f.w, spin, gyroscopic);
  for (int i = 0; i < 3; i++) {
    force[i] = l->inertia.mass * f.dv[i];
    sum[i] += moment[i] + gyroscopic[i];
  }
  add_force(sum, point, f.p, force, 1);
}

/* The link of a body, or of the first one behind it that has a link: a joint of several motions has bodies without one. */
static int link_behind(const pk_model *m, int body)
{
  while (m->body_link[body] < 0) {
    int next = body + 1;
    while (m->body_parent[next] != body) {
      next++;
    }
    body = next;
  }
  return m->body_link[body];
}

/* Links of the same body that are fixed to this one, the contacts on them, and the bodies that hang on them. */
static void add_fixed_links(const pk_workspace *w, const pk_sim_contact *contacts, int ncontact, double dt,
                            int link, const double point[3], double sum[6])
{
  const pk_model *m = w->model;
  const int body = m->links[link].body;
  for (int i = 0; i < m->nlink; i++) {
    if (m->links[i].body == body && pki_hangs_on(m, i, link)) {
      add_inertial_force(w, &m->links[i], point, sum);
    }
  }
  for (int i = 0; i < ncontact; i++) {
    const pk_sim_contact *c = &contacts[i];
    const double force[3] = {c->impulse[0] / dt, c->impulse[1] / dt, c->impulse[2] / dt};
    if (m->links[c->link].body == body && pki_hangs_on(m, c->link, link)) {
      add_force(sum, point, c->point, force, -1);
    }
    if (c->other_link >= 0 && m->links[c->other_link].body == body && pki_hangs_on(m, c->other_link, link)) {
      add_force(sum, point, c->point, force, 1);
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_parent[i] == body && pki_hangs_on(m, m->links[link_behind(m, i)].parent, link)) {
      double load[6];
      pki_load_at(w, i, point, load);
      for (int k = 0; k < 6; k++) {
        sum[k] += load[k];
      }
    }
  }
}

void pki_held_wrench(const pk_workspace *w, const pk_sim_contact *contacts, int ncontact, double dt, int link,
                     const double point[3], double load[6])
{
  const int body = w->model->links[link].body;
  if (body >= 0 && w->model->body_link[body] == link) {
    pki_load_at(w, body, point, load);
    return;
  }
  memset(load, 0, 6 * sizeof *load);
  add_fixed_links(w, contacts, ncontact, dt, link, point, load);
}
