#include "sense/sensing.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- fields ---- */

static const char *const axes_words[] = {"world", "own"};
static const char *const velocity_words[] = {"differenced", "exact"};

#define PART(name, member, unit, most, doc) \
  { \
    name, offsetof(pk_sensor_part, member), PK_FIELD_REAL, unit, 0, 0, most, NULL, doc \
  }

const pk_field pki_sensor_part_fields[] = {
    PART("rate", rate, "Hz", 1e6, "samples; between them the last one stands; 0: each step"),
    PART("latency", latency, "s", 10, "from the sample to the reading, to the nearest whole step"),
    PART("bandwidth", bandwidth, "Hz", 1e6, "of a low-pass in front of the sampling; 0: none"),
    PART("dropout", dropout, "", 1, "probability that a sample is lost, and the one before stands"),
    PART("noise", linear.noise, "", 1e9, "standard deviation of white noise in each sample, in its unit"),
    PART("density", linear.density, "1/sqrt(Hz)", 1e9,
         "density of white noise: in each sample its deviation is density sqrt(rate)"),
    PART("bias", linear.bias, "", 1e9, "standard deviation of a bias that is drawn when a world begins"),
    PART("bias_walk", linear.bias_walk, "1/sqrt(s)", 1e9, "K of a bias that walks by K sqrt(time)"),
    PART("correlation", linear.correlation, "s", 1e9, "time of that walk; 0: it goes on for ever"),
    PART("resolution", linear.resolution, "", 1e9, "steps in which it counts; 0: exact"),
    PART("range", linear.range, "", 1e9, "largest value to either side; 0: no limit"),
    PART("angular_noise", angular.noise, "", 1e9, "the same of attitude, angular velocity, torque"),
    PART("angular_density", angular.density, "1/sqrt(Hz)", 1e9, "likewise"),
    PART("angular_bias", angular.bias, "", 1e9, "likewise"),
    PART("angular_bias_walk", angular.bias_walk, "1/sqrt(s)", 1e9, "likewise"),
    PART("angular_correlation", angular.correlation, "s", 1e9, "likewise"),
    PART("angular_resolution", angular.resolution, "", 1e9, "likewise"),
    PART("angular_range", angular.range, "", 1e9, "likewise"),
};
const int pki_sensor_part_field_count = sizeof pki_sensor_part_fields / sizeof pki_sensor_part_fields[0];

const pk_field pki_sensor_fields[] = {
    {"position", offsetof(pk_sensor, position), PK_FIELD_VEC3, "m", 0, -1e3, 1e3, NULL,
     "where it is on its link"},
    {"rpy", offsetof(pk_sensor, rpy), PK_FIELD_VEC3, "rad", 0, -100, 100, NULL,
     "roll, pitch and yaw of its axes in the link's"},
    {"axes", offsetof(pk_sensor, axes), PK_FIELD_ENUM, "", PK_SENSOR_AXES_WORLD, 0, PK_SENSOR_AXES_COUNT - 1,
     axes_words, "of velocity and contact-force"},
    {"velocity", offsetof(pk_sensor, velocity), PK_FIELD_ENUM, "", PK_ENCODER_VELOCITY_DIFFERENCED, 0,
     PK_ENCODER_VELOCITY_COUNT - 1, velocity_words, "of encoder: where it is from"},
    {"threshold", offsetof(pk_sensor, threshold), PK_FIELD_REAL, "N", 1, 0, 1e9, NULL,
     "of switch: closed above it"},
    {"reach", offsetof(pk_sensor, reach), PK_FIELD_REAL, "m", 10, 0, 1e4, NULL,
     "of ray: as far as it sees; of height-scan: reading where there is no ground"},
    {"spacing", offsetof(pk_sensor, spacing), PK_FIELD_REAL, "m", 0.1, 0, 100, NULL,
     "of height-scan: from one point to the next"},
    {"points_x", offsetof(pk_sensor, points), PK_FIELD_INT, "", 1, 0, 4096, NULL,
     "of height-scan: points along x"},
    {"points_y", offsetof(pk_sensor, points) + sizeof(int), PK_FIELD_INT, "", 1, 0, 4096, NULL,
     "of height-scan: points along y"},
};
const int pki_sensor_field_count = sizeof pki_sensor_fields / sizeof pki_sensor_fields[0];

/* ---- checks ---- */

