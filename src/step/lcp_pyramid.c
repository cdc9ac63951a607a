#include "step/lcp_pyramid.h"

#include <math.h>
#include <string.h>

#include "contact/lcp/lcp.h"
#include "contact/lcp/norm_cone.h"
#include "contact/problem/islands.h"
#include "contact/problem/problem.h"
#include "math/mat3.h"
#include "step/contact.h"

/* Rows of an LCP: those of the problem, and two of viscous friction for each contact. */
static size_t lcp_rows(int rows, int contacts)
{
  return (size_t)rows + 2 * (size_t)contacts;
}

int pki_dense_room(const pk_model *model, const pk_sim_options *o)
{
  const pk_contact_problem most = pki_largest_problem(model, o);
  const int left = PKI_DENSE_ROWS - most.nbilateral - most.nbox;
  return left > 0 ? left / 3 : 0;
}

pk_status pki_lcp_pyramid_check(const pk_model *model, const pk_sim_options *o, pk_error *err)
{
  const int room = pki_dense_room(model, o);
  if (pki_laws[o->law]->room == NULL || o->max_contacts <= room) {
    return PK_OK;
  }
  return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.field = "max_contacts"},
                  "max_contacts is %d; the law %s keeps a dense matrix and can have %d in this world",
                  o->max_contacts, pki_laws[o->law]->name, room);
}

/* Which solvers run, one after the other until the problem is solved. The first sweeps are few: most steps differ little
 * from the last. */
typedef struct attempt {
  pk_lcp_solver solver;
  int most; /* sweeps or pivots, 0: the options' */
} attempt;

enum { MOST_ATTEMPTS = 4 };

static int attempts_of(pk_lcp_choice choice, attempt out[MOST_ATTEMPTS])
{
  static const attempt all[MOST_ATTEMPTS] = {
      {PK_LCP_SOLVER_PGS, 100}, {PK_LCP_SOLVER_LEMKE, 0}, {PK_LCP_SOLVER_DANTZIG, 0}, {PK_LCP_SOLVER_PGS, 0}};
  memcpy(out, all, sizeof all);
  if (choice == PK_LCP_CHOICE_AUTO) {
    return MOST_ATTEMPTS;
  }
  out[0] = (attempt){(pk_lcp_solver)(choice - 1), 0}; /* choices are auto, then the solvers */
  return 1;
}

/* Scratch of all solvers that may run, for any bounds. */
static size_t solver_room(const pk_sim_options *o, int rows)
{
  attempt tries[MOST_ATTEMPTS];
  const int count = attempts_of(o->lcp, tries);
  size_t most = 0;
  for (int k = 0; k < count; k++) {
    const size_t size = pki_lcp_room(tries[k].solver, rows, 2 * rows);
    most = size > most ? size : most;
  }
  return most;
}

void pki_lcp_pyramid_carve(pki_lcp_pyramid *e, const pk_sim_options *o, int nu, int rows, int contacts,
                           pki_arena *arena)
{
  *e = (pki_lcp_pyramid){.n = 0};
  const size_t n = lcp_rows(rows, contacts), real = sizeof(double), found = (size_t)contacts;
  if (pki_laws[o->law]->room == NULL || rows > PKI_DENSE_ROWS) {
    return;
  }
  e->w = pki_arena_take(arena, n, real);
  e->hit = pki_arena_take(arena, 3 * found, real);
  e->jump = pki_arena_take(arena, (size_t)nu, real);
  if (!pki_laws[o->law]->linear) {
    return;
  }
  e->M = pki_arena_take(arena, n * n, real);
  e->q = pki_arena_take(arena, n, real);
  e->lower = pki_arena_take(arena, n, real);
  e->upper = pki_arena_take(arena, n, real);
  e->z = pki_arena_take(arena, n, real);
  e->best = pki_arena_take(arena, n, real);
  e->findex = pki_arena_take(arena, n, sizeof *e->findex);
  e->at = pki_arena_take(arena, n, sizeof *e->at);
  e->slip = pki_arena_take(arena, found, real);
  e->smooth = pki_arena_take(arena, 3 * found, real);
  e->drag = pki_arena_take(arena, found, real);
  e->memory = pki_arena_take(arena, solver_room(o, (int)n), 1);
}

