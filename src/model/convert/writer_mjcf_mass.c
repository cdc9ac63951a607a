/* Masses as MuJoCo takes them. Most are those of the descriptions. MuJoCo judges links one by one, Pronk the bodies that
 * welded links form: where MuJoCo would refuse a link, or the compiler has mended a body, the body's first link has
 * the inertia of the whole. Where a body that moves has no mass, or no moments, it gets some that nothing feels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "model/convert/writer_mjcf.h"
#include "model/inertia.h"

/* kg and kg m^2; MuJoCo refuses less than 1e-15. */
static const double LEAST = 1e-12;

/* Of A + B over C. */
static const double MARGIN = 1e-9;

/* The same mass in the frame of a link that has that pose in the body. */
static pk_inertia seen_from_link(const pk_inertia *body, const pk_pose *link)
{
  pk_inertia out = {.mass = body->mass};
  double away[3], back[9];
  pki_sub3(body->com, link->pos, away);
  pki_mat3_apply_transposed(link->rot, away, out.com);
  pki_mat3_transpose(link->rot, back);
  pki_sym3_rotate(back, body->moment, out.moment);
  return out;
}

/* Whether a body is as heavy as the links say. */
static bool is_sum(const double sum[10], const double body[10])
{
  for (int i = 0; i < 10; i++) {
    if (!(fabs(sum[i] - body[i]) <= 1e-13 * (fabs(sum[i]) + fabs(body[i])))) {
      return false;
    }
  }
  return true;
}

/* MuJoCo wants A + B >= C of principal moments that it finds to about 1e-10 itself, unless they stand on the diagonal. */
static bool has_margin(const pk_inertia *inertia)
{
  const double *m = inertia->moment;
  double lambda[3];
  pki_sym3_eigenvalues(m, lambda);
  if (m[1] == 0 && m[2] == 0 && m[4] == 0) {
    return lambda[0] >= 0 && m[0] + m[3] >= m[5] && m[3] + m[5] >= m[0] && m[5] + m[0] >= m[3];
  }
  return lambda[0] > LEAST && lambda[0] + lambda[1] >= lambda[2] * (1 + MARGIN);
}

/* Moments with that margin, where there is none. */
static void widen_moments(pk_inertia *inertia)
{
  if (has_margin(inertia) || inertia->mass == 0) {
    return;
  }
  double lambda[3], mended[6];
  pki_balance_moments(inertia->moment, mended);
  pki_sym3_eigenvalues(mended, lambda);
  const double more = fmax(MARGIN * lambda[2], 2 * LEAST);
  mended[0] += more, mended[3] += more, mended[5] += more;
  memcpy(inertia->moment, mended, sizeof mended);
}

/* The whole body's inertia on its first link, none on the others. */
static void put_on_first(pki_writer *w, int body)
{
  const pk_model *m = w->model;
  const int first = m->body_link[body];
  const pk_inertia whole = pki_inertia_central(m->body_inertia + 10 * (size_t)body);
  for (int l = 0; l < m->nlink; l++) {
    if (m->links[l].body == body) {
      w->inertia[l] = (pk_inertia){.mass = 0};
    }
  }
  w->inertia[first] = seen_from_link(&whole, &m->links[first].pose);
  widen_moments(&w->inertia[first]);
  pki_write_lose(w, "inertias of links that MuJoCo refuses are written as that of the body that they form",
                 m->links[first].name);
}

/* Mass and moments that MuJoCo accepts. */
static void fill_least(pki_writer *w, int body)
{
  const pk_model *m = w->model;
  const pk_inertia whole = pki_inertia_central(m->body_inertia + 10 * (size_t)body);
  double lambda[3];
  pki_sym3_eigenvalues(whole.moment, lambda);
  const bool massless = !(whole.mass >= LEAST), thin = !(lambda[0] >= LEAST);
  pk_inertia *own = &w->inertia[m->body_link[body]];
  if (massless) {
    own->mass += LEAST;
    pki_write_lose(w, "links that move without mass got 1e-12 kg: MuJoCo takes none",
                   m->links[m->body_link[body]].name);
  }
  if (thin) {
    own->moment[0] += LEAST, own->moment[3] += LEAST, own->moment[5] += LEAST;
    if (!massless) {
      pki_write_lose(w, "links that turn without a moment of inertia got 1e-12 kg m^2: MuJoCo takes none",
                     m->links[m->body_link[body]].name);
    }
  }
}

void pki_choose_mjcf_masses(pki_writer *w)
{
  const pk_model *m = w->model;
  double(*sum)[10] = calloc((size_t)m->nbody + 1, sizeof *sum);
  bool *odd = calloc((size_t)m->nbody + 1, sizeof *odd);
  w->inertia = malloc((size_t)m->nlink * sizeof *w->inertia);
  if (sum == NULL || odd == NULL || w->inertia == NULL) {
    w->text.failed = true;
    free(sum), free(odd);
    return;
  }
  for (int l = 0; l < m->nlink; l++) {
    const int body = m->links[l].body;
    w->inertia[l] = w->b->links[l].desc.inertia;
    if (body >= 0) {
      pki_inertia_add(sum[body], &w->inertia[l], &m->links[l].pose);
      odd[body] = odd[body] || !has_margin(&w->inertia[l]);
    } else if (!has_margin(&w->inertia[l])) {
      w->inertia[l] = (pk_inertia){.mass = 0}; /* nothing feels it */
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_link[i] >= 0) {
      if (odd[i] || !is_sum(sum[i], m->body_inertia + 10 * (size_t)i)) {
        put_on_first(w, i);
      }
      fill_least(w, i);
    }
  }
  free(sum), free(odd);
}
