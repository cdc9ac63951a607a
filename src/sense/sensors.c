#include "sense/sensors.h"

const pki_sensor_row pki_sensors[] = {
    {"time", "s", "1", "since the start of the run"},
    {"joint_position", "rad, m", "joint coordinates", "angles and travels of joints: q"},
    {"joint_velocity", "rad/s, m/s", "joint velocities", "speeds of joints: u"},
    {"joint_force", "N m, N", "joint velocities", "what commands gave in the last step: tau"},
    {"base_pose", "m, 1", "7 for each free root", "position and quaternion (w, x, y, z) in the world: q"},
    {"base_twist", "m/s, rad/s", "6 for each free root",
     "velocity in the world, angular velocity in the body: u"},
    {"contacts", "m, N s", "those of the last step",
     "link, point, normal, gap, impulse, friction of each contact"},
};
const int pki_sensor_count = sizeof pki_sensors / sizeof pki_sensors[0];
