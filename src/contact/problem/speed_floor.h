#ifndef PKI_CONTACT_PROBLEM_SPEED_FLOOR_H
#define PKI_CONTACT_PROBLEM_SPEED_FLOOR_H

/* m/s: the least scale of a residual. The residual of a world at rest is relative to this, which g dt reaches in 0.1 ms. */
#define PKI_SPEED_FLOOR 1e-3

#endif
