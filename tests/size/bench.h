/* Duties and motors made by hand, for closed forms. */
#ifndef TESTS_SIZE_BENCH_H
#define TESTS_SIZE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "size/ratio.h"
#include "size/sizing.h"

/* What a joint called "joint" does at a time. */
typedef struct bench_point {
  double speed, acceleration, torque;
} bench_point;

/* A duty of one motion of `duration` s, sampled at n + 1 times. */
pki_duty bench_duty(bench_point (*at)(double time), double duration, int n);

/* A motor with constant 0.04 N m/A and the torque-speed line of 1 N m at standstill and 600 rad/s without load at 24 V. */
pki_motor_entry bench_motor(void);

extern const char bench_joint[1][PKI_DUTY_NAME];

#endif
