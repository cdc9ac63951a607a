#include "model/urdf_spec.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"

/* Extensions are those that 338 public robot files use, and those of common tools. */
static const pki_urdf_spec specs[] = {
    {.tag = "robot",
     .optional = {"name", "version"},
     .many = {"link", "joint", "material"},
     .ignored = {"gazebo",        "transmission",       "sensor",
                 "mujoco",        "ros2_control",       "contact",
                 "velocity",      "deformable",         "reduced_deformable",
                 "bullet",        "disable_collisions", "group",
                 "group_state",   "virtual_joint",      "end_effector",
                 "passive_joint", "actuator",           "plugin",
                 "controller",    "collision_checking", "self_collision_checking",
                 "rtf",           "capabilities",       "description"}},
    {.tag = "link",
     .needed = {"name"},
     .optional = {"type"},
     .maybe = {"inertial"},
     .many = {"visual", "collision"},
     .ignored = {"contact", "sensor", "gazebo", "material", "audio_source", "self_collision_checking",
                 "collision_checking", "velocity", "damping", "drag"}},
    {.tag = "inertial", .maybe = {"mass", "origin", "inertia"}},
    {.tag = "mass", .needed = {"value"}},
    {.tag = "inertia", .optional = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}},
    {.tag = "origin", .optional = {"xyz", "rpy", "quat_xyzw"}},
    {.tag = "visual",
     .optional = {"name"},
     .maybe = {"geometry", "origin", "material"},
     .ignored = {"contact", "gazebo"}},
    {.tag = "collision",
     .optional = {"name", "concave", "group"},
     .maybe = {"geometry", "origin"},
     .ignored = {"material", "contact", "contact_coefficients", "surface", "gazebo", "verbose",
                 "max_contacts"}},
    {.tag = "geometry",
     .optional = {"name"},
     .maybe = {"box", "cylinder", "sphere", "capsule", "mesh"},
     .ignored = {"material"},
     .closed = true},
    {.tag = "box", .needed = {"size"}},
    {.tag = "cylinder", .needed = {"radius", "length"}},
    {.tag = "sphere", .needed = {"radius"}},
    {.tag = "capsule", .needed = {"radius", "length"}},
    {.tag = "mesh", .optional = {"filename", "scale", "name"}},
    {.tag = "material",
     .optional = {"name"},
     .maybe = {"color"},
     .ignored = {"texture", "specular", "density"}},
    {.tag = "color", .needed = {"rgba"}},
    {.tag = "joint",
     .needed = {"name", "type"},
     .one = {"parent", "child"},
     .maybe = {"origin", "axis", "limit", "dynamics", "mimic"},
     .ignored = {"calibration", "safety_controller", "gazebo", "contact", "sensor", "hardwareInterface",
                 "compliance", "joint_properties", "gear", "motor"}},
    {.tag = "parent", .needed = {"link"}},
    {.tag = "child", .needed = {"link"}},
    {.tag = "axis", .optional = {"xyz"}},
    {.tag = "limit",
     .optional = {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"}},
    {.tag = "dynamics", .optional = {"damping", "friction", "armature"}},
    {.tag = "mimic", .needed = {"joint"}, .optional = {"multiplier", "offset"}},
};

enum { SPEC_COUNT = sizeof specs / sizeof *specs };

const pki_urdf_spec *pki_urdf_spec_at(int index)
{
  return index < SPEC_COUNT ? &specs[index] : NULL;
}

const pki_urdf_spec *pki_urdf_find_spec(const char *tag)
{
  for (int i = 0; i < SPEC_COUNT; i++) {
    if (strcmp(specs[i].tag, tag) == 0) {
      return &specs[i];
    }
  }
  return NULL;
}

bool pki_urdf_listed(const char *const *list, const char *word)
{
  for (; *list != NULL; list++) {
    if (strcmp(*list, word) == 0) {
      return true;
    }
  }
  return false;
}

const char *pki_urdf_misspelt(const char *const *list, const char *word)
{
  const size_t length = strlen(word);
  const char *nearest = NULL;
  int fewest = length >= 6 ? 3 : length >= 3 ? 2 : 1;
  for (; *list != NULL; list++) {
    const int count = pki_word_distance(word, *list);
    if (count < fewest) {
      fewest = count;
      nearest = *list;
    }
  }
  return nearest;
}
