/* Any bytes as a motion of the whole body. What is read is sound: times never fall and at most two are alike, numbers are finite,
 * quaternions have unit length, stances are 0 or 1, joints and feet are the model's; and it can be asked for at any time. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gait/whole_motion.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static pk_model *model; /* a trunk with a leg; lives as long as the process */

static void make_model(void)
{
  static const char text[] =
      "<robot name='hopper'>"
      "<link name='trunk'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial>"
      "<collision><geometry><box size='0.1 0.1 0.1'/></geometry></collision></link>"
      "<link name='foot'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial>"
      "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
      "<joint name='hip' type='revolute'><parent link='trunk'/><child link='foot'/><axis xyz='0 1 0'/>"
      "<limit lower='-1' upper='1' effort='10' velocity='10'/></joint></robot>";
  pk_builder *b;
  pk_error err;
  pk_load_options options = pk_load_options_default();
  options.root = PK_ROOT_FREE;
  pk_builder_create(&b, NULL);
  if (b == NULL || pk_builder_add_urdf_memory(b, text, strlen(text), "hopper", &options, &err) != PK_OK ||
      pk_builder_compile(b, &model, &err) != PK_OK) {
    abort();
  }
  pk_builder_destroy(b);
}

static void check_row(const pki_whole_motion *m, int i)
{
  const double *row = m->values + (size_t)i * (size_t)m->width, *q = row + PKI_WHOLE_MOTION_TURN;
  for (int k = 0; k < m->width; k++) {
    if (!isfinite(row[k])) {
      abort();
    }
  }
  if (fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) > 1e-12) {
    abort();
  }
  if ((i == 0 && row[0] != 0) || (i > 0 && row[0] < row[-m->width]) ||
      (i > 1 && row[0] == row[-2 * m->width])) {
    abort();
  }
  for (int f = 0; f < m->feet; f++) {
    const double stands = row[pki_whole_motion_stance_at(m, f)];
    if (stands != 0 && stands != 1) {
      abort();
    }
  }
}

static void check(const pki_whole_motion *m)
{
  if (m->joints != 1 || m->feet < 1 || m->rows < 2 || !(pki_whole_motion_length(m) > 0)) {
    abort();
  }
  for (int i = 0; i < m->rows; i++) {
    check_row(m, i);
  }
  const pki_whole_motion_base base = {{0, 0}, 0}, next = pki_whole_motion_next(m, base);
  for (int i = 0; i <= 8; i++) {
    pki_whole_motion_point point;
    pki_whole_motion_at(m, next, pki_whole_motion_length(m) * i / 8, &point);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (model == NULL) {
    make_model();
  }
  pki_whole_motion motion;
  pk_error err = {.message = ""};
  const pk_status status = pki_whole_motion_parse("fuzz.csv", (const char *)data, size, model, &motion, &err);
  if ((status == PK_OK) != (err.message[0] == '\0')) {
    abort();
  }
  if (status == PK_OK) {
    check(&motion);
  }
  pki_whole_motion_free(&motion);
  return 0;
}
