/* Any bytes as the file of a motor. What is read is sound: its numbers are finite and in their ranges, and its line
 * never rises. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "scenario/motor_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const pki_motor_entry *m)
{
  const bool dc = m->kind == PKI_MOTOR_KIND_DC;
  if (pki_fields_validate(pki_motor_fields, pki_motor_field_count, m, NULL) != PK_OK ||
      pki_fields_validate(dc ? pki_motor_dc_fields : pki_motor_torque_fields,
                          dc ? pki_motor_dc_field_count : pki_motor_torque_field_count, m, NULL) != PK_OK) {
    abort();
  }
  const pki_motor_line line = pki_motor_line_of(m);
  double before = INFINITY;
  for (int i = 0; i <= 8 && !isnan(line.no_load_speed); i++) {
    const double torque = pki_motor_line_at(m, line.no_load_speed * i / 8);
    if (!(torque >= 0 && torque <= before)) {
      abort();
    }
    before = torque;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pki_motor_entry motor;
  pki_problems problems = {0};
  pk_error err = {.message = ""};
  const pk_status status = pki_motor_parse("input.yaml", (const char *)data, size, &motor, &problems);
  if (pki_problems_first(&problems, &err) != status || (status == PK_OK) != (err.message[0] == '\0')) {
    abort();
  }
  if (status == PK_OK) {
    check(&motor);
  }
  return 0;
}
