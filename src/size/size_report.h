/* What a sizing study leaves behind: tables, report.html, parts.csv and candidates.csv. */
#ifndef PKI_SIZE_SIZE_REPORT_H
#define PKI_SIZE_SIZE_REPORT_H

#include "report/report.h"
#include "size/size_work.h"

/* The drive of each group: what it is, its use of each line, its temperatures. Begins the table. */
void pki_size_choice_table(const pki_sizing *sizing, pki_table *table);

/* The best `most` candidates of a group and the first ones that fail, with why. */
void pki_size_candidate_table(const pki_size_group *group, int most, pki_table *table);

/* The same as two tables: those that fit, and why the others do not. Of the first `most` candidates. */
void pki_size_fitting_table(const pki_size_group *group, int most, pki_table *table);
void pki_size_failing_table(const pki_size_group *group, int most, pki_table *table);

/* Both into a report, with titles, where they have rows. */
void pki_size_put_candidates(const pki_size_group *group, int most, pki_report *report);

/* Parts to be ordered: each with how many, its mass and price. */
void pki_size_parts_table(const pki_sizing *sizing, pki_table *table);

/* What the bus gives. */
void pki_size_supply_table(const pki_sizing *sizing, pki_table *table);

/* Largest loads of the bearings; rows only of joints whose loads were recorded. How many there are. */
int pki_size_bearing_table(const pki_sizing *sizing, pki_table *table);

/* The rounds of the loop. */
void pki_size_round_table(const pki_size_result *result, pki_table *table);

/* What the robot had before the rounds and has no more in them. */
void pki_size_replaced_table(const pki_size_result *result, pki_table *table);

/* The same files for scripts: all parts, and every candidate of every group. */
pk_status pki_size_parts_save(const pki_sizing *sizing, const char *path, pk_error *err);
pk_status pki_size_candidates_save(const pki_sizing *sizing, const char *path, pk_error *err);

pk_status pki_size_report_save(const pki_size_study *study, const pki_size_result *result, const char *path,
                               pk_error *err);

/* ---- size_plots.c ---- */

/* Figure 6 of Hardt and von Stryk for one joint: torque over speed at the rotor of a candidate (NULL: the one that was chosen, or the best that
 * fails), with clouds of all ratios and lines of all voltages of its motor; its own in front. Into the report, and where `path` is not NULL into a
 * file of its own. */
pk_status pki_size_plot_cloud(const pki_sizing *sizing, const pki_size_group *group, int joint,
                              const pki_drive_candidate *front, const char *id, const char *path,
                              pki_report *report, pk_error *err);

/* Mass, mean power and price of all candidates that fit, and their front. */
void pki_size_plot_front(const pki_size_group *group, const char *id, pki_report *report);

#endif
