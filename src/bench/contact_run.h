/* One engine in the scene of `pronk bench contact`, watched from outside. */
#ifndef PKI_BENCH_CONTACT_RUN_H
#define PKI_BENCH_CONTACT_RUN_H

#include "bench/contact_evaluator.h"
#include "bench/contact_scene.h"

/* What it did. Numbers that do not apply to the motion are NAN. */
typedef struct pki_contact_figures {
  bool fell;               /* below half its height, over, not finite, or a step failed */
  double sink_mm;          /* deepest that a foot's ball was below the plane, landing included */
  double rest_sink_mm;     /* the same at the end; standing only */
  double drift_um_per_min; /* fastest foot along the ground; level standing only */
  double creep_um_per_s;   /* feet downhill, their mean; slope only */
  double residual;         /* relative residual of the certificate: the worst step */
  double residual_median;  /* of all steps */
  double height;           /* m, of the base at the end */
  double support;          /* mean normal force over weight, while it was watched */
} pki_contact_figures;

/* A world and how far it has come. */
typedef struct pki_contact_runner {
  const pki_contact_stage *stage;
  const pki_contact_peer *table;
  int config;
  void *world;
  long long steps;
  bool failed;
} pki_contact_runner;

/* False: the engine cannot, `message` says why. */
bool pki_contact_runner_create(pki_contact_runner *run, const pki_contact_stage *stage,
                               const pki_contact_peer *table, int config, char *message, size_t size);
void pki_contact_runner_destroy(pki_contact_runner *run);

/* Step `count` times. */
void pki_contact_runner_advance(pki_contact_runner *run, int count);

/* Let it settle for some seconds, then watch it for some. */
bool pki_contact_runner_watch(pki_contact_runner *run, double settle, double watch, pki_contact_figures *out);

/* True when it lies, or is nowhere. */
bool pki_contact_is_down(const pki_contact_sample *sample);
bool pki_contact_runner_fell(pki_contact_runner *run);

#endif
