/* Problems in the plane as problems in space. A contact of dimension 2 has two rows, normal and tangent, and Coulomb's law on an interval,
 * |r_T| <= mu r_N. It gets a third row, a tangent that is coupled with nothing:
 *
 *   W_33 = (W_11 + W_22)/2,   W_3j = W_j3 = 0,   q_3 = 0
 *
 * so that u_3 = W_33 r_3. A solution of the plane with r_3 = 0 is a solution in space: both tangential vectors lie along the first
 * tangent, where disc and interval agree. And there is no other: friction opposes slip, u_3 r_3 <= 0, yet u_3 r_3 = W_33 r_3^2. With the
 * mean of the other two the third row leaves the scale of the contact as it was. */
#include <stdlib.h>

#include "contact/files/problem_file.h"

/* Where a row of the plane goes. */
static int row_in_space(const pki_contact_draft *d, int row)
{
  return row < 2 * d->ncontact ? 3 * (row / 2) + row % 2 : row + d->ncontact;
}

/* values [plane] -> [space], zeros in the third rows; false when there is no memory. */
static bool embed_vector(const pki_contact_draft *d, int plane, double **values)
{
  if (*values == NULL) {
    return true;
  }
  double *out = calloc((size_t)plane + (size_t)d->ncontact + 1, sizeof *out);
  if (out == NULL) {
    return false;
  }
  for (int i = 0; i < plane; i++) {
    out[row_in_space(d, i)] = (*values)[i];
  }
  free(*values);
  *values = out;
  return true;
}

/* W, with third[contact] on the new diagonal. */
static bool embed_matrix(pki_contact_draft *d, const double *third)
{
  const pki_triplets *from = &d->W;
  const int n = from->nrow + d->ncontact;
  pki_triplets W;
  if (!pki_triplets_create(&W, n, n, from->count + (size_t)d->ncontact)) {
    pki_triplets_free(&W);
    return false;
  }
  for (size_t e = 0; e < from->count; e++) {
    W.row[e] = row_in_space(d, from->row[e]), W.col[e] = row_in_space(d, from->col[e]);
    W.value[e] = from->value[e];
  }
  for (int i = 0; i < d->ncontact; i++) {
    const size_t e = from->count + (size_t)i;
    W.row[e] = W.col[e] = 3 * i + 2;
    W.value[e] = third[i];
  }
  pki_triplets_free(&d->W);
  d->W = W;
  return true;
}

/* The mean of the diagonal of each contact; the diagonal [rows] must be positive. */
static pk_status find_third_rows(const char *file, const pki_contact_draft *d, double *diagonal,
                                 double *third, pk_error *err)
{
  for (size_t e = 0; e < d->W.count; e++) {
    if (d->W.row[e] == d->W.col[e]) {
      diagonal[d->W.row[e]] += d->W.value[e];
    }
  }
  for (int i = 0; i < 2 * d->ncontact; i++) {
    if (!(diagonal[i] > 0)) {
      return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = file, .field = "W"},
                      "the diagonal of W in row %d is %g, expected a positive number", i, diagonal[i]);
    }
    third[i / 2] += 0.5 * diagonal[i];
  }
  return PK_OK;
}

pk_status pki_contact_embed(const char *file, pki_contact_draft *d, pk_error *err)
{
  const int plane = d->W.nrow;
  if (d->dimension != 2) {
    return PK_OK;
  }
  double *diagonal = calloc((size_t)plane + 1, sizeof *diagonal);
  double *third = calloc((size_t)d->ncontact + 1, sizeof *third);
  bool good = diagonal != NULL && third != NULL;
  pk_status status = good ? find_third_rows(file, d, diagonal, third, err) : PK_OK;
  good = good && (status != PK_OK || (embed_vector(d, plane, &d->q) && embed_vector(d, plane, &d->solution) &&
                                      embed_matrix(d, third)));
  free(diagonal);
  free(third);
  if (!good) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = file},
                    "there is not enough memory for this problem");
  }
  d->dimension = status == PK_OK ? 3 : d->dimension;
  return status;
}
