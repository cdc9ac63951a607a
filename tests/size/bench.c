#include "size/bench.h"

#include <stdio.h>

const char bench_joint[1][PKI_DUTY_NAME] = {"joint"};

pki_duty bench_duty(bench_point (*at)(double time), double duration, int n)
{
  pki_duty duty = {0};
  pki_duty_motion m;
  pk_error err = {0};
  assert_int_equal(pki_duty_motion_create(n + 1, 1, &m, &err), PK_OK);
  snprintf(m.name, sizeof m.name, "motion");
  snprintf(m.joints[0].name, sizeof m.joints[0].name, "%s", bench_joint[0]);
  for (int i = 0; i <= n; i++) {
    const bench_point p = at(duration * i / n);
    m.time[i] = duration * i / n;
    m.joints[0].speed[i] = p.speed;
    m.joints[0].acceleration[i] = p.acceleration;
    m.joints[0].torque[i] = p.torque;
  }
  pki_duty_motion_spans(&m);
  assert_int_equal(pki_duty_add(&duty, &m, &err), PK_OK);
  return duty;
}

pki_motor_entry bench_motor(void)
{
  pki_motor_entry m = {
      .id = "bench", .name = "bench motor", .kind = PKI_MOTOR_KIND_DC, .mass = 0.5, .price = 100};
  m.motor = pk_motor_parameters_default();
  m.motor.constant = 0.04;
  m.motor.resistance = 0.96;
  m.motor.inertia = 0;
  m.motor.voltage = 24;
  m.motor.gear = 1;
  m.motor.efficiency = 1;
  return m;
}
