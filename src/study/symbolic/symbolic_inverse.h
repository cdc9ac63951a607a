/* The cost of inv(M) and of forward dynamics against the number of links (symbolic_inverse.c). */
#ifndef PKI_STUDY_SYMBOLIC_INVERSE_H
#define PKI_STUDY_SYMBOLIC_INVERSE_H

#include "report/table.h"
#include "study/study.h"

typedef enum pki_inverse_way {
  PKI_INVERSE_RECURSIVE,
  PKI_INVERSE_FACTOR, /* of M, along the tree */
  PKI_INVERSE_DENSE,
  PKI_FORWARD_ABA,
  PKI_FORWARD_CRBA,
  PKI_INVERSE_WAYS
} pki_inverse_way;

enum { PKI_INVERSE_SIZES = 12 };

typedef struct pki_inverse_data {
  int sizes;                                         /* of chains that were counted, the first ones */
  double flops[PKI_INVERSE_WAYS][PKI_INVERSE_SIZES]; /* NAN: instructions cannot be counted here */
  double apart;                                      /* largest relative difference of the inverses */
} pki_inverse_data;

extern const int pki_inverse_links[PKI_INVERSE_SIZES];
extern const char *const pki_inverse_ways[PKI_INVERSE_WAYS];   /* for rows: "inverse-recursive" */
extern const char *const pki_inverse_titles[PKI_INVERSE_WAYS]; /* for readers */

/* Chains of up to so many links. */
pk_status pki_inverse_count(pki_inverse_data *d, int most, pk_error *err);

/* The power of N with which the last doubling grows; the links from which a takes fewer operations than b, NAN: there is no such. */
double pki_inverse_power(const pki_inverse_data *d, pki_inverse_way way);
double pki_inverse_crossing(const pki_inverse_data *d, pki_inverse_way a, pki_inverse_way b);

void pki_inverse_rows(const pki_inverse_data *d, pki_study_result *result);
void pki_inverse_table(const pki_inverse_data *d, pki_table *table);

#endif
