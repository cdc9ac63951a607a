#include "model/sensor_kinds.h"

#include "pronk/model.h"

enum {
  ON_NOTHING = 1 << PK_SENSOR_PLACE_NONE,
  ON_LINK = 1 << PK_SENSOR_PLACE_LINK,
  ON_SITE = 1 << PK_SENSOR_PLACE_SITE,
  ON_JOINT = 1 << PK_SENSOR_PLACE_JOINT,
  ON_ACTUATOR = 1 << PK_SENSOR_PLACE_ACTUATOR,
  ON_FRAME = ON_LINK | ON_SITE | 1 << PK_SENSOR_PLACE_COM | 1 << PK_SENSOR_PLACE_SHAPE,
};

static const pki_sensor_type types[PK_SENSOR_KIND_COUNT] = {
    [PK_SENSOR_ACCELEROMETER] = {.dim = 3, .places = ON_SITE},
    [PK_SENSOR_GYRO] = {.dim = 3, .places = ON_SITE},
    [PK_SENSOR_VELOCIMETER] = {.dim = 3, .places = ON_SITE},
    [PK_SENSOR_MAGNETOMETER] = {.dim = 3, .places = ON_SITE},
    [PK_SENSOR_FORCE] = {.dim = 3, .places = ON_SITE},
    [PK_SENSOR_TORQUE] = {.dim = 3, .places = ON_SITE},
    [PK_SENSOR_TOUCH] = {.dim = 1, .places = ON_SITE},
    [PK_SENSOR_JOINTPOS] = {.dim = 1, .places = ON_JOINT},
    [PK_SENSOR_JOINTVEL] = {.dim = 1, .places = ON_JOINT},
    [PK_SENSOR_BALLQUAT] = {.dim = 4, .places = ON_JOINT},
    [PK_SENSOR_BALLANGVEL] = {.dim = 3, .places = ON_JOINT},
    [PK_SENSOR_ACTUATORPOS] = {.dim = 1, .places = ON_ACTUATOR},
    [PK_SENSOR_ACTUATORVEL] = {.dim = 1, .places = ON_ACTUATOR},
    [PK_SENSOR_ACTUATORFRC] = {.dim = 1, .places = ON_ACTUATOR},
    [PK_SENSOR_FRAMEPOS] = {.dim = 3, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMEQUAT] = {.dim = 4, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMEXAXIS] = {.dim = 3, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMEYAXIS] = {.dim = 3, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMEZAXIS] = {.dim = 3, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMELINVEL] = {.dim = 3, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMEANGVEL] = {.dim = 3, .places = ON_FRAME, .relative = true},
    [PK_SENSOR_FRAMELINACC] = {.dim = 3, .places = ON_FRAME},
    [PK_SENSOR_FRAMEANGACC] = {.dim = 3, .places = ON_FRAME},
    [PK_SENSOR_SUBTREECOM] = {.dim = 3, .places = ON_LINK},
    [PK_SENSOR_SUBTREELINVEL] = {.dim = 3, .places = ON_LINK},
    [PK_SENSOR_SUBTREEANGMOM] = {.dim = 3, .places = ON_LINK},
    [PK_SENSOR_CLOCK] = {.dim = 1, .places = ON_NOTHING},
};

const pki_sensor_type *pki_sensor_type_of(pk_sensor_kind kind)
{
  return &types[kind];
}

#define NAME(value, name) [value] = #name,
static const char *const names[PK_SENSOR_KIND_COUNT] = {PK_SENSOR_KINDS(NAME)};
#undef NAME

const char *pk_sensor_kind_name(pk_sensor_kind kind)
{
  return (unsigned)kind < PK_SENSOR_KIND_COUNT ? names[kind] : "unknown";
}

const char *pki_sensor_place_name(pk_sensor_place place)
{
  static const char *const words[PK_SENSOR_PLACE_COUNT] = {"the world", "link",  "link",    "site",
                                                           "shape",     "joint", "actuator"};
  return words[place];
}
