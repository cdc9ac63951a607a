/* Two compliant surfaces and their patch, for tests. */
#include "support/soft_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/mat3.h"

pk_geometry *soft_shape(pk_shape_kind kind, double x, double y, double z)
{
  pk_geometry *out = NULL;
  assert_int_equal(pk_geometry_create(&(pk_geometry_desc){.kind = kind, .size = {x, y, z}}, &out, NULL),
                   PK_OK);
  assert_int_equal(pki_patch_prepare(out, NULL), PK_OK);
  return out;
}

void soft_pair_open(soft_pair *p, const pk_geometry *a, const pk_geometry *b, pk_compliance_law law)
{
  memset(p, 0, sizeof *p);
  for (int i = 0; i < 2; i++) {
    p->surface[i] = pk_compliance_default();
    p->surface[i].law = law;
    p->side[i] = (pki_soft_side){i == 0 ? a : b, pk_pose_identity(), &p->surface[i]};
  }
  pki_arena arena = pki_arena_over(NULL, 0);
  pki_patch_carve(&p->patch, pki_patch_room(a, b), &arena);
  const size_t size = arena.used, scratch = pki_patch_scratch(a, b) + PKI_ALIGN;
  p->memory = pki_aligned_alloc(size);
  p->scratch = pki_aligned_alloc(scratch);
  memset(p->memory, 0xff, size);
  memset(p->scratch, 0xff, scratch);
  arena = pki_arena_over(p->memory, size);
  pki_patch_carve(&p->patch, pki_patch_room(a, b), &arena);
  assert_false(arena.overflow);
}

void soft_pair_close(soft_pair *p)
{
  pki_aligned_free(p->memory);
  pki_aligned_free(p->scratch);
}

int soft_pair_find(soft_pair *p)
{
  pk_error err = {.message = ""};
  if (pki_patch_supports(&p->side[0], &p->side[1], &err) != PK_OK) {
    fail_msg("%s", err.message);
  }
  return pki_patch_find(&p->side[0], &p->side[1], p->scratch, &p->patch);
}

pki_press soft_pair_press(const soft_pair *p, const double twist[6], double dt)
{
  pki_press out;
  memset(&out, 0xff, sizeof out);
  pki_patch_press(&p->patch, twist, dt, true, &out, NULL);
  return out;
}

void soft_twist_from(const soft_pair *p, const double point[3], const double twist[6], double out[6])
{
  double arm[3];
  pki_sub3(p->patch.at, point, arm);
  memcpy(out, twist, 3 * sizeof *out);
  pki_twist_at(twist, arm, out + 3);
}

void soft_wrench_at(const soft_pair *p, const double wrench[6], const double point[3], double out[6])
{
  double arm[3], turn[3];
  pki_sub3(p->patch.at, point, arm);
  pki_cross3(arm, wrench + 3, turn);
  for (int k = 0; k < 3; k++) {
    out[k] = wrench[k] + turn[k], out[3 + k] = wrench[3 + k];
  }
}
