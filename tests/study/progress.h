/* Progress of a study: it grows, and says what it is at. */
#ifndef PROGRESS_H
#define PROGRESS_H

static inline void remember_progress(void *user, double fraction, const char *what)
{
  double *last = user;
  assert_true(fraction >= *last && fraction <= 1);
  assert_true(what[0] != '\0');
  *last = fraction;
}

#endif
