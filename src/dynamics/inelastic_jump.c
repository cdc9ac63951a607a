/* Inelastic collisions (jump.h). All responses are computed once: J_i, X_i = inv(M) J_i', and G = J inv(M) J', for all
 * contacts. A choice of contacts that are held is a block of G:
 *
 *   G_cc P_c = -(J u-)_c,   w = J u- + G P
 *
 * Choices are tried from all contacts to none, and of equal numbers in the order of their bits; the first one in which
 * impulses push and released points part is the answer. There are at most 2^12, and nearly always the first is good.
 *
 * The block is factored by Cholesky's method. A pivot that is nothing but rounding belongs to a row that depends on those before it,
 * which hold it already: it gets no impulse. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "pronk/jump.h"

/* Parts of a pivot's row, and of the largest velocity, that are rounding. */
static const double dependent = 1e-10, rounding = 1e-9;

typedef struct collision {
  int nu, rows; /* rows: 3 for each contact */
  int count;
  const pk_jump_contact *contacts;
  double *J, *X, *wide;       /* [rows][nu]: Jacobian, inv(M) J' turned; [nu][6] of one link */
  double *G, *L;              /* [rows][rows] */
  double *before, *w, *P, *y; /* [rows]: J u-, J u+, impulses, scratch */
  double scale;               /* m/s, of velocities */
} collision;

static void carve_collision(collision *c, pki_arena *arena)
{
  const size_t nu = (size_t)c->nu, rows = (size_t)c->rows, real = sizeof(double);
  c->J = pki_arena_take(arena, rows * nu, real);
  c->X = pki_arena_take(arena, rows * nu, real);
  c->wide = pki_arena_take(arena, 6 * nu, real);
  c->G = pki_arena_take(arena, rows * rows, real);
  c->L = pki_arena_take(arena, rows * rows, real);
  double **vectors[] = {&c->before, &c->w, &c->P, &c->y};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = pki_arena_take(arena, rows, real);
  }
}

size_t pk_jump_memsize(const pk_model *model, int count)
{
  collision c = {.nu = model->nu, .rows = 3 * count};
  pki_arena arena = pki_arena_over(NULL, 0);
  if (count < 0 || count > PK_JUMP_CONTACTS) {
    return 0;
  }
  carve_collision(&c, &arena);
  return arena.used > 0 ? arena.used : PKI_ALIGN;
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static bool has_normal(const pk_jump_contact *contact)
{
  return contact->normal[0] != 0 || contact->normal[1] != 0 || contact->normal[2] != 0;
}

static pk_status check_contacts(const pk_model *m, int count, const pk_jump_contact *contacts,
                                const void *memory, pk_error *err)
{
  if (count < 0 || count > PK_JUMP_CONTACTS) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "contacts"}, "%d contacts, expected 0 to %d",
                    count, PK_JUMP_CONTACTS);
  }
  if (!pki_is_aligned(memory)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "memory"},
                    "the memory begins at %p, expected a multiple of %d bytes", memory, PKI_ALIGN);
  }
  if (m->nconstraint > 0) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "model"},
                    "the model has %d loops or cut joints, expected a tree", m->nconstraint);
  }
  for (int i = 0; i < count; i++) {
    const pk_jump_contact *c = &contacts[i];
    if (c->link < 0 || c->link >= m->nlink) {
      return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "contacts"},
                      "contact %d is of link %d, expected 0 to %d", i, c->link, m->nlink - 1);
    }
    const double length = sqrt(dot(c->normal, c->normal, 3));
    if (has_normal(c) && !(fabs(length - 1) < 1e-9)) {
      return pki_fail(
          err, PK_ERROR_ARGUMENT, (pki_where){.field = "contacts"},
          "the normal of contact %d has the length %.12g, expected 1, or 0 for a point that is held", i,
          length);
    }
  }
  return PK_OK;
}

/* J, X and G of all contacts. */
static pk_status respond(pk_workspace *w, const double *q, collision *c)
{
  const size_t nu = (size_t)c->nu, rows = (size_t)c->rows;
  for (int i = 0; i < c->count; i++) {
    const pk_jump_contact *contact = &c->contacts[i];
    const pk_status status = pk_link_response(w, q, contact->link, contact->point, c->wide, NULL);
    if (status != PK_OK) {
      return status;
    }
    double *const X = c->X + 3 * (size_t)i * nu;
    for (size_t k = 0; k < nu; k++) {
      for (size_t r = 0; r < 3; r++) {
        X[r * nu + k] = c->wide[6 * k + 3 + r];
      }
    }
    pk_link_jacobian(w, contact->link, contact->point, c->wide);
    memcpy(c->J + 3 * (size_t)i * nu, c->wide + 3 * nu, 3 * nu * sizeof *c->J);
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t s = 0; s < rows; s++) {
      c->G[r * rows + s] = dot(c->J + r * nu, c->X + s * nu, c->nu);
    }
  }
  return PK_OK;
}

