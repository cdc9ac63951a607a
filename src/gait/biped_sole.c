/* Whether soles lie flat on the ground, from where they have had contacts since they landed. */
#include <math.h>

#include "gait/biped.h"
#include "math/mat3.h"

static const double whole =
    0.7; /* part of its length and width over which a sole has contacts when it lies flat */

/* Axes of a sole that are level when it stands flat, x ahead. */
static void level_axes(const pki_biped_now *n, int foot, double R[9])
{
  double back[9];
  pki_mat3_transpose(n->s->flat[foot], back);
  pki_mat3_mul(n->foot[foot].R, back, R);
}

/* Widen the rectangle of a sole's contacts, in these axes from its middle, by those of the last step. */
static void add_contacts(const pki_biped_now *n, const pk_observation *seen, int foot, const double R[9],
                         pki_sole_state *sole)
{
  for (int k = 0; k < seen->ncontact; k++) {
    const pk_sim_contact *contact = &seen->contacts[k];
    if (pk_sim_contact_carries(contact, seen->model, n->g->c->feet[foot].link, NULL, NULL)) {
      double off[3], at[3];
      pki_sub3(contact->point, n->foot[foot].at, off);
      pki_mat3_apply_transposed(R, off, at);
      for (int e = 0; e < 2; e++) {
        sole->least[e] = sole->touched ? fmin(sole->least[e], at[e]) : at[e];
        sole->most[e] = sole->touched ? fmax(sole->most[e], at[e]) : at[e];
      }
      sole->touched = true;
    }
  }
}

/* Whether the rectangle is most of the sole. */
static bool covers_sole(const pki_whole_foot *foot, const double flat[9], const pki_sole_state *sole)
{
  double size[2] = {0, 0};
  for (int p = 0; p < foot->npoint; p++) {
    double off[3], at[3];
    pki_sub3(foot->point[p], foot->middle, off);
    pki_mat3_apply(flat, off, at);
    size[0] = fmax(size[0], 2 * fabs(at[0])), size[1] = fmax(size[1], 2 * fabs(at[1]));
  }
  return sole->most[0] - sole->least[0] >= whole * size[0] &&
         sole->most[1] - sole->least[1] >= whole * size[1];
}

void pki_biped_feel_soles(pki_biped_now *n, const pk_observation *seen)
{
  for (int f = 0; f < 2; f++) {
    pki_sole_state *sole = &n->s->soles[f];
    double R[9];
    if (n->s->phase == PK_BIPED_SWINGS && f != n->s->stance) {
      sole->touched = false;
    }
    level_axes(n, f, R);
    add_contacts(n, seen, f, R, sole);
    n->is_flat[f] = !sole->touched || covers_sole(&n->g->c->feet[f], n->s->flat[f], sole);
  }
}
