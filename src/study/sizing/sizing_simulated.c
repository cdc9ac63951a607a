/* The drives that were chosen, in the simulator: the biped carries their masses and rotors, its walk is optimised with them, and it walks on them as
 * `dc` actuators; then on a weaker bus. The gears have no losses here: the controller `follow` commands torques of joints and does not know what
 * gears lose on the way. Losses are part of the choice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "optimize/files/motion_files.h"
#include "run/run_output.h"
#include "run/single_run.h"
#include "study/sizing/sizing_study.h"

enum { JOINTS = 32, OVERRIDE = 400 };

/* One override for each joint. */
typedef struct override_list {
  char text[JOINTS][OVERRIDE];
  const char *sets[JOINTS];
  int count;
} override_list;

static pki_drive lossless(const pki_drive *drive)
{
  pki_drive d = *drive;
  d.gear.efficiency = 1;
  return d;
}

/* For the gait: mass and rotor of the drive at every joint of the group. */
static void carry_drives(const pki_size_group *g, const pki_drive *d, override_list *out)
{
  out->count = g->njoint < JOINTS ? g->njoint : JOINTS;
  for (int i = 0; i < out->count; i++) {
    snprintf(out->text[i], OVERRIDE, "actuators.+={joints: %s, armature: %.17g, mass: %.17g}", g->joints[i],
             pki_drive_armature(d), pki_drive_mass(d));
    out->sets[i] = out->text[i];
  }
}

/* For the scenario: the motor, and its mass. The model's effort is that of a motor which is no more there. */
static void drive_joints(const pki_size_group *g, const pki_drive *d, double voltage, override_list *out)
{
  pki_drive on_bus = *d;
  on_bus.voltage = voltage;
  const pk_motor_parameters p = pki_drive_parameters(&on_bus);
  out->count = 2 * g->njoint < JOINTS ? 2 * g->njoint : JOINTS;
  for (int i = 0; i < out->count; i++) {
    const char *joint = g->joints[i / 2];
    if (i % 2 == 0) {
      snprintf(out->text[i], OVERRIDE,
               "actuators.+={joints: %s, kind: dc, resistance: %.17g, inductance: %.17g, constant: %.17g, "
               "inertia: %.17g, gear: %.17g, voltage: %.17g}",
               joint, p.resistance, p.inductance, p.constant, p.inertia, p.gear, p.voltage);
    } else {
      snprintf(out->text[i], OVERRIDE, "actuators.+={joints: %s, effort: .inf, mass: %.17g}", joint,
               pki_drive_mass(d));
    }
    out->sets[i] = out->text[i];
  }
}

/* The walk of the robot that carries its drives, as files, and the volts that it asks of them. */
static pk_status solve_walk(const pki_size_group *g, const pki_drive *d, const pki_duty_options *options,
                            const char *folder, double *needs, pk_error *err)
{
  char path[PKI_PATH_MAX], motion[PKI_PATH_MAX], scenario[PKI_PATH_MAX];
  override_list drives;
  pki_gait_file *gait = NULL;
  pki_motion_solution solution = {0};
  pki_course course = {0};
  pki_duty duty = {0};
  pki_duty_motion loads = {0};
  pki_problems problems = {0};
  pk_status status = pki_yaml_locate(&pki_gait_kind, "biped-walk", path, err);
  carry_drives(g, d, &drives);
  if (status == PK_OK) {
    pki_gait_file_load(path, drives.sets, drives.count, &gait, &problems);
    status = pki_problems_first(&problems, err);
  }
  status = status == PK_OK ? pki_motion_solve(&gait->problem, NULL, &solution, err) : status;
  status = status == PK_OK ? pki_course_make(gait, &solution, &course, err) : status;
  if (status == PK_OK && pki_path_join(motion, folder, "motion.csv") &&
      pki_path_join(scenario, folder, "scenario.yaml")) {
    status = pki_motion_csv_save(&course, motion, err);
    status = status == PK_OK ? pki_motion_scenario_save(&course, scenario, err) : status;
  }
  status = status == PK_OK ? pki_duty_of_motion(gait, &solution, &loads, err) : status;
  loads.weight = 1;
  status = status == PK_OK ? pki_duty_add(&duty, &loads, err) : status;
  if (status == PK_OK) {
    *needs = pki_demand_of(d, &duty, (const char(*)[PKI_DUTY_NAME])g->joints, g->njoint, options)
                 .lines[PKI_LINE_VOLTAGE]
                 .needs;
  }
  pki_duty_free(&duty);
  pki_course_free(&course);
  pki_motion_solution_free(&solution);
  pki_gait_file_destroy(gait);
  return status;
}

