/* Ratios of a gear between the motor of a drive and its joints: the best one, and those that can be. The drive's own ratio is not read. */
#ifndef PKI_SIZE_RATIO_H
#define PKI_SIZE_RATIO_H

#include "size/demand.h"

/* What a group of joints asks of a drive whose ratio is sought. */
typedef struct pki_ratio_search {
  pki_drive drive;
  const pki_duty *duty;
  const char (*joints)[PKI_DUTY_NAME];
  int count;
  const pki_duty_options *options;
  double from, to;
} pki_ratio_search;

/* The ratio between from and to with the least rms torque of the rotor (the least Joule heat), or with `peak` the least largest torque. */
double pki_ratio_best(const pki_ratio_search *search, bool peak);

/* The ratios that stay below all lines; false: none does. */
bool pki_ratio_range(const pki_ratio_search *search, double *least, double *largest);

#endif
