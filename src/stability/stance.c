/* The robot at one time: what is up, which contacts support, what wrench they give. */
#include <math.h>
#include <string.h>

#include "math/finite.h"
#include "math/mat3.h"
#include "stability/stability.h"

static pk_status check_contact(const pk_stability_contact *c, int i, pk_error *err)
{
  if (!pki_all_finite(c->point, 3) || !pki_all_finite(c->normal, 3) || !pki_all_finite(c->force, 3)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "contacts"},
                    "contact %d has a number that is not finite", i);
  }
  const double length = pki_length3(c->normal);
  if (fabs(length - 1) > 1e-6) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "contacts"},
                    "the normal of contact %d has length %g, expected 1", i, length);
  }
  if (!(c->friction >= 0) || isinf(c->friction)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "contacts"},
                    "the friction of contact %d is %g, expected a number of zero or more", i, c->friction);
  }
  return PK_OK;
}

static pk_status check_input(const pk_stability_input *in, pk_error *err)
{
  if (!(in->mass > 0) || isinf(in->mass)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "mass"},
                    "the mass is %g kg, expected a number above 0", in->mass);
  }
  const struct {
    const char *name;
    const double *x;
    int n;
  } numbers[] = {{"gravity", in->gravity, 3},    {"com", in->com, 3},
                 {"velocity", in->velocity, 3},  {"angular_momentum", in->angular_momentum, 3},
                 {"heading", in->heading, 3},    {"rate", in->rate, 6},
                 {"foot_rate", in->foot_rate, 6}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    if (numbers[i].x != NULL && !pki_all_finite(numbers[i].x, numbers[i].n)) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = numbers[i].name},
                      "%s has a number that is not finite", numbers[i].name);
    }
  }
  if (!(pki_length3(in->gravity) > 0)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "gravity"},
                    "there is no gravity, expected some: it says what is up");
  }
  pk_status status = PK_OK;
  for (int i = 0; i < in->ncontact && status == PK_OK; i++) {
    status = check_contact(&in->contacts[i], i, err);
  }
  return status;
}

/* Horizontal axes: the world's x as far as it is horizontal (its y where x is nearly upright), and the one that completes
 * them. */
static void find_axes(pki_stance *s)
{
  const int along = fabs(s->up[0]) < 0.9 ? 0 : 1;
  for (int k = 0; k < 3; k++) {
    s->x[k] = (k == along) - s->up[along] * s->up[k];
  }
  const double length = pki_length3(s->x);
  for (int k = 0; k < 3; k++) {
    s->x[k] /= length;
  }
  pki_cross3(s->up, s->x, s->y);
}

bool pki_stance_supports(const pki_stance *s, int i)
{
  const pk_stability_contact *c = &s->in->contacts[i];
  return s->least_force < 0 || pki_dot3(c->force, c->normal) > s->least_force;
}

/* By forces of contacts, or by the rates of momentum: f = d(m v)/dt - m g, n = dL/dt. */
static void find_wrench(pki_stance *s)
{
  const pk_stability_input *in = s->in;
  for (int k = 0; k < 3 && in->rate != NULL; k++) {
    s->force[k] = in->rate[3 + k] - in->mass * in->gravity[k];
    s->moment[k] = in->rate[k];
  }
  for (int i = 0; i < in->ncontact && in->rate == NULL; i++) {
    const pk_stability_contact *c = &in->contacts[i];
    double arm[3], moment[3];
    pki_sub3(c->point, in->com, arm);
    pki_cross3(arm, c->force, moment);
    for (int k = 0; k < 3; k++) {
      s->force[k] += c->force[k];
      s->moment[k] += moment[k];
    }
  }
}

pk_status pki_stance_init(pki_stance *s, const pk_stability_input *in, const pk_stability_options *options,
                          pk_error *err)
{
  const pk_status status = check_input(in, err);
  if (status != PK_OK) {
    return status;
  }
  *s = (pki_stance){.in = in, .least_force = in->rate != NULL ? -1 : options->least_force};
  s->g = pki_length3(in->gravity);
  for (int k = 0; k < 3; k++) {
    s->up[k] = -in->gravity[k] / s->g;
  }
  find_axes(s);
  int count = 0;
  for (int i = 0; i < in->ncontact; i++) {
    if (pki_stance_supports(s, i)) {
      s->ground += pki_dot3(in->contacts[i].point, s->up);
      count++;
    }
  }
  s->ground = count > 0 ? s->ground / count : NAN;
  find_wrench(s);
  return PK_OK;
}

void pki_stance_on_ground(const pki_stance *s, const double point[3], double out[3])
{
  pki_along3(point, s->ground - pki_dot3(point, s->up), s->up, out);
}

void pki_stance_centre(const pki_stance *s, const double force[3], const double moment[3], double out[3])
{
  double q[3], arm[3], n[3], across[3];
  const double pressed = pki_dot3(force, s->up);
  pki_stance_on_ground(s, s->in->com, q);
  pki_sub3(s->in->com, q, arm);
  /* moment about the point q under the centre of mass: n_q = n + (c - q) x f */
  pki_cross3(arm, force, n);
  for (int k = 0; k < 3; k++) {
    n[k] += moment[k];
  }
  /* p = q + up x n_q / (up . f) */
  pki_cross3(s->up, n, across);
  pki_along3(q, pressed > 0 ? 1 / pressed : NAN, across, out);
}
