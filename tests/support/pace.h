/* How much of a long test to run: all of it, or a part where a sanitizer makes every step slow. What the part cannot show is
 * said: SKIP_WHEN_SLOW ends a test as skipped, after what it shares with the whole, and `make test` lists it. */
#ifndef PK_TESTS_PACE_H
#define PK_TESTS_PACE_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PK_TEST_SLOW 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PK_TEST_SLOW 1
#endif
#ifndef PK_TEST_SLOW
#define PK_TEST_SLOW 0
#endif

#define PACE(all, part) (PK_TEST_SLOW ? (part) : (all))

/* Call it when nothing is left to free. */
#define SKIP_WHEN_SLOW(what) \
  do { \
    if (PK_TEST_SLOW) { \
      print_message("not shown under a sanitizer: %s\n", what); \
      skip(); \
    } \
  } while (0)

#endif