/* Largest |V| of all motors in a recording. */
static pk_status read_voltage(const char *folder, double *most, pk_error *err)
{
  char path[PKI_PATH_MAX];
  pk_recording *r = NULL;
  pk_recording_series series = {0};
  *most = 0;
  pk_status status = pki_path_join(path, folder, PKI_RECORDING_FILE) ? pk_recording_open(path, &r, err)
                                                                     : pki_fail_memory(err, NULL);
  if (status == PK_OK) {
    status = pk_recording_read(r, pk_recording_find(r, "actuators/voltage"), 0, INFINITY, &series, err);
  }
  for (int i = 0; status == PK_OK && i < series.n * series.columns; i++) {
    *most = fmax(*most, fabs(series.values[i]));
  }
  pk_recording_series_free(&series);
  pk_recording_close(r);
  return status;
}

static void note_run(void *user, const pki_world *world, const pki_run_result *result)
{
  pki_sizing_walk *walk = user;
  (void)world;
  walk->limited = (double)result->at_limit;
  walk->steps = (double)result->steps;
  walk->fell = result->fell;
}

/* Four cycles on a bus of so many volts. */
static pk_status walk_on(const pki_size_group *g, const pki_drive *d, double voltage, const char *folder,
                         const char *name, pki_sizing_walk *out, pk_error *err)
{
  char file[PKI_PATH_MAX], run[PKI_PATH_MAX];
  override_list drives;
  bool refused = false;
  drive_joints(g, d, voltage, &drives);
  if (!pki_path_join(file, folder, "scenario.yaml") || !pki_path_join(run, folder, name)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the folder's name is too long");
  }
  *out = (pki_sizing_walk){.voltage = voltage};
  const pki_single_run once = {.file = file,
                               .sets = drives.sets,
                               .nset = drives.count,
                               .options = {.duration = -1, .folder = run, .no_report = true},
                               .ran = note_run,
                               .user = out};
  pk_status status = pki_folder_create(run, err);
  status = status == PK_OK ? pki_run_single(&once, &refused, err) : status;
  return status == PK_OK ? read_voltage(run, &out->used, err) : status;
}

pk_status pki_sizing_simulate(const pki_sizing *z, const char *folder, pki_sizing_check *out, pk_error *err)
{
  /* batteries of one to six lithium cells */
  static const double buses[] = {3.7, 7.4, 11.1, 14.8, 18.5, 22.2};
  char inside[PKI_PATH_MAX];
  const pki_size_group *g = &z->groups[0];
  const pki_drive_candidate *c = pki_group_choice(g);
  *out = (pki_sizing_check){0};
  if (c == NULL || !pki_path_join(inside, folder, "simulated")) {
    return PK_OK;
  }
  const pki_drive d = lossless(&c->drive);
  pk_status status = pki_folder_create(inside, err);
  status = status == PK_OK ? solve_walk(g, &d, &z->options, inside, &out->needs, err) : status;
  double weaker = buses[0];
  for (int i = 0; i < 6; i++) {
    weaker = buses[i] < out->needs ? buses[i] : weaker;
  }
  status = status == PK_OK ? walk_on(g, &d, d.voltage, inside, "chosen", &out->chosen, err) : status;
  status = status == PK_OK ? walk_on(g, &d, weaker, inside, "weaker", &out->weaker, err) : status;
  out->made = status == PK_OK;
  return status;
}