/* What it is on, by name; "": nothing. */
static const char *object_name(const pk_model *m, const pk_sensor *s)
{
  const bool joint = s->kind->place == PK_SENSING_ON_JOINT;
  if (joint) {
    const int j = s->dof >= 0 && s->dof < m->nu ? m->dof_joint[s->dof] : -1;
    return j >= 0 ? m->joints[j].name : "";
  }
  return s->link >= 0 && s->link < m->nlink ? m->links[s->link].name : "";
}

__attribute__((format(printf, 4, 5))) static pk_status refuse(const pki_sensor *s, const char *field,
                                                              pk_error *err, const char *format, ...)
{
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = field}, "the sensor \"%s\": %s", s->name,
                  what);
}

static pk_status check_place(const pk_model *m, const pki_sensor *s, pk_error *err)
{
  const pk_sensor *a = &s->as;
  if (a->kind->place == PK_SENSING_ON_LINK && (a->link < 0 || a->link >= m->nlink)) {
    return refuse(s, "link", err, "link is %d, expected 0 to %d", a->link, m->nlink - 1);
  }
  if (a->kind->place == PK_SENSING_ON_JOINT) {
    if (a->dof < 0 || a->dof >= m->nu) {
      return refuse(s, "dof", err, "dof is %d, expected 0 to %d", a->dof, m->nu - 1);
    }
    if (m->dof_q[a->dof] < 0 || m->dof_joint[a->dof] < 0) {
      return refuse(s, "dof", err,
                    "the velocity %d belongs to a floating or a spherical joint, expected one of a hinge or "
                    "a slider; take \"pose\" or \"velocity\" on its link",
                    a->dof);
    }
  }
  return PK_OK;
}

static pk_status check_numbers(const pki_sensor *s, pk_error *err)
{
  enum { MOST_POINTS = 4096 };
  const pk_sensor *a = &s->as;
  const bool scans = a->kind == &pki_sense_height_scan;
  pk_error found = {0};
  pk_status status = pki_fields_validate(pki_sensor_fields, pki_sensor_field_count, a, &found);
  status = status == PK_OK
               ? pki_fields_validate(pki_sensor_part_fields, pki_sensor_part_field_count, &a->part, &found)
               : status;
  if (status != PK_OK) {
    return refuse(s, found.field, err, "%.200s", found.message);
  }
  if (a->part.bandwidth > 0 && a->kind->attitude) {
    return refuse(s, "bandwidth", err, "bandwidth is %g Hz, but an attitude is not filtered: leave it out",
                  a->part.bandwidth);
  }
  if (a->reach <= 0 && (scans || a->kind == &pki_sense_ray)) {
    return refuse(s, "reach", err, "reach is %g m, expected more", a->reach);
  }
  if (scans && (a->points[0] < 1 || a->points[1] < 1 || a->points[0] > MOST_POINTS / a->points[1])) {
    return refuse(s, "points", err, "points are %d and %d, expected 1 or more each and at most %d together",
                  a->points[0], a->points[1], MOST_POINTS);
  }
  return PK_OK;
}

static pk_status check_names(const pk_sensing *sensing, pk_error *err)
{
  for (int i = 0; i < sensing->count; i++) {
    for (int j = 0; j < i; j++) {
      if (strcmp(sensing->sensors[i].name, sensing->sensors[j].name) == 0) {
        return refuse(&sensing->sensors[i], "name", err, "there are two of that name: give one a name");
      }
    }
  }
  return PK_OK;
}

/* ---- making ---- */

static int clamp_count(int wanted, int most)
{
  return wanted < 0 || wanted > most ? most : wanted;
}

static pk_status take_sensor(pk_sensing *sensing, int i, const pk_sensor *from, pk_error *err)
{
  pki_sensor *s = &sensing->sensors[i];
  const pk_model *m = sensing->model;
  if (from->kind == NULL || from->kind->read == NULL || from->kind->name == NULL) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "kind"},
                    "sensor %d has no kind, expected one with a name and a function read "
                    "(pk_sensing_kind_find)",
                    i);
  }
  const pk_sensing_kind *kind = from->kind;
  s->as = *from;
  if (from->name != NULL && from->name[0] != '\0') {
    snprintf(s->name, sizeof s->name, "%s", from->name);
  } else {
    snprintf(s->name, sizeof s->name, "%s/%s", kind->name, object_name(m, from));
  }
  s->as.name = s->name;
  pk_status status = check_place(m, s, err);
  status = status == PK_OK ? check_numbers(s, err) : status;
  if (status != PK_OK) {
    return status;
  }
  s->frame = pk_pose_from_xyz_rpy(from->position, from->rpy);
  s->first = sensing->nvalue;
  s->width = kind->values > 0 ? kind->values : kind->width(&s->as);
  s->linear = clamp_count(kind->linear, s->width);
  s->angular = kind->attitude ? 3 : clamp_count(kind->angular, s->width - s->linear);
  sensing->nvalue += s->width;
  sensing->widest = s->width > sensing->widest ? s->width : sensing->widest;
  sensing->dynamics |= kind->dynamics;
  sensing->switches |= kind == &pki_sense_switch;
  const bool joint = kind->place == PK_SENSING_ON_JOINT;
  sensing->sensed[joint ? m->joints[m->dof_joint[from->dof]].robot : m->links[from->link].robot] = true;
  return PK_OK;
}

