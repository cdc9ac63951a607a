/* Wrong actuators, batteries and what varies of motors: each is refused with its line and what to do. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "scenario/wrong.h"

static const wrong cases[] = {
    {REST "actuators: {joints: LF_HAA, kind: dc}\n", 3, "actuators",
     "actuators is a mapping, expected a list"},
    {REST "actuators:\n  - LF_HAA\n", 4, "actuators.0", "actuators is a value, expected a mapping"},
    {REST "actuators:\n  - {kind: dc}\n", 4, "actuators.0",
     "the key \"joints\" is missing: a text, a joint with its prefix, or a pattern with *"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dx}\n", 4, "actuators.0.kind",
     "there is no kind of actuator \"dx\"; did you mean \"dc\"? (one of: torque, servo, dc, sea, "
     "parallel-spring, hydraulic)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: [dc]}\n", 4, "actuators.0.kind",
     "kind is no word, expected one of those of `pronk list actuators`"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: series}\n", 4, "actuators.0.kind",
     "there is no kind of actuator \"series\"; did you mean \"servo\"? (one of: torque, servo, dc, sea, "
     "parallel-spring, hydraulic)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, resistence: 2}\n", 4, "actuators.0.resistence",
     "there is no key \"resistence\"; did you mean \"resistance\"? (one of: joints, kind, motor, drive, "
     "resistance, inductance, constant, inertia, damping, friction, gear, efficiency, voltage, current, "
     "limit, bandwidth, resolution, winding_resistance, housing_resistance, winding_capacity, "
     "housing_capacity, ambient, temperature, derating, spring, stiffening, ...)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, resistance: 0}\n", 4, "actuators.0.resistance",
     "resistance is 0, expected 1e-09 to 1e+09 ohm (of the winding at 25 degrees C)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, resistance: two}\n", 4, "actuators.0.resistance",
     "resistance is \"two\", expected a number"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, resistance: [1, 2]}\n", 4, "actuators.0.resistance",
     "resistance is a list, expected a number"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, inductance: -1e-3}\n", 4, "actuators.0.inductance",
     "inductance is -0.001, expected 0 to 1e+06 H (of the winding)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, constant: 0}\n", 4, "actuators.0.constant",
     "constant is 0, expected 1e-09 to 1e+09 N m/A (torque constant, which is the back-EMF's in V s/rad)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, inertia: -1}\n", 4, "actuators.0.inertia",
     "inertia is -1, expected 0 to 1e+06 kg m^2 (of the rotor)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, gear: 0}\n", 4, "actuators.0.gear",
     "gear is 0, expected 1e-06 to 1e+09 (turns of the rotor for one of the joint, or rad/m)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, efficiency: 0.5}\n", 4, "actuators.0.efficiency",
     "efficiency is 0.5, expected 0.501 to 1 (of the gear when the motor drives)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, efficiency: 1.2}\n", 4, "actuators.0.efficiency",
     "efficiency is 1.2, expected 0.501 to 1 (of the gear when the motor drives)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, voltage: -24}\n", 4, "actuators.0.voltage",
     "voltage is -24, expected 0 to 1e+06 V (largest; 0: no limit)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, current: .nan}\n", 4, "actuators.0.current",
     "current is nan, expected 0 to 1e+06 A (largest; 0: no limit)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, drive: amps}\n", 4, "actuators.0.drive",
     "drive is \"amps\", expected one of current, voltage"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, spring: 100}\n", 4, "actuators.0.spring",
     "a dc has a rigid gear: spring, stiffening, spring_damping, backlash, feedback and torque_gain are "
     "those of kind: sea"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, feedback: motor}\n", 4, "actuators.0",
     "a dc has a rigid gear: spring, stiffening, spring_damping, backlash, feedback and torque_gain are "
     "those of kind: sea"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, winding_capacity: 20}\n", 4,
     "actuators.0.winding_capacity",
     "heat needs all of winding_resistance, housing_resistance, winding_capacity and housing_capacity, or "
     "none"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, temperature: 120, current: 5}\n", 4,
     "actuators.0.temperature",
     "a largest temperature needs the four values of heat, winding_resistance and the others"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, winding_resistance: 2, housing_resistance: 4, "
          "winding_capacity: 20, housing_capacity: 200, temperature: 120}\n",
     4, "actuators.0", "a largest temperature derates the current's limit, which must be given"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, effort: 40}\n", 4, "actuators.0.effort",
     "there is no key \"effort\" (one of: joints, kind, motor, drive, resistance, inductance, constant, "
     "inertia, damping, friction, gear, efficiency, voltage, current, limit, bandwidth, resolution, "
     "winding_resistance, housing_resistance, winding_capacity, housing_capacity, ambient, temperature, "
     "derating, spring, stiffening, ...)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, kp: 40}\n", 4, "actuators.0.kp",
     "there is no key \"kp\" (one of: joints, kind, motor, drive, resistance, inductance, constant, inertia, "
     "damping, friction, gear, efficiency, voltage, current, limit, bandwidth, resolution, "
     "winding_resistance, housing_resistance, winding_capacity, housing_capacity, ambient, temperature, "
     "derating, spring, stiffening, ...)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: sea, inertia: 1e-5}\n", 4, "actuators.0",
     "a sea needs a spring above 0 N m/rad; a rigid gear is kind: dc"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: sea, spring: 300}\n", 4, "actuators.0",
     "a sea needs the inertia of its rotor, above 0 kg m^2: it moves behind the spring"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: sea, spring: 300, inertia: 1e-5, efficiency: 0.8}\n", 4,
     "actuators.0.efficiency",
     "the efficiency of a sea's gear is not modelled: give its losses as friction and damping of the rotor"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: sea, spring: 300, inertia: 1e-5, backlash: -0.1}\n", 4,
     "actuators.0.backlash",
     "backlash is -0.1, expected 0 to 10 rad (of sea: play between gear and spring, from side to side)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: sea, spring: 300, inertia: 1e-5, feedback: link}\n", 4,
     "actuators.0.feedback", "feedback is \"link\", expected one of joint, motor"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: torque, limit: -1}\n", 4, "actuators.0.limit",
     "limit is -1, expected 0 to 1e+09 N m (largest force; 0: no limit but the command's)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: torque, no_load_speed: 20}\n", 4, "actuators.0",
     "a limit that falls to zero at no_load_speed must be given"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: torque, limit: 40, full_speed: 20, no_load_speed: 10}\n", 4,
     "actuators.0.no_load_speed", "no_load_speed is 10, expected more than full_speed, which is 20"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: torque, limit: 40, gear: 10}\n", 4, "actuators.0.gear",
     "there is no key \"gear\" (one of: joints, kind, motor, limit, no_load_speed, full_speed)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: servo, mode: pid}\n", 4, "actuators.0.mode",
     "mode is \"pid\", expected one of position, velocity, torque"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: servo, mode: velocity, kp: 10, kd: 1}\n", 4,
     "actuators.0.kd",
     "a servo that regulates the velocity has no kd: kp is its gain on the velocity's error"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: servo, mode: torque, kp: 10}\n", 4, "actuators.0.kp",
     "a servo in mode torque has no gains: it makes the command's force"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: servo, kp: -10}\n", 4, "actuators.0.kp",
     "kp is -10, expected 0 to 1e+12 N m/rad (gain on the error; of velocity N m s/rad)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: parallel-spring, radius: 0.05}\n", 4, "actuators.0",
     "a parallel spring needs a stiffness above 0 N/m"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: parallel-spring, radius: 0, stiffness: 100}\n", 4,
     "actuators.0.radius", "radius is 0, expected 1e-09 to 1e+06 m (of the joint's pulley)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: parallel-spring, stiffness: 100, both_ways: 2}\n", 4,
     "actuators.0.both_ways", "both_ways is \"2\", expected one of false, true"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: hydraulic, supply: 1e5, tank: 2e5}\n", 4,
     "actuators.0.supply", "supply is 100000 Pa, expected more than tank, which is 200000 Pa"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: hydraulic, side_a: 0.3}\n", 4, "actuators.0",
     "a lever has two sides: give side_a and side_b, or none"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: hydraulic, side_a: 0.322, side_b: 0.045}\n", 4,
     "actuators.0",
     "the cylinder is 0 to 0.08 m long, but its lever asks for 0.277 to 0.367 m: give retracted, its length "
     "with the "
     "piston all the way in"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: hydraulic, sign: 0.5}\n", 4, "actuators.0.sign",
     "sign is 0.5, expected 1 or -1"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: hydraulic, bulk: 0}\n", 4, "actuators.0.bulk",
     "bulk is 0, expected 1 to 1e+15 Pa (modulus of the oil)"},
    {REST "actuators:\n  - {joints: LF_HAA, motor: maxon-re-41}\n", 4, "actuators.0.motor", NULL},
    {REST "actuators:\n  - {joints: LF_HAA, motor: [maxon-re-40]}\n", 4, "actuators.0.motor",
     "motor is a list, expected a text"},
    {REST "actuators:\n  - {joints: LF_HAA, motor: ./nowhere.yaml}\n", 4, "actuators.0.motor",
     "there is no file \"./nowhere.yaml\"; did you mean \"tower.yaml\"?"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: torque, motor: maxon-ec-4pole-30}\n", 4,
     "actuators.0.motor", "the motor \"maxon-ec-4pole-30\" is for kind: dc and sea, not for kind: torque"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: servo, motor: maxon-ec-4pole-30}\n", 4, "actuators.0.motor",
     "the motor \"maxon-ec-4pole-30\" is for kind: dc and sea, not for kind: servo"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc, motor: unitree-a1}\n", 4, "actuators.0.motor",
     "the motor \"unitree-a1\" is for kind: torque, since only its torque-speed envelope is published, not "
     "for kind: dc"},
    {REST "actuators:\n  - {joints: LF_HAA, motor: maxon-ec-4pole-30, gear: -3}\n", 4, "actuators.0.gear",
     "gear is -3, expected 1e-06 to 1e+09 (turns of the rotor for one of the joint, or rad/m)"},
    {REST "battery: 24\n", 3, "battery", "battery is a value, expected a mapping"},
    {REST "battery: {full: 24}\n", 3, "battery",
     "a battery feeds motors, and there are none: give `actuators` of kind dc or sea"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc}\nbattery: {empty: 20}\n", 5, "battery",
     "the key \"full\" is missing: a number, when full, without a load"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc}\nbattery: {full: 24, empty: 30}\n", 5, "battery.empty",
     "empty is 30 V, expected no more than full, which is 24 V"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc}\nbattery: {full: 24, resistance: -1}\n", 5,
     "battery.resistance", "resistance is -1, expected 0 to 1e+06 ohm (inside)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: dc}\nbattery: {full: 24, volts: 20}\n", 5, "battery.volts",
     "there is no key \"volts\" (one of: full, empty, resistance, capacity, regeneration)"},
    {REST "actuators:\n  - {joints: LF_HAA, kind: servo}\nbattery: {full: 24}\n", 5, "battery",
     "a battery feeds motors, and there are none: give `actuators` of kind dc or sea"},
    {REST "vary:\n  - {what: motor, joints: \"*\", from: 0, to: 1}\n", 4, "vary.0.from",
     "from is 0, expected 0.001 to 1000 for motor"},
    {REST "vary:\n  - {what: winding, from: 0.9, to: 1.1}\n", 4, "vary.0",
     "winding needs the key \"joints\""},
    {REST "vary:\n  - {what: spring, joints: \"*\", from: -1, to: 1}\n", 4, "vary.0.from",
     "from is -1, expected 0.001 to 1000 for spring"},
};

/* What only the model can tell. */
static const wrong worlds[] = {
    {REST "actuators:\n  - {joints: LF_HIP, kind: dc}\n", 4, "actuators.0.joints",
     "there is no joint \"LF_HIP\"; did you mean \"LF_HAA\"? (one of: LF_HAA, LF_HFE, LF_KFE, RF_HAA, "
     "RF_HFE, RF_KFE, LH_HAA, LH_HFE, LH_KFE, RH_HAA, RH_HFE, RH_KFE)"},
    {REST "actuators:\n  - {joints: \"X*\", kind: dc}\n", 4, "actuators.0.joints",
     "there is no joint \"X*\" (one of: LF_HAA, LF_HFE, LF_KFE, RF_HAA, RF_HFE, RF_KFE, LH_HAA, LH_HFE, "
     "LH_KFE, RH_HAA, RH_HFE, RH_KFE)"},
    {REST "actuators:\n  - {joints: \"LF_*\", kind: dc}\n  - {joints: \"*_HAA\", kind: servo, kp: 10}\n", 5,
     "actuators.1",
     "two actuators drive the joint \"LF_HAA\", dc and servo: one can, beside any number of kinds that add "
     "to it, as parallel-spring"},
    {REST "actuators:\n  - {joints: \"LF_*\", kind: dc}\n  - {joints: LF_HAA, kind: hydraulic}\n", 5,
     "actuators.1",
     "two actuators drive the joint \"LF_HAA\", dc and hydraulic: one can, beside any number of kinds that "
     "add to it, as parallel-spring"},
    {REST "vary:\n  - {what: motor, joints: \"*\", from: 0.9, to: 1.1}\n", 4, "vary.0.joints",
     "no joint that \"*\" names has an actuator of kind dc or sea: `actuators` gives them"},
    {REST "actuators:\n  - {joints: \"*\", kind: dc}\nvary:\n  - {what: spring, joints: \"*\", from: 0.9, "
          "to: 1.1}\n",
     6, "vary.0.joints", "no joint that \"*\" names has an actuator of kind sea: `actuators` gives them"},
    {REST "actuators:\n  - {joints: \"LF_*\", kind: dc}\nvary:\n  - {what: winding, joints: \"RF_*\", from: "
          "0.9, to: 1.1}\n",
     6, "vary.0.joints",
     "no joint that \"RF_*\" names has an actuator of kind dc or sea: `actuators` gives them"},
};

static void wrong_actuators_are_refused_with_the_right_message(void **state)
{
  (void)state;
  assert_true(sizeof cases / sizeof cases[0] >= 40);
  refuse_scenarios(cases, sizeof cases / sizeof cases[0]);
}

static void actuators_that_do_not_suit_the_model_are_refused(void **state)
{
  (void)state;
  refuse_worlds(worlds, sizeof worlds / sizeof worlds[0]);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  setenv("PRONK_MOTORS", PK_SOURCE_DIR "/motors", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_actuators_are_refused_with_the_right_message),
      cmocka_unit_test(actuators_that_do_not_suit_the_model_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
