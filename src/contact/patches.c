#include "contact/patches.h"

#include <math.h>
#include <string.h>

pki_patches pki_patches_take(pki_arena *arena, const pk_contact_problem *p)
{
  const size_t rows = (size_t)pk_contact_size(p), groups = rows - 2 * (size_t)p->ncontact;
  const pk_contact_factor f = {.n = p->factor->n, .stride = p->factor->stride};
  const pk_contact_problem shape = {.nbox = PKI_PATCH_ROWS, .factor = &f};
  pki_patches s = {.part = pki_islands_take(arena, &shape)};
  s.diagonal = pki_arena_take(arena, rows, sizeof(double));
  s.residual = pki_arena_take(arena, groups, sizeof(double));
  s.layer = pki_arena_take(arena, groups, sizeof(int));
  s.touched = pki_arena_take(arena, (size_t)p->factor->n, 1);
  return s;
}

void pki_patches_begin(pki_patches *s, const pk_contact_problem *p)
{
  for (int i = 0; i < pk_contact_size(p); i++) {
    s->diagonal[i] = pki_diagonal(p, i);
  }
}

int pki_patches_judge(pki_patches *s, pki_solve *run, double goal, int *worst)
{
  const pk_contact_problem *p = run->p;
  const int groups = pk_contact_size(p) - 2 * p->ncontact;
  int above = 0;
  pk_contact_velocity(p, run->r, run->u);
  pki_solve_check_diagonal(run, s->diagonal);
  pki_contact_residuals(p, s->diagonal, run->r, run->u, s->residual);
  *worst = 0;
  for (int g = 0; g < groups; g++) {
    above += s->residual[g] > goal;
    *worst = s->residual[g] > s->residual[*worst] ? g : *worst;
  }
  return above;
}

/* Whether a group moves what the patch moves; `mark`: it joins. */
static bool touches(const pki_patches *s, const pk_contact_problem *p, int group, bool mark)
{
  const pk_contact_factor *f = p->factor;
  const int row = pki_first_row(p, group), lanes = group < p->ncontact ? 3 : 1;
  bool found = false;
  for (int i = row; i < row + lanes; i++) {
    const size_t from = (size_t)i * (size_t)f->stride;
    for (size_t e = from; e < from + (size_t)f->count[i]; e++) {
      const bool moves = f->Y[e] != 0 && f->weight[f->col[e]] != 0;
      found |= moves && s->touched[f->col[e]];
      s->touched[f->col[e]] |= moves && mark;
    }
  }
  return found;
}

/* Layer after layer around the group until there are enough rows; their number comes back. */
static int grow(pki_patches *s, const pk_contact_problem *p, int group, int most)
{
  const int groups = pk_contact_size(p) - 2 * p->ncontact;
  int rows = group < p->ncontact ? 3 : 1;
  memset(s->touched, 0, (size_t)p->factor->n);
  for (int g = 0; g < groups; g++) {
    s->layer[g] = -1;
  }
  s->layer[group] = 0;
  touches(s, p, group, true);
  for (int layer = 1, before = 0; rows != before; layer++) {
    before = rows;
    for (int g = 0; g < groups; g++) {
      const int lanes = g < p->ncontact ? 3 : 1;
      if (s->layer[g] < 0 && rows + lanes <= most && touches(s, p, g, false)) {
        s->layer[g] = layer;
        rows += lanes;
      }
    }
    for (int g = 0; g < groups; g++) {
      if (s->layer[g] == layer) {
        touches(s, p, g, true);
      }
    }
  }
  return rows;
}

void pki_patches_gather(pki_patches *s, const pki_solve *run, int group, int rows)
{
  const pk_contact_problem *p = run->p;
  pki_islands *part = &s->part;
  const int groups = pk_contact_size(p) - 2 * p->ncontact;
  const int n = grow(s, p, group, rows);
  int count = 0;
  for (int g = 0; g < groups; g++) {
    if (s->layer[g] >= 0) {
      part->groups[count++] = g;
    }
  }
  pki_islands_select(part, p, count);
  pki_islands_gather(part, p, 0, run->r);
  part->p.W = pki_islands_fill_W(part);
  part->p.factor = NULL;
  for (int i = 0; i < n; i++) {
    part->q[i] = run->u[part->row[i]] - pki_dot(part->W + (size_t)i * (size_t)n, part->r, n);
  }
}
