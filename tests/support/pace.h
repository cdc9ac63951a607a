/* How much of a long test to run: all of it, or a part where a sanitizer makes every step slow. */
#ifndef PK_TESTS_PACE_H
#define PK_TESTS_PACE_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PK_TEST_SLOW 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PK_TEST_SLOW 1
#endif

#ifdef PK_TEST_SLOW
#define PACE(all, part) (part)
#else
#define PACE(all, part) (all)
#endif

#endif
