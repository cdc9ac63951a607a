/* Pieces of XML: numbers that read back exactly, names, rotations as URDF writes them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "math/mat3.h"
#include "model/convert/writer.h"

void pki_xml_reals(pki_text *text, const char *attribute, const double *values, int count)
{
  pki_text_addf(text, " %s=\"", attribute);
  for (int i = 0; i < count; i++) {
    char number[PKI_REAL_TEXT];
    /* no sign on zero */
    pki_text_addf(text, "%s%s", i > 0 ? " " : "", pki_format_real(values[i] == 0 ? 0 : values[i], number));
  }
  pki_text_add(text, "\"");
}

void pki_xml_text(pki_text *text, const char *attribute, const char *value)
{
  pki_text_addf(text, " %s=\"", attribute);
  pki_text_add_escaped(text, value);
  pki_text_add(text, "\"");
}

void pki_xml_indent(pki_text *text, int depth)
{
  enum { MOST = 20 }; /* a long chain is no wider than that */
  for (int i = 0; i < depth && i < MOST; i++) {
    pki_text_add(text, "  ");
  }
}

bool pki_is_zero(const double *values, int count)
{
  for (int i = 0; i < count; i++) {
    if (values[i] != 0) {
      return false;
    }
  }
  return true;
}

bool pki_is_identity(const double rot[9])
{
  for (int i = 0; i < 9; i++) {
    if (rot[i] != (i % 4 == 0)) {
      return false;
    }
  }
  return true;
}

/* The largest difference between a rotation and that of three angles. */
static double rpy_error(const double rot[9], const double rpy[3])
{
  const double origin[3] = {0, 0, 0};
  const pk_pose pose = pk_pose_from_xyz_rpy(origin, rpy);
  double most = 0;
  for (int i = 0; i < 9; i++) {
    most = fmax(most, fabs(pose.rot[i] - rot[i]));
  }
  return most;
}

/* The angles in ever more digits, until the rotation is met exactly or no digit is left; keeps the best. */
static bool round_rpy(const double rot[9], const double rpy[3], double best[3], double *error)
{
  for (int digits = 1; digits <= 17; digits++) {
    double rounded[3];
    for (int i = 0; i < 3; i++) {
      char text[PKI_REAL_TEXT];
      snprintf(text, sizeof text, "%.*g", digits, rpy[i]);
      rounded[i] = fabs(rpy[i]) < 1e-15 ? 0 : strtod(text, NULL);
    }
    const double e = rpy_error(rot, rounded);
    if (e < *error) {
      *error = e;
      memcpy(best, rounded, sizeof rounded);
    }
    if (e == 0) {
      return true;
    }
  }
  return false;
}

/* The angles and their neighbours among doubles. */
static bool search_neighbours(const double rot[9], const double rpy[3], double best[3], double *error)
{
  for (int k = 0; k < 27; k++) {
    double near[3];
    const int step[3] = {k % 3, k / 3 % 3, k / 9};
    for (int i = 0; i < 3; i++) {
      near[i] = step[i] == 0 ? rpy[i] : nextafter(rpy[i], step[i] == 1 ? INFINITY : -INFINITY);
    }
    const double e = rpy_error(rot, near);
    if (e < *error) {
      *error = e;
      memcpy(best, near, sizeof near);
    }
  }
  return *error == 0;
}

static double wrap_angle(double angle)
{
  const double pi = 3.14159265358979323846;
  return angle > 0 ? angle - pi : angle + pi;
}

void pki_exact_rpy(const double rot[9], double rpy[3])
{
  const double pi = 3.14159265358979323846;
  const double cp = hypot(rot[0], rot[3]);
  /* the usual angles; the same turn with the pitch beyond 90 degrees; at 90 degrees without roll, and without yaw */
  const double pitch = atan2(-rot[6], cp);
  const double first[3] = {atan2(rot[7], rot[8]), pitch, atan2(rot[3], rot[0])};
  const double candidates[4][3] = {
      {first[0], first[1], first[2]},
      {wrap_angle(first[0]), pitch > 0 ? pi - pitch : -pi - pitch, wrap_angle(first[2])},
      {0, pitch, atan2(-rot[1], rot[4])},
      {rot[6] < 0 ? atan2(rot[1], rot[2]) : atan2(-rot[1], -rot[2]), pitch, 0}};
  const int count = cp < 1e-6 ? 4 : 2;
  double error = INFINITY;
  memcpy(rpy, first, sizeof first);
  for (int k = 0; k < count; k++) {
    if (round_rpy(rot, candidates[k], rpy, &error)) {
      return;
    }
  }
  double best[3];
  memcpy(best, rpy, sizeof best);
  for (int round = 0; round < 4 && !search_neighbours(rot, rpy, best, &error); round++) {
    memcpy(rpy, best, sizeof best);
  }
  memcpy(rpy, best, sizeof best);
}