/* P of the rows in `own` [n], the others zero: L L' by rows, dependent ones left out. */
static void solve_block(collision *c, const int *own, int n)
{
  double *const L = c->L, *const y = c->y;
  for (int i = 0; i < n; i++) {
    double rest = c->G[own[i] * c->rows + own[i]];
    const double whole = rest;
    y[i] = -c->before[own[i]];
    for (int j = 0; j < i; j++) {
      const double pivot = L[j * n + j];
      const double sum = c->G[own[i] * c->rows + own[j]] - dot(L + i * n, L + j * n, j);
      L[i * n + j] = pivot > 0 ? sum / pivot : 0;
      rest -= L[i * n + j] * L[i * n + j];
      y[i] -= L[i * n + j] * y[j];
    }
    L[i * n + i] = rest > dependent * whole ? sqrt(rest) : 0;
    y[i] = L[i * n + i] > 0 ? y[i] / L[i * n + i] : 0;
  }
  memset(c->P, 0, (size_t)c->rows * sizeof *c->P);
  for (int i = n - 1; i >= 0; i--) {
    double sum = y[i];
    for (int j = i + 1; j < n; j++) {
      sum -= L[j * n + i] * c->P[own[j]];
    }
    c->P[own[i]] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0;
  }
}

/* Impulses with these contacts held, and whether they may be: those push, and the others part. */
static bool try_held(collision *c, unsigned held)
{
  int own[3 * PK_JUMP_CONTACTS], n = 0;
  for (int r = 0; r < c->rows; r++) {
    if (held >> (r / 3) & 1) {
      own[n++] = r;
    }
  }
  solve_block(c, own, n);
  bool good = true;
  for (int i = 0; i < c->count; i++) {
    const double *normal = c->contacts[i].normal;
    double along = 0, parts = 0;
    for (int r = 3 * i; r < 3 * i + 3; r++) {
      c->w[r] = c->before[r] + dot(c->G + r * c->rows, c->P, c->rows);
      along += normal[r - 3 * i] * c->P[r];
      parts += normal[r - 3 * i] * c->w[r];
    }
    /* an impulse is rounding where it could not make more than a velocity that is */
    const double small = rounding * c->scale;
    const double most = c->G[3 * i * (c->rows + 1)];
    good = good && (held >> i & 1 ? along * most >= -small : parts >= -small);
  }
  return good;
}

/* Choices with fewer and fewer contacts; those without a normal are in all of them. */
static bool choose_held(collision *c)
{
  const unsigned all = (1u << c->count) - 1;
  unsigned always = 0;
  for (int i = 0; i < c->count; i++) {
    always |= (unsigned)!has_normal(&c->contacts[i]) << i;
  }
  for (int size = c->count; size >= 0; size--) {
    for (unsigned held = all + 1; held-- > 0;) {
      if (__builtin_popcount(held) == size && (held & always) == always && try_held(c, held)) {
        return true;
      }
    }
  }
  return false;
}

pk_status pk_jump(pk_workspace *w, const double *q, const double *u, int count,
                  const pk_jump_contact *contacts, void *memory, double *u_out, double *impulse,
                  pk_error *err)
{
  const pk_model *m = pk_workspace_model(w);
  pk_status status = check_contacts(m, count, contacts, memory, err);
  if (status != PK_OK) {
    return status;
  }
  collision c = {.nu = m->nu, .rows = 3 * count, .count = count, .contacts = contacts};
  pki_arena arena = pki_arena_over(memory, pk_jump_memsize(m, count));
  carve_collision(&c, &arena);
  status = respond(w, q, &c);
  double sum = 0;
  for (int r = 0; r < c.rows && status == PK_OK; r++) {
    c.before[r] = dot(c.J + r * c.nu, u, c.nu);
    c.scale = fmax(c.scale, fabs(c.before[r]));
    sum += c.before[r] + c.G[r * c.rows + r];
  }
  if (status != PK_OK || !isfinite(sum)) {
    return pki_fail(err, PK_ERROR_NONFINITE, (pki_where){0},
                    "the velocities of the contacts are no numbers: the state is none, or a mass is missing");
  }
  if (!choose_held(&c)) {
    return pki_fail(
        err, PK_ERROR_CONVERGENCE, (pki_where){.field = "contacts"},
        "whichever of the %d contacts are held, one of them pulls or a released one goes on into what "
        "it hits",
        count);
  }
  for (int k = 0; k < c.nu; k++) {
    u_out[k] = u[k];
    for (int r = 0; r < c.rows; r++) {
      u_out[k] += c.X[r * c.nu + k] * c.P[r];
    }
  }
  if (impulse != NULL) {
    memcpy(impulse, c.P, (size_t)c.rows * sizeof *impulse);
  }
  return PK_OK;
}
