/* Wrong scenarios, the second half: controllers, actuators, constraints, pushes, recording. */
#include "scenario/wrong.h"

static const wrong cases[] = {
    /* controller */
    {REST "controller:\n  kp: 1\n", 4, "controller",
     "the key \"name\" is missing: a text, which one (pronk list controllers)"},
    {REST "controller: hald\n", 3, "controller",
     "there is no controller \"hald\"; did you mean \"hold\"? (one of: hold, track, computed-torque, "
     "inverse-dynamics, actuators, "
     "locomotion, gait-track, whole-body, biped, follow)"},
    {REST "controller: []\n", 3, "controller", "controller is a list, expected a text"},
    {REST "controller:\n  name: hold\n  kp: -1\n", 5, "controller.kp",
     "kp is -1, expected 0 to 1e+09 N m/rad (stiffness)"},
    {REST "controller:\n  name: hold\n  kq: 1\n", 5, "controller.kq",
     "there is no key \"kq\"; did you mean \"kp\"? (one of: name, sees, period, kp, kd, tau_max, frequency)"},
    /* push */
    {REST "push:\n  link: base\n", 4, "push", "push is a mapping, expected a list"},
    {REST "push:\n  - {link: base, at: 1, for: 0.2}\n", 4, "push.0",
     "a push has no force: give `force`, `torque` or `file`"},
    {REST "push:\n  - {at: 1, for: 0.2, force: [0, 0, 1]}\n", 4, "push.0",
     "the key \"link\" is missing: a text, what is pushed, with its prefix"},
    {REST "controller:\n  name: locomotion\n  gait: tölt\n", 5, "controller.gait",
     "gait is \"tölt\", expected one of stand, trot, crawl, walk, pace, amble, bound, canter, gallop, pronk, "
     "jump"},
    {REST "controller:\n  name: locomotion\n  gaits: [{gait: trot}]\n", 5, "controller.gaits.0",
     "the key \"at\" is missing: a number, from when on"},
    {REST "controller:\n  name: locomotion\n  gaits: [{at: 1, gai: trot}]\n", 5, "controller.gaits.0.gai",
     "there is no key \"gai\"; did you mean \"gait\"? (one of: at, gait, forward, sideways, turn)"},
    {REST "controller:\n  name: locomotion\n  gaits: trot\n", 5, "controller.gaits",
     "gaits is a value, expected a list"},
    {REST "controller:\n  name: locomotion\n  feet: [a, b]\n", 5, "controller.feet",
     "feet is a list of 2, expected 4 to 6 names"},
    {REST "controller:\n  name: locomotion\n  feet: LF_FOOT\n", 5, "controller.feet",
     "feet is a value, expected a list"},
    {REST "controller:\n  name: locomotion\n  feet: [a, b, c, [d]]\n", 5, "controller.feet.3",
     "feet is a list, expected a text"},
    {REST "controller:\n  name: biped\n  feet: [a, b]\n  arms: 3\n", 6, "controller.arms",
     "arms is a value, expected a list"},
    {REST "controller:\n  name: biped\n  feet: [a, b]\n  arms: [c]\n", 6, "controller.arms",
     "arms is a list of 1, expected 2 names"},
    {REST "controller:\n  name: biped\n  arms: [c, d]\n  feet: [a]\n", 6, "controller.feet",
     "feet is a list of 1, expected 2 names"},
    {REST "push:\n  - {link: base, at: -1, for: 0.2, force: [0, 0, 1]}\n", 4, "push.0.at",
     "at is -1, expected 0 to 1e+06 s (when it begins)"},
    {REST "push:\n  - {link: base, at: 1, for: 0.2, force: 5}\n", 4, "push.0.force",
     "force is a value, expected a list of 3 numbers"},
    {REST "push:\n  - {link: base, at: 1, duration: 0.2, force: [0, 0, 1]}\n", 4, "push.0.duration",
     "there is no key \"duration\" (one of: link, at, for, force, torque, axes, shape, file, point)"},
    {REST "push:\n  - base\n", 4, "push.0", "push is a value, expected a mapping"},
    /* disturb */
    {REST "disturb: {}\n", 3, "disturb", "disturb is a mapping, expected a list"},
    {REST "disturb:\n  - {link: base, every: 1, for: 0.1}\n", 4, "disturb.0",
     "the key \"force\" is missing: a number, of each, in a random horizontal direction"},
    {REST "disturb:\n  - {link: base, every: 1, for: 0.1, force: [1, 0, 0]}\n", 4, "disturb.0.force",
     "force is a list, expected a number"},
    {REST "disturb:\n  - {link: base, every: 0, for: 0.1, force: 1}\n", 4, "disturb.0.every",
     "every is 0, expected 1e-09 to 1e+06 s (time from one push to the next)"},
    {REST "disturb:\n  - {link: base, every: 1, for: 2, force: 1}\n", 4, "disturb.0.for",
     "for is 2 s, expected at most every, which is 1 s: one push at a time"},
    {REST "disturb:\n  - {link: base, evry: 1, for: 0.1, force: 1}\n", 4, "disturb.0.evry",
     "there is no key \"evry\"; did you mean \"every\"? (one of: link, every, for, force, from, to, point)"},
    /* actuators */
    {REST "actuators: LF_HAA\n", 3, "actuators", "actuators is a value, expected a list"},
    {REST "actuators:\n  - {effort: 1}\n", 4, "actuators.0",
     "the key \"joints\" is missing: a text, a joint with its prefix, or a pattern with *"},
    {REST "actuators:\n  - {joints: LF_HAA}\n", 4, "actuators.0",
     "nothing is said of these joints, expected a kind of actuator, a motor, or one of effort, velocity, "
     "damping, friction, armature, mass, undriven"},
    {REST "actuators:\n  - {joints: LF_HAA, effort: -1}\n", 4, "actuators.0.effort",
     "effort is -1, expected 0 to inf N m (largest torque, or force in N; default: the model's)"},
    {REST "actuators:\n  - {joints: LF_HAA, torque: 1}\n", 4, "actuators.0.torque",
     "there is no key \"torque\" (one of: joints, effort, velocity, damping, friction, armature, mass, "
     "undriven)"},
    /* constraints */
    {REST "constraints:\n  - {kind: rope, link: base}\n", 4, "constraints.0.kind",
     "kind is \"rope\", expected one of weld, ball, hinge, slider, distance"},
    {REST "constraints:\n  - {link: base}\n", 4, "constraints.0",
     "the key \"kind\" is missing: a word, what it holds"},
    {REST "constraints:\n  - {kind: weld}\n", 4, "constraints.0",
     "the key \"link\" is missing: a text, a link, with its prefix"},
    {REST "constraints:\n  - {kind: distance, link: base}\n", 4, "constraints.0",
     "a distance needs a length above 0 m; a ball holds two points together"},
    {REST "constraints:\n  - {kind: distance, link: base, length: 0}\n", 4, "constraints.0.length",
     "a distance needs a length above 0 m; a ball holds two points together"},
    {REST "constraints:\n  - {kind: hinge, link: base, length: 1}\n", 4, "constraints.0.length",
     "a hinge has no length; kind: distance has one"},
    {REST "constraints:\n  - {kind: weld, link: base, too: x}\n", 4, "constraints.0.too",
     "there is no key \"too\"; did you mean \"to\"? (one of: kind, name, link, position, rpy, to, "
     "to_position, "
     "to_rpy, length)"},
    /* record */
    {REST "record: all\n", 3, "record", "record is a value, expected a mapping"},
    {REST "record:\n  rate: -1\n", 4, "record.rate",
     "rate is -1, expected 0 to 1e+06 Hz (samples of states, forces and contacts, at most one in each step; "
     "0: "
     "nothing is recorded)"},
    {REST "record:\n  rates: 1\n", 4, "record.rates",
     "there is no key \"rates\"; did you mean \"rate\"? (one of: rate, view_rate, channels, compression, "
     "loads)"},
    {REST "record:\n  channels: all\n", 4, "record.channels", "channels is a value, expected a list"},
    {REST "record:\n  channels: [a, {}]\n", 4, "record.channels.1", "channels is a mapping, expected a text"},
    {REST "record:\n  channels: ['']\n", 4, "record.channels.0",
     "channels has 0 bytes, expected 1 to 63 (a name)"},
    {REST "record:\n  compression: gzip\n", 4, "record.compression",
     "compression is \"gzip\", expected one of none, lz4, zstd"},
};

static void wrong_parts_are_refused_with_the_right_message(void **state)
{
  (void)state;
  refuse_scenarios(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_parts_are_refused_with_the_right_message)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
