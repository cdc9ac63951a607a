/* Random MJCF files: bodies, joints, geoms, classes, sites, actuators and sensors in all their spellings. */
#ifndef TESTS_SUPPORT_RANDOM_MJCF_H
#define TESTS_SUPPORT_RANDOM_MJCF_H

#include <stdbool.h>

#include "base/random.h"
#include "base/text.h"

/* A file that every MuJoCo from 2.2.2 on loads; `modern`: with elements and attributes that came later, up to 3.14. */
void random_mjcf(uint64_t seed, bool modern, pki_text *out);

#endif
