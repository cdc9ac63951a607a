/* A time limit: work that may take long asks it now and then whether to stop. The clock is a function, so that tests bring their own. */
#ifndef PKI_BASE_TIMER_H
#define PKI_BASE_TIMER_H

#include <stdbool.h>
#include <stddef.h>

/* A clock that only runs forward. */
typedef struct pki_clock_source {
  /* s */
  double (*now)(void *user);
  void *user;
} pki_clock_source;

typedef struct pki_timer {
  pki_clock_source clock;
  /* When it expires, s of the clock. */
  double end;
  /* It has; the clock is not asked again. */
  bool expired;
  /* A part of the work was ended by its share of the time. */
  bool cut;
} pki_timer;

/* Whether time is up; NULL: it never is. */
static inline bool pki_timer_expired(pki_timer *timer)
{
  if (timer != NULL && !timer->expired) {
    timer->expired = timer->clock.now(timer->clock.user) >= timer->end;
  }
  return timer != NULL && timer->expired;
}

/* The time that passes. */
extern const pki_clock_source pki_real_clock;

/* Expires `limit` seconds from now. */
static inline pki_timer pki_timer_start(pki_clock_source clock, double limit)
{
  return (pki_timer){.clock = clock, .end = clock.now(clock.user) + limit};
}

/* Whether time ended the work, or a part of it. */
static inline bool pki_timer_ended(const pki_timer *timer)
{
  return timer->expired || timer->cut;
}

/* A part of its time, for one of so many parts of the work that is left. */
static inline pki_timer pki_timer_share(const pki_timer *timer, int parts)
{
  const double now = timer->clock.now(timer->clock.user);
  pki_timer share = *timer;
  share.cut = false;
  share.end = now + (timer->end - now) / (parts > 1 ? parts : 1);
  return share;
}

#endif
