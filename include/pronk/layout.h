/* Sizes of public structs, by which a program can see that it was compiled with the headers of the library
 * that it runs with.
 *
 *   pk_error err;
 *   if (pk_layout_check(&err) != PK_OK) {
 *     fprintf(stderr, "%s\n", err.message);
 *     return 2;
 *   }
 *
 * Programs that link the shared library need not ask: its name has the minor version in it, within which no
 * public struct changes (docs/api.md). Those that load it themselves, and bindings of other languages,
 * should: pk_struct_size("pk_command").
 *
 * Threads: all functions may run at the same time. */
#ifndef PRONK_LAYOUT_H
#define PRONK_LAYOUT_H

#include <stddef.h>

#include "actuation.h"
#include "actuators.h"
#include "base_estimator.h"
#include "batch.h"
#include "code.h"
#include "codegen.h"
#include "collision.h"
#include "compliance.h"
#include "convert.h"
#include "energy.h"
#include "floquet.h"
#include "gait.h"
#include "jump.h"
#include "record.h"
#include "reduced.h"
#include "references.h"
#include "sensing.h"
#include "sensors.h"
#include "stability.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All public structs whose fields are visible. */
#define PK_STRUCT_LIST(X) \
  X(pk_actuator) \
  X(pk_actuator_desc) \
  X(pk_actuator_flow) \
  X(pk_actuator_input) \
  X(pk_actuator_kind) \
  X(pk_actuators_options) \
  X(pk_base_estimate) \
  X(pk_base_estimator_input) \
  X(pk_base_estimator_options) \
  X(pk_base_estimator_state) \
  X(pk_batch_info) \
  X(pk_batch_options) \
  X(pk_batch_view) \
  X(pk_battery) \
  X(pk_battery_flow) \
  X(pk_builder_diagnostic) \
  X(pk_chain_options) \
  X(pk_code_info) \
  X(pk_code_options) \
  X(pk_codegen_function) \
  X(pk_codegen_info) \
  X(pk_codegen_options) \
  X(pk_command) \
  X(pk_compliance) \
  X(pk_computed_torque_options) \
  X(pk_constraint_desc) \
  X(pk_contact_certificate) \
  X(pk_contact_factor) \
  X(pk_contact_problem) \
  X(pk_controller) \
  X(pk_convex_options) \
  X(pk_convex_parts) \
  X(pk_effort) \
  X(pk_effort_joint) \
  X(pk_energy) \
  X(pk_error) \
  X(pk_estimator) \
  X(pk_feasible_region) \
  X(pk_fixed_point) \
  X(pk_floquet) \
  X(pk_floquet_options) \
  X(pk_flow_step) \
  X(pk_force_law) \
  X(pk_follow_options) \
  X(pk_gait_change) \
  X(pk_gait_track_options) \
  X(pk_geometry_desc) \
  X(pk_heights) \
  X(pk_heights_options) \
  X(pk_heights_pattern) \
  X(pk_hold_options) \
  X(pk_hydraulic_parameters) \
  X(pk_inertia) \
  X(pk_inverse_dynamics_options) \
  X(pk_joint_desc) \
  X(pk_jump_contact) \
  X(pk_keyframe_desc) \
  X(pk_lcp) \
  X(pk_lcp_certificate) \
  X(pk_lcp_options) \
  X(pk_lcp_result) \
  X(pk_leg) \
  X(pk_link_desc) \
  X(pk_load_options) \
  X(pk_locomotion_options) \
  X(pk_material) \
  X(pk_mesh) \
  X(pk_model) \
  X(pk_model_actuator) \
  X(pk_model_constraint) \
  X(pk_model_joint) \
  X(pk_model_keyframe) \
  X(pk_model_link) \
  X(pk_model_pair) \
  X(pk_model_robot) \
  X(pk_model_sensor) \
  X(pk_model_shape) \
  X(pk_model_site) \
  X(pk_motor_parameters) \
  X(pk_multiplier) \
  X(pk_observation) \
  X(pk_pair_desc) \
  X(pk_parallel_spring_parameters) \
  X(pk_pose) \
  X(pk_preview_cart) \
  X(pk_preview_options) \
  X(pk_proximity) \
  X(pk_push) \
  X(pk_ray_hit) \
  X(pk_recorder) \
  X(pk_recorder_attachment) \
  X(pk_recorder_channel) \
  X(pk_recorder_note) \
  X(pk_recording_about) \
  X(pk_recording_options) \
  X(pk_recording_series) \
  X(pk_return_map) \
  X(pk_rhythm) \
  X(pk_robot_desc) \
  X(pk_sensing_input) \
  X(pk_sensing_kind) \
  X(pk_sensor) \
  X(pk_sensor_desc) \
  X(pk_sensor_errors) \
  X(pk_sensor_input) \
  X(pk_sensor_part) \
  X(pk_servo_parameters) \
  X(pk_shape_desc) \
  X(pk_sim_contact) \
  X(pk_sim_exclusion) \
  X(pk_sim_options) \
  X(pk_sim_overlap_pair) \
  X(pk_sim_pressure) \
  X(pk_site_desc) \
  X(pk_solver_options) \
  X(pk_solver_result) \
  X(pk_stability) \
  X(pk_stability_contact) \
  X(pk_stability_edge) \
  X(pk_stability_foot) \
  X(pk_stability_input) \
  X(pk_stability_options) \
  X(pk_stability_sum) \
  X(pk_stability_torques) \
  X(pk_step_info) \
  X(pk_stride_options) \
  X(pk_terrain_hit) \
  X(pk_torque_parameters) \
  X(pk_touch_point) \
  X(pk_track_options) \
  X(pk_whole_body_gains) \
  X(pk_whole_body_move) \
  X(pk_whole_body_options) \
  X(pk_whole_body_report) \
  X(pk_biped_change) \
  X(pk_biped_options) \
  X(pk_biped_report) \
  X(pk_cpg) \
  X(pk_write_options)

/* Bytes of a struct as the library knows it, by its name; 0: there is none of that name. */
PK_API size_t pk_struct_size(const char *name);

/* Compare sizes [count], in the order of PK_STRUCT_LIST, with the library's. PK_ERROR_UNSUPPORTED names the
 * first struct that differs. pk_layout_check does it with those of the program. */
PK_API pk_status pk_layout_compare(const size_t *sizes, int count, pk_error *err);

/* PK_OK when the program was compiled with the headers of this library. */
static inline pk_status pk_layout_check(pk_error *err)
{
#define PK_STRUCT_SIZE(type) sizeof(type),
  static const size_t sizes[] = {PK_STRUCT_LIST(PK_STRUCT_SIZE)};
#undef PK_STRUCT_SIZE
  return pk_layout_compare(sizes, (int)(sizeof sizes / sizeof sizes[0]), err);
}

#ifdef __cplusplus
}
#endif
#endif