void pki_lcp_pyramid_align(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  const bool aligned = sim->options.cone != PK_FRICTION_CONE_SQUARE;
  for (int i = 0; i < c->nfound && aligned; i++) {
    pki_contact *f = &c->found[i];
    double v[3];
    pki_contact_velocity(&sim->workspace->work, 0, f, v);
    const double normal = pki_dot3(f->normal, v);
    for (int k = 0; k < 3; k++) {
      v[k] -= normal * f->normal[k];
    }
    const double slip = sqrt(pki_dot3(v, v));
    if (slip > 1e-6) { /* m/s; slower has no direction to speak of */
      for (int k = 0; k < 3; k++) {
        f->tangent1[k] = v[k] / slip;
      }
      pki_cross3(f->normal, f->tangent1, f->tangent2);
    }
  }
}

static void exact_shift(pk_sim *sim, int contact, const double *u, const double *u_free)
{
  (void)u, (void)u_free;
  sim->contact.lcp_pyramid.slip[contact] = 0;
}

/* What residuals of a problem are relative to, as of other laws. */
static double scale_of(const pk_lcp *lcp)
{
  double scale = PKI_SPEED_FLOOR;
  for (int i = 0; i < lcp->n; i++) {
    scale = fmax(scale, fabs(lcp->q[i]));
  }
  return scale;
}

static pk_lcp_options options_of(const pk_sim_options *o, const attempt *try)
{
  const bool fewer = try->most > 0 && try->most < o->max_iterations;
  return (pk_lcp_options){.solver = try->solver,
                          .tolerance = o->tolerance,
                          .max_iterations = fewer ? try->most : o->max_iterations,
                          .stop = o->stop,
                          .change_rel = o->change_rel};
}

/* The problem with the solvers that the options choose, into e->z. */
static pk_lcp_certificate try_solvers(pk_sim *sim, const pk_lcp *lcp, double scale, pk_step_info *info)
{
  const pk_sim_options *o = &sim->options;
  pki_lcp_pyramid *e = &sim->contact.lcp_pyramid;
  const size_t bytes = (size_t)lcp->n * sizeof(double);
  attempt tries[MOST_ATTEMPTS];
  const int count = attempts_of(o->lcp, tries);
  pk_lcp_certificate best = {.residual = INFINITY, .worst = -1};
  bool solved = false;
  memcpy(e->best, e->z, bytes); /* where no solver finds a number */
  for (int k = 0; k < count && !solved; k++) {
    const pk_lcp_options options = options_of(o, &tries[k]);
    pk_lcp_result result;
    const pk_status status = pk_lcp_solve(lcp, &options, e->z, e->memory, &result);
    info->solver_iterations += result.iterations;
    solved = status == PK_OK || result.certificate.residual <= o->tolerance * scale;
    if (result.certificate.residual < best.residual) {
      best = result.certificate;
      info->lcp_solver = tries[k].solver;
      memcpy(e->best, e->z, bytes);
    }
    memcpy(e->z, e->best, bytes);
    solved |= status != PK_OK && result.outcome == PK_LCP_OUTCOME_INFEASIBLE; /* no impulses can */
  }
  return best;
}

/* The same with friction in one bound on the norm: by sweeps alone. */
static pk_lcp_certificate sweep_norm_cone(pk_sim *sim, const pk_lcp *lcp, double scale, pk_step_info *info)
{
  const pki_sim_contact *c = &sim->contact;
  const pki_lcp_pyramid *e = &c->lcp_pyramid;
  const pki_norm_cone problem = {lcp, c->assembly.problem.ncontact, e->drag};
  const pk_lcp_options options = options_of(&sim->options, &(attempt){PK_LCP_SOLVER_PGS, 0});
  pk_lcp_result result;
  pki_norm_cone_solve(&problem, &options, scale, e->z, e->best, e->w, &result);
  info->solver_iterations += result.iterations;
  info->lcp_solver = PK_LCP_SOLVER_PGS;
  return result.certificate;
}

