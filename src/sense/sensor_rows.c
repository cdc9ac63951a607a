/* The registry of sensors. A sensor's row stands in the file that reads it. */
#include "sense/sensors.h"

extern const pki_sensor_row pki_sensor_time, pki_sensor_joint_position, pki_sensor_joint_velocity,
    pki_sensor_joint_force, pki_sensor_base_pose, pki_sensor_base_twist, pki_sensor_contacts;

const pki_sensor_row *const pki_sensors[] = {
    &pki_sensor_time,      &pki_sensor_joint_position, &pki_sensor_joint_velocity, &pki_sensor_joint_force,
    &pki_sensor_base_pose, &pki_sensor_base_twist,     &pki_sensor_contacts,       NULL};
