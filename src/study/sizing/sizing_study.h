/* Figure 6 of Hardt and von Stryk: what the parts of the study share. */
#ifndef PKI_STUDY_SIZING_SIZING_STUDY_H
#define PKI_STUDY_SIZING_SIZING_STUDY_H

#include "size/size_report.h"
#include "study/study.h"

/* The paper's choice. */
#define PKI_SIZING_RATIO 66.0
#define PKI_SIZING_VOLTAGE 42.0

/* A brushed motor of the class that robots had in 2002; the paper does not name its own. */
#define PKI_SIZING_MOTOR "maxon-re40"

/* The best candidate of a motor (NULL: of any), on a ratio and a voltage (0: any); -1: there is none. */
int pki_sizing_find(const pki_size_group *group, const char *motor, double ratio, double voltage);

/* A walk of four cycles in the simulator. */
typedef struct pki_sizing_walk {
  double voltage; /* V of the bus */
  double limited; /* steps in which some actuator was at a limit of force, current or voltage */
  double steps;   /* of the walk */
  double used;    /* V, largest of all motors */
  bool fell;
} pki_sizing_walk;

/* The choice in the simulator: on its own bus, and on the next weaker one, which the sizing says is too weak. */
typedef struct pki_sizing_check {
  bool made;    /* there was a choice, and both walks were made */
  double needs; /* V, largest that the walk asks for by the sizing, without losses of the gear */
  pki_sizing_walk chosen, weaker;
} pki_sizing_check;

/* Into folder/simulated. */
pk_status pki_sizing_simulate(const pki_sizing *z, const char *folder, pki_sizing_check *out, pk_error *err);

void pki_sizing_rows(const pki_size_result *result, const pki_sizing_check *check, pki_study_result *out);
pk_status pki_sizing_report(const pki_size_result *result, const pki_study_options *options,
                            pki_study_result *out, pk_error *err);

#endif
