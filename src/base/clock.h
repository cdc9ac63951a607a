/* Time as it passes. */
#ifndef PKI_BASE_CLOCK_H
#define PKI_BASE_CLOCK_H

/* s of a clock that only runs forward. */
double pki_clock(void);

/* s that the calling thread has computed: others on the machine do not count. */
double pki_clock_thread(void);

#endif
