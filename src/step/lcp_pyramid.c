#include "step/lcp_pyramid.h"

#include <math.h>
#include <string.h>

#include "contact/lcp/lcp.h"
#include "contact/problem/islands.h"
#include "contact/problem/problem.h"
#include "math/mat3.h"
#include "step/contact.h"

/* Rows of an LCP: those of the problem, and two of viscous friction for each contact. */
static size_t lcp_rows(int rows, int contacts)
{
  return (size_t)rows + 2 * (size_t)contacts;
}

static int exact_room(const pk_model *model, const pk_sim_options *o)
{
  const pk_contact_problem most = pki_largest_problem(model, o);
  const int left = PKI_DENSE_ROWS - most.nbilateral - most.nbox;
  return left > 0 ? left / 3 : 0;
}

pk_status pki_lcp_pyramid_check(const pk_model *model, const pk_sim_options *o, pk_error *err)
{
  const int room = exact_room(model, o);
  if (!pki_laws[o->law]->linear || o->max_contacts <= room) {
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
  if (!pki_laws[o->law]->linear || rows > PKI_DENSE_ROWS) {
    return;
  }
  const size_t n = lcp_rows(rows, contacts), real = sizeof(double);
  e->M = pki_arena_take(arena, n * n, real);
  e->q = pki_arena_take(arena, n, real);
  e->lower = pki_arena_take(arena, n, real);
  e->upper = pki_arena_take(arena, n, real);
  e->z = pki_arena_take(arena, n, real);
  e->best = pki_arena_take(arena, n, real);
  e->findex = pki_arena_take(arena, n, sizeof *e->findex);
  e->at = pki_arena_take(arena, n, sizeof *e->at);
  e->slip = pki_arena_take(arena, (size_t)contacts, real);
  e->hit = pki_arena_take(arena, (size_t)contacts, real);
  e->jump = pki_arena_take(arena, (size_t)nu, real);
  e->memory = pki_arena_take(arena, solver_room(o, (int)n), 1);
}

void pki_lcp_pyramid_align(pk_sim *sim)
{
  pki_sim_contact *c = &sim->contact;
  for (int i = 0; i < c->nfound; i++) {
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

/* One problem with the solvers that the options choose, into e->z; the certificate into the info. */
static bool run_solvers(pk_sim *sim, const pk_lcp *lcp, pk_step_info *info)
{
  const pk_sim_options *o = &sim->options;
  pki_lcp_pyramid *e = &sim->contact.lcp_pyramid;
  const size_t bytes = (size_t)lcp->n * sizeof(double);
  attempt tries[MOST_ATTEMPTS];
  const int count = attempts_of(o->lcp, tries);
  pk_lcp_certificate best = {.residual = INFINITY, .worst = -1};
  double scale = PKI_SPEED_FLOOR; /* as of other laws */
  for (int i = 0; i < lcp->n; i++) {
    scale = fmax(scale, fabs(lcp->q[i]));
  }
  bool solved = false;
  memcpy(e->best, e->z, bytes); /* where no solver finds a number */
  for (int k = 0; k < count && !solved; k++) {
    const pk_lcp_options options = {.solver = tries[k].solver,
                                    .tolerance = o->tolerance,
                                    .max_iterations = tries[k].most > 0 && tries[k].most < o->max_iterations
                                                          ? tries[k].most
                                                          : o->max_iterations,
                                    .stop = o->stop,
                                    .change_rel = o->change_rel};
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
  const double relative = best.residual / scale;
  info->solver = PK_SOLVER_AUTO;
  info->certified &= relative <= o->tolerance;
  if (relative >= info->certificate.relative) {
    const int worst = best.worst >= 0 ? e->at[best.worst] : -1;
    info->certificate =
        (pk_contact_certificate){.residual = best.residual, .relative = relative, .worst = worst};
  }
  return relative <= o->tolerance;
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

/* Viscous friction of the closed contacts, at the velocities of the end. */
static void add_viscous_rows(pk_sim *sim, double *softness)
{
  pki_sim_contact *c = &sim->contact;
  pki_lcp_pyramid *e = &c->lcp_pyramid;
  const pki_assembly *a = &c->assembly;
  for (int i = 0; i < a->problem.ncontact; i++) {
    const pki_contact *f = &c->found[c->row_found[i]];
    const double drag = sim->options.dt * pki_contact_material(&sim->scene, f)->viscous;
    for (int t = 1; t < 3 && drag > 0 && f->gap <= pki_touching(sim); t++) {
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
  add_viscous_rows(sim, softness);
  fill_matrix(e, a, softness);
  for (int i = 0; i < e->n; i++) {
    e->z[i] = i < rows ? a->r[i] : 0;
  }
  const pk_lcp lcp = {e->n, e->M, e->q, e->lower, e->upper, e->findex};
  const bool solved = run_solvers(sim, &lcp, info);
  for (int i = 0; i < e->n; i++) {
    a->r[e->at[i]] = i < rows ? e->z[i] : a->r[e->at[i]] + e->z[i];
  }
  for (int i = 0; i < contacts; i++) {
    a->r[3 * i + 1] -= e->slip[i] > 0 ? a->mu[i] * a->r[3 * i] : 0;
  }
  return solved;
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
           "along the slip, viscous friction (Ayit 2015)",
    .prepare = pki_lcp_pyramid_align,
    .shift = exact_shift,
    .solve = pki_lcp_pyramid_solve,
    .room = exact_room,
    .variant = exact_variant,
    .reads = "viscous restitution_n restitution_t impact resting lcp landing_friction yield margin swept",
    .linear = true};