/* Of what decides how a world's memory is laid out, and of what is drawn into it. */
static uint64_t hash_sensors(const pk_sensing *sensing)
{
  uint64_t hash = pki_hash_bytes(PKI_HASH_START, &sensing->seed, sizeof sensing->seed);
  for (int i = 0; i < sensing->count; i++) {
    const pki_sensor *s = &sensing->sensors[i];
    hash = pki_hash_bytes(hash, s->name, strlen(s->name) + 1);
    hash = pki_hash_bytes(hash, s->as.kind->name, strlen(s->as.kind->name) + 1);
    hash = pki_hash_bytes(hash, &s->width, sizeof s->width);
    hash = pki_hash_bytes(hash, &s->as.part, sizeof s->as.part);
  }
  return hash;
}

pk_status pk_sensing_create(const pk_model *joint_model, const pk_sensor *list, int count,
                            unsigned long long seed, pk_sensing **out, pk_error *err)
{
  *out = NULL;
  if (count < 0 || (count > 0 && list == NULL)) {
    return pki_fail(err, PK_ERROR_ARGUMENT, (pki_where){.field = "count"},
                    "there are %d sensors, expected 0 or more", count);
  }
  pk_sensing *s = calloc(1, sizeof *s);
  if (s != NULL) {
    s->sensors = calloc((size_t)count + 1, sizeof *s->sensors);
    s->sensed = calloc((size_t)joint_model->nrobot + 1, sizeof *s->sensed);
  }
  if (s == NULL || s->sensors == NULL || s->sensed == NULL) {
    pk_sensing_destroy(s);
    return pki_fail_memory(err, "sensors");
  }
  s->model = joint_model;
  s->hash = pk_model_hash(joint_model);
  s->seed = seed;
  pk_status status = PK_OK;
  for (; s->count < count && status == PK_OK; s->count++) {
    status = take_sensor(s, s->count, &list[s->count], err);
  }
  status = status == PK_OK ? check_names(s, err) : status;
  if (status != PK_OK) {
    pk_sensing_destroy(s);
    return status;
  }
  s->shape = hash_sensors(s);
  *out = s;
  return PK_OK;
}

void pk_sensing_destroy(pk_sensing *sensing)
{
  if (sensing != NULL) {
    free(sensing->sensors);
    free(sensing->sensed);
    free(sensing);
  }
}

void pk_sensing_set_estimator(pk_sensing *sensing, const pk_estimator *estimator)
{
  sensing->estimator = estimator;
}

/* ---- what there is ---- */

int pk_sensing_count(const pk_sensing *sensing)
{
  return sensing->count;
}

static bool is_sensor(const pk_sensing *sensing, int index)
{
  return index >= 0 && index < sensing->count;
}

pk_sensor pk_sensing_get(const pk_sensing *sensing, int index)
{
  return is_sensor(sensing, index) ? sensing->sensors[index].as : (pk_sensor){.kind = NULL};
}

int pk_sensing_find(const pk_sensing *sensing, const char *name)
{
  for (int i = 0; i < sensing->count; i++) {
    if (strcmp(sensing->sensors[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

int pk_sensing_find_on(const pk_sensing *sensing, const char *kind, int object, int from)
{
  for (int i = from > 0 ? from : 0; i < sensing->count; i++) {
    const pk_sensor *s = &sensing->sensors[i].as;
    const int on = s->kind->place == PK_SENSING_ON_JOINT ? s->dof : s->link;
    if (strcmp(s->kind->name, kind) == 0 && (object < 0 || on == object)) {
      return i;
    }
  }
  return -1;
}

int pk_sensing_values(const pk_sensing *sensing)
{
  return sensing->nvalue;
}

int pk_sensing_at(const pk_sensing *sensing, int index)
{
  return is_sensor(sensing, index) ? sensing->sensors[index].first : -1;
}

int pk_sensing_width(const pk_sensing *sensing, int index)
{
  return is_sensor(sensing, index) ? sensing->sensors[index].width : 0;
}
