/* What rows of studies are held to.
 *
 * Each function acts on the last row that was put. A bound is given as the tolerance around the paper's value, or as a number
 * of our own where the paper prints none; the words of `tolerance` are made from the same numbers. */
#ifndef PKI_STUDY_STUDY_VERDICT_H
#define PKI_STUDY_STUDY_VERDICT_H

#include "study/study.h"

/* |measured - paper| <= part |paper|; or <= distance, in the row's unit; or paper/factor to paper times factor. */
void pki_study_hold_part(pki_study_result *result, double part);
void pki_study_hold_near(pki_study_result *result, double distance);
void pki_study_hold_factor(pki_study_result *result, double factor);

/* Bounds that are no distance from the paper's value. */
void pki_study_hold_most(pki_study_result *result, double most);
void pki_study_hold_least(pki_study_result *result, double least);
void pki_study_hold_between(pki_study_result *result, double least, double most);

/* A condition beside the value, told after the bounds: "no fall". Alone it is a tolerance too. */
__attribute__((format(printf, 3, 4))) void pki_study_require(pki_study_result *result, bool met,
                                                             const char *text, ...);

/* Why the row has no verdict; a row with a tolerance becomes one that was left out. */
__attribute__((format(printf, 2, 3))) void pki_study_excuse(pki_study_result *result, const char *why, ...);

/* Reasons that studies share: speeds; the quick form. */
extern const char pki_study_other_machine[], pki_study_quick[];

/* The verdict that follows from a row's value, bounds, conditions and words. */
pki_verdict pki_study_judge(const pki_study_row *row);

/* In words: "holds", "misses", "left out", "none". */
const char *pki_verdict_name(pki_verdict verdict);

/* Rows with this verdict; and rows with a value of the paper that have neither a tolerance nor a reason. */
int pki_study_count(const pki_study_result *result, pki_verdict verdict);
int pki_study_count_unjudged(const pki_study_result *result);

/* No row misses, and none is unjudged. */
bool pki_study_passes(const pki_study_result *result);

/* Takes a held row's value out of its bounds and judges it again, to show that a study can fail; false: no such row is held. */
bool pki_study_spoil(pki_study_result *result, const char *id);

#endif