/* The problem into e->z; the certificate into the info. */
static bool solve_lcp(pk_sim *sim, const pk_lcp *lcp, pk_step_info *info)
{
  const pk_sim_options *o = &sim->options;
  const double scale = scale_of(lcp);
  const pk_lcp_certificate best = o->cone == PK_FRICTION_CONE_NORM ? sweep_norm_cone(sim, lcp, scale, info)
                                                                   : try_solvers(sim, lcp, scale, info);
  const double relative = best.residual / scale;
  info->solver = PK_SOLVER_AUTO;
  info->certified &= relative <= o->tolerance;
  if (relative >= info->certificate.relative) {
    const int worst = best.worst >= 0 ? sim->contact.lcp_pyramid.at[best.worst] : -1;
    info->certificate =
        (pk_contact_certificate){.residual = best.residual, .relative = relative, .worst = worst};
  }
  return relative <= o->tolerance;
}

/* Coulomb's law on the disc, for the impulses that were found: those of viscous friction belong to no bound of it. */
static void judge_by_coulomb(pk_sim *sim, pk_step_info *info)
{
  const pki_lcp_pyramid *e = &sim->contact.lcp_pyramid;
  const pki_assembly *a = &sim->contact.assembly;
  const pk_contact_problem *p = &a->problem;
  const int rows = pk_contact_size(p);
  double *const r = e->best, *const u = e->w;
  pk_contact_velocity(p, a->r, u);
  memcpy(r, a->r, (size_t)rows * sizeof *r);
  for (int i = rows; i < e->n; i++) {
    r[e->at[i]] -= e->z[i];
  }
  for (int row = 0; row < 3 * p->ncontact; row++) {
    const double drag = r[row - row % 3] > 0 ? e->drag[row / 3] : 0;
    r[row] += row % 3 > 0 ? drag * u[row] : 0;
  }
  const pk_contact_certificate found = pki_certify_velocity(p, NULL, r, u);
  if (found.relative >= info->coulomb_relative) {
    info->coulomb = found.residual, info->coulomb_relative = found.relative;
  }
}

/* Row i of the problem as row e->n of the LCP; its bounds. */
static void add_row(pki_lcp_pyramid *e, int i, double q, double lower, double upper, int findex)
{
  const int at = e->n++;
  e->at[at] = i;
  e->q[at] = q, e->lower[at] = lower, e->upper[at] = upper, e->findex[at] = findex;
}

/* A contact's rows. One that slides (resting.h) has its friction in the columns of its normal. */
static void add_contact_rows(pki_lcp_pyramid *e, const pki_assembly *a, int contact)
{
  const int n = 3 * contact;
  const double mu = e->slip[contact] > 0 ? 0 : a->mu[contact];
  add_row(e, n, a->q[n], 0, INFINITY, -1);
  for (int t = 1; t < 3; t++) {
    add_row(e, n + t, a->q[n + t], -mu, mu, n);
  }
}

/* Viscous friction of the closed contacts, at the velocities of the end: rows of its own, or a part of the bound. */
static void add_viscous_friction(pk_sim *sim, double *softness)
{
  pki_sim_contact *c = &sim->contact;
  pki_lcp_pyramid *e = &c->lcp_pyramid;
  const pki_assembly *a = &c->assembly;
  const bool bound = sim->options.cone == PK_FRICTION_CONE_NORM;
  for (int i = 0; i < a->problem.ncontact; i++) {
    const pki_contact *f = &c->found[c->row_found[i]];
    const bool closed = f->gap <= pki_touching(sim);
    const double drag = closed ? sim->options.dt * pki_contact_material(&sim->scene, f)->viscous : 0;
    e->drag[i] = bound ? drag : 0;
    for (int t = 1; t < 3 && drag > 0 && !bound; t++) {
      softness[e->n] = 1 / drag;
      add_row(e, 3 * i + t, a->q[3 * i + t], -INFINITY, INFINITY, -1);
    }
  }
}

