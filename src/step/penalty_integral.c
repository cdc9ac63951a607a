#include "step/penalty_integral.h"

#include <math.h>

/* The integral goes on by the time that has passed, and presses with the spring. */
static void integral_law(const pk_sim_options *o, double since, const pki_contact *f, const pk_material *m,
                         const double v[3], pki_spring *s, double lambda[3])
{
  s->push = fmax(s->push - since * o->integral_n * f->gap, 0);
  pki_penalty_law(o, since, f, m, v, s, lambda);
}

static void integral_forces(pk_sim *sim, double since, double *out)
{
  pki_add_spring_forces(sim, integral_law, true, since, out);
}

const pki_law pki_law_penalty_integral = {
    .name = "penalty-integral",
    .doc = "penalty with an integral of the depth, so that what rests does not sink in (Drumwright 2008); "
           "explicit",
    .force = integral_forces,
    .reads = PKI_SPRING_READS " integral_n",
    .hovers = true};
