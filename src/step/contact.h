/* Contact in a step: what a sim holds for it, and what slots (kernels/rows.h) and chains (chain_rows.h) have in common. */
#ifndef PKI_STEP_CONTACT_H
#define PKI_STEP_CONTACT_H

#include <math.h>

#include "step/world.h"

/* Parts of the world's length (pki_scene.length); of a joint limit rad. A gap of less counts as closed for warm starts, impact groups
 * and projections; a depth of less is left alone. */
#define PKI_TOUCHING 1e-6
#define PKI_PENETRATION 1e-9

static inline double pki_touching(const pk_sim *sim)
{
  return PKI_TOUCHING * sim->scene.length;
}

/* A contact that is open by more than this part of the world's length lands in the step that closes it. */
#define PKI_LANDING 1e-3

/* Friction below this part of its limit holds: the contact sticks. */
#define PKI_STICKING (1 - 1e-6)

static inline bool pki_contact_sticks(double mu, const double r[3])
{
  const double limit = PKI_STICKING * mu * r[0];
  return r[0] > 0 && r[1] * r[1] + r[2] * r[2] < limit * limit;
}

/* Projections: the tangents of what sticks may yield by this part of their own response, since with every foot stuck and joints at
 * their limits nothing else could give way; what lies within PKI_WIDENING times the violation is part of the problem, so that it
 * is not pushed through in its turn; what is deeper than PKI_DEEP of the world's length is projected more often. */
#define PKI_YIELDING 1.01
#define PKI_WIDENING 8.0
#define PKI_DEEP 1e-5
enum { PKI_PROJECTIONS = 4, PKI_MORE_PROJECTIONS = 12 };

/* Impacts come to rest that are slower than so many times g dt: what is at rest meets the ground with g dt in every step, and cannot be
 * told from a bounce as high as that. */
#define PKI_BOUNCE 4

static inline double pki_bounce_speed(const pk_sim *sim)
{
  const double *g = sim->model->gravity;
  return PKI_BOUNCE * sim->options.dt * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

/* How a step asks for its problems to be solved. */
pk_solver_options pki_step_solver(const pk_sim_options *options);

/* m, how deep positions may stay. A projection is solved in parts of the world's length, and its own tolerance is relative to 1e-3 of
 * them, as in pk_contact_certificate.relative. */
double pki_allowed_penetration(const pk_sim *sim);

/* A problem of the largest shape, for sizes: every command may reach its limit, and every joint limit and joint
 * friction that the joints have may act. */
pk_contact_problem pki_largest_problem(const pk_model *model, const pk_sim_options *options);

/* Take the arrays from an arena; with a counting arena this counts. */
void pki_scene_carve(pki_scene *c, const pk_model *model, const pk_sim_options *options, pki_arena *arena);
void pki_sim_contact_carve(pki_sim_contact *c, const pk_model *model, const pk_sim_options *options,
                           pki_arena *arena);

/* Where the pair of a surface and a material, or of two surfaces, is; npair when there is none. */
int pki_find_pair(const pki_scene *c, int surface, int material, int with);

/* What the surfaces of a contact do to each other. */
const pk_material *pki_contact_material(const pki_scene *c, const pki_contact *f);

/* The coefficient of friction of a contact: that of the pair of shapes, of the shapes, or of their materials. */
double pki_contact_coefficient(const pki_scene *c, const pki_contact *f);

/* The same in this world. */
static inline double pki_contact_friction(const pk_sim *sim, const pki_contact *f)
{
  return sim->parameters.friction * pki_contact_coefficient(&sim->scene, f);
}

/* Contact i of those found is fast enough to bounce, and may. */
static inline bool pki_contact_bounces(const pk_sim *sim, int i)
{
  const pki_sim_contact *c = &sim->contact;
  return pki_contact_material(&sim->scene, &c->found[i])->restitution_n > 0 &&
         c->speed[i] < -pki_bounce_speed(sim);
}

/* The ends of a contact's rows; `second` holds the point of the second. */
static inline pki_ends pki_contact_ends(const pki_contact *f, double second[3])
{
  for (int k = 0; k < 3; k++) {
    second[k] = f->point[k] - f->apart[k];
  }
  return (pki_ends){.body = f->body, .other = f->other, .point = f->point, .other_point = second};
}

/* Velocity (world) of the first body's point at a contact, relative to the second's, under the twists in lane `lane` of the
 * work. */
void pki_contact_velocity(const pki_work *w, int lane, const pki_contact *f, double v[3]);

/* How fast its gap opens. */
double pki_contact_opening(const pki_work *w, int lane, const pki_contact *f);

/* Contacts at the workspace's configuration into c->found; false when there is no room for all. */
bool pki_contact_find(pk_sim *sim, double margin, pk_step_info *info);

/* Gaps of flat patches (four or more contacts of one pair and normal) with a corner below the surface become those of a plane that is nowhere
 * below it, where no gap changes by more than `touching`; gaps below zero count as zero, as in the step. A corner that is below may stay there in velocities, one that
 * is above may come down, and no rigid motion does both: a face that rocks by a micrometre would throw its whole load from one
 * diagonal to the other in each step. The list is in the order of contacts. */
void pki_flatten_patches(pki_contact *list, int n, double touching);

/* Before, at or behind a contact in their order: by shapes, then by the point's name. Contacts found and those of the
 * last step are in it. */
int pki_contact_order(const int geom[2], unsigned id, const pki_contact *f);

/* Where a contact is in a list that is in this order; -1: nowhere. */
int pki_contact_search(const pki_contact *list, int n, const pki_contact *f);

/* The contact of the last step between the same two partners; -1: none. */
int pki_contact_last(const pki_sim_state *s, const pki_contact *f);

#endif