/* M from W; in the columns of sliding contacts friction goes along with the normal impulse. */
static void fill_matrix(pki_lcp_pyramid *e, const pki_assembly *a, const double *softness)
{
  const size_t n = (size_t)e->n, rows = (size_t)pk_contact_size(&a->problem);
  for (size_t i = 0; i < n; i++) {
    const double *W = a->W + (size_t)e->at[i] * rows;
    double *M = e->M + i * n;
    for (size_t k = 0; k < n; k++) {
      M[k] = W[e->at[k]];
    }
    M[i] += softness[i];
    for (int c = 0; c < a->problem.ncontact; c++) {
      if (e->slip[c] > 0) {
        M[3 * c] -= a->mu[c] * W[3 * c + 1];
      }
    }
  }
}

bool pki_lcp_pyramid_solve(pk_sim *sim, pk_step_info *info)
{
  pki_sim_contact *c = &sim->contact;
  pki_lcp_pyramid *e = &c->lcp_pyramid;
  pki_assembly *a = &c->assembly;
  const pk_contact_problem *p = &a->problem;
  const int contacts = p->ncontact, rows = pk_contact_size(p);
  double *softness = e->best; /* until the solvers write there */
  e->n = 0;
  for (int i = 0; i < contacts; i++) {
    add_contact_rows(e, a, i);
  }
  for (int i = 3 * contacts; i < rows; i++) {
    const int box = i - 3 * contacts - p->nbilateral;
    add_row(e, i, a->q[i], box < 0 ? -INFINITY : a->lower[box], box < 0 ? INFINITY : a->upper[box], -1);
  }
  memset(softness, 0, lcp_rows(rows, contacts) * sizeof *softness);
  add_viscous_friction(sim, softness);
  fill_matrix(e, a, softness);
  for (int i = 0; i < e->n; i++) {
    e->z[i] = i < rows ? a->r[i] : 0;
  }
  const pk_lcp lcp = {e->n, e->M, e->q, e->lower, e->upper, e->findex};
  const bool solved = solve_lcp(sim, &lcp, info);
  for (int i = 0; i < e->n; i++) {
    a->r[e->at[i]] = i < rows ? e->z[i] : a->r[e->at[i]] + e->z[i];
  }
  for (int i = 0; i < contacts; i++) {
    a->r[3 * i + 1] -= e->slip[i] > 0 ? a->mu[i] * a->r[3 * i] : 0;
  }
  judge_by_coulomb(sim, info);
  return solved;
}

static void solve_velocities(pk_sim *sim, pk_step_info *info)
{
  pki_lcp_pyramid_solve(sim, info);
}

pk_judged_law pki_lcp_pyramid_judged(const pk_sim_options *options)
{
  static const pk_judged_law laws[PK_FRICTION_CONE_COUNT] = {[PK_FRICTION_CONE_PYRAMID] =
                                                                 PK_JUDGED_LAW_PYRAMID,
                                                             [PK_FRICTION_CONE_SQUARE] = PK_JUDGED_LAW_SQUARE,
                                                             [PK_FRICTION_CONE_NORM] = PK_JUDGED_LAW_NORM};
  return laws[options->cone];
}

static const pki_law *exact_variant(const pk_sim_options *options)
{
  return options->resting == PK_CONTACT_RESTING_ACCELERATION ? &pki_law_lcp_pyramid_in_accelerations
                                                             : &pki_law_lcp_pyramid;
}

const pki_law pki_law_lcp_pyramid = {
    .name = "lcp-pyramid",
    .former = "exact-lcp",
    .doc = "a linear complementarity problem: impulses with restitution, friction on a pyramid "
           "along the slip (or `cone`), viscous friction (Ayit 2015)",
    .prepare = pki_lcp_pyramid_align,
    .shift = exact_shift,
    .solve = solve_velocities,
    .room = pki_dense_room,
    .variant = exact_variant,
    .judged = pki_lcp_pyramid_judged,
    .reads =
        "viscous restitution_n restitution_t impact resting lcp cone landing_friction yield margin swept",
    .linear = true};
