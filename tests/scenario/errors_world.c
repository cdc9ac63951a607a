/* Wrong scenarios that only the model can tell: names that it does not have, values that it does not allow. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "scenario/wrong.h"

static const wrong cases[] = {
    {"duration: 1\nmodel: starlet\n", 2, "model", NULL},
    {"duration: 1\nmodel: nowhere/robot.urdf\n", 2, "model", NULL},
    {"duration: 1\nmodel: chain:0\n", 2, "model", "chain:0: a chain has 1 to 11584 links, as in chain:10"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints:\n    hing: 1\n", 5, "model.joints.hing",
     "there is no joint \"hing\"; did you mean \"hinge\"? (one of: hinge)"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints: [1]\n", 4, "model.joints",
     "joints is a list, expected a mapping"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints: {hinge: up}\n", 4, "model.joints.hinge",
     "hinge is \"up\", expected a number"},
    {"duration: 1\nmodel:\n  model: pendulum\n  joints: {hinge: [1, 2]}\n", 4, "model.joints.hinge",
     "hinge has 1 coordinate, found 2"},
    {"duration: 1\nmodel:\n  model: starleth\n  joints:\n    LF_KFE: 0\n", 5, "model.joints.LF_KFE",
     "LF_KFE is 0, but its limits are -2.46 to -0.1"},
    {"duration: 1\nmodel: pendulum\npush:\n  - {link: boddy, at: 0, for: 1, force: [1, 0, 0]}\n", 4,
     "push.0.link", "there is no link \"boddy\"; did you mean \"body\"? (one of: world, body)"},
    {"duration: 1\nmodel: pendulum\ncontroller:\n  name: hold\n  period: 1.5e-3\n", 5, "controller.period",
     "the controller \"hold\" has a period of 0.0015 s, expected a whole number of steps of 0.001 s, as "
     "0.001, or 0 "
     "for each step"},
    {"duration: 1\nmodel: pendulum\nterrain:\n  - shape: plane\nstep:\n  stepper: rk4\n", 4, "terrain",
     "the stepper \"rk4\" knows no contact of the law \"hard\": use \"moreau\" or \"euler\", a law of "
     "springs "
     "(\"compliant\", \"penalty\", \"penalty-integral\"), or set compliances first"},
    {"duration: 1\nmodel: pendulum\ncoordinates: extended\n", 3, "coordinates",
     "there is no set of coordinates \"extended\" (one of: minimal, maximal)"},
    {"duration: 1\nmodel: pendulum\ncoordinates: [[1]]\n", 3, "coordinates.0",
     "this is a list, expected the name of a joint"},
    {"duration: 1\nmodel: pendulum\ncollide:\n  ignore: [[bodi, world]]\n", 4, "collide.ignore.0.0",
     "there is no link \"bodi\"; did you mean \"body\"? (one of: world, body)"},
    {"duration: 1\nmodel: pendulum\ncollide:\n  ignore:\n    - [\"b*\", \"x*\"]\n", 5, "collide.ignore.0.1",
     "no link has a name like \"x*\""},
    {"duration: 1\nmodel: pendulum\ncollide:\n  ignore: [[body]]\n", 4, "collide.ignore.0",
     "this names 1 link, expected two"},
    {"duration: 1\nmodel: pendulum\ncollide:\n  ignore: [body, world]\n", 4, "collide.ignore.0", NULL},
    {"duration: 1\nmodel: pendulum\ncollide:\n  ignore: body\n", 4, "collide.ignore", NULL},
    {"duration: 1\nmodel: pendulum\ncollide:\n  force: [[body, {}]]\n", 4, "collide.force.0.1",
     "this is a mapping, expected the name of a link"},
    {"duration: 1\nmodel: pendulum\ncollide:\n  force: [[body, body]]\n", 4, "collide.force.0",
     "these links do not move against each other: they never collide"},
    {"duration: 1\nmodel:\n  model: pendulum\n  srdf: nowhere.srdf\n", 4, "model.srdf", NULL},
    {"duration: 1\nmodel:\n  model: starleth\n  motion: nowhere.csv\n", 4, "model.motion",
     "there is no file \"nowhere.csv\""},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FEET: rubber}\n", 4, "model.surfaces.LF_FEET",
     "there is no link \"LF_FEET\""},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: }\n", 4, "model.surfaces.LF_FOOT",
     "LF_FOOT is nothing, expected the name of a surface"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\nmaterials: {wet: {}}\npairs:\n"
     "  - {surface: ruber, material: wet}\n",
     7, "pairs.0.surface", "there is no surface \"ruber\"; did you mean \"rubber\"? (one of: rubber)"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\nmaterials: {wet: {}}\npairs:\n"
     "  - {surface: rubber, material: dry}\n",
     7, "pairs.0.material", "there is no material \"dry\" (one of: wet)"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\npairs:\n"
     "  - {surface: rubber, with: stell}\n",
     6, "pairs.0.with", "there is no surface \"stell\" (one of: rubber)"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\npairs:\n"
     "  - {surface: rubber}\n",
     6, "pairs.0",
     "this pair has neither, expected one of \"material\" (of the ground) and \"with\" (a surface)"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: rubber}\nmaterials: {wet: {}}\npairs:\n"
     "  - {surface: rubber, with: rubber, material: wet}\n",
     7, "pairs.0",
     "this pair has both \"material\" and \"with\", expected one of \"material\" (of the ground) and "
     "\"with\" (a "
     "surface)"},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: {compliance: ruber}}\ncompliance: "
     "{rubber: {}}\n",
     4, "model.surfaces.LF_FOOT.compliance",
     "there is no compliance \"ruber\"; did you mean \"rubber\"? (one of: rubber)"},
    {"duration: 1\nmodel: starleth\nmaterials: {wet: {compliance: rubber}}\n", 3, "materials.wet.compliance",
     NULL},
    {"duration: 1\nmodel:\n  model: starleth\n  surfaces: {LF_FOOT: {compliance: rubber}}\ncompliance: "
     "{rubber: {}}\n"
     "materials: {wet: {}}\npairs:\n  - {surface: rubber, material: wet, compliance: soft}\n",
     8, "pairs.0.compliance", "there is no compliance \"soft\" (one of: rubber)"},
    {"duration: 1\ncompliance: {rubber: {law: hertz}}\nmaterials: {wet: {compliance: rubber}}\n"
     "terrain: [{shape: plane}]\nobjects: [{name: cube, shape: box, size: [1, 1, 1], compliance: rubber}]\n",
     2, "compliance",
     "\"cube\" on \"the ground\": the law hertz was asked for a box on a plane, expected spheres and "
     "ellipsoids, on "
     "each other or on a plane"},
    /* actuators, constraints, disturbances, feet */
    {"duration: 1\nmodel: pendulum\nactuators:\n  - {joints: hing, effort: 1}\n", 4, "actuators.0.joints",
     "there is no joint \"hing\"; did you mean \"hinge\"? (one of: hinge)"},
    {"duration: 1\nmodel: {model: pendulum, prefix: a_}\nactuators:\n  - {joints: 'b_*', effort: 1}\n", 4,
     "actuators.0.joints", "there is no joint \"b_*\" (one of: a_hinge)"},
    {"duration: 1\nmodel: pendulum\nconstraints:\n  - {kind: weld, link: boddy}\n", 4, "constraints.0.link",
     "there is no link \"boddy\"; did you mean \"body\"? (one of: world, body)"},
    {"duration: 1\nmodel: pendulum\nconstraints:\n  - {kind: weld, link: body, to: wall}\n", 4,
     "constraints.0.to", "there is no link \"wall\" (one of: world, body)"},
    {"duration: 1\nmodel: pendulum\ndisturb:\n  - {link: boddy, every: 1, for: 0.1, force: 1}\n", 4,
     "disturb.0.link", "there is no link \"boddy\"; did you mean \"body\"? (one of: world, body)"},
    {"duration: 1\nmodel: starleth\ncontroller:\n  name: locomotion\n  feet: [LF_FOOT, RF_FOOT, LH_FOOT, "
     "RH_FOT]\n",
     5, "controller.feet", NULL},
    {"duration: 1\nmodel: pendulum\ncontroller: locomotion\n", 3, "controller", NULL},
    {"duration: 1\nmodel: coman\ncontroller:\n  name: biped\n  feet: [LFoot, RFoot]\n  arms: [LShSag, "
     "RShSg]\n",
     6, "controller.arms",
     "there is no joint \"RShSg\" with a motor in this robot to swing an arm; did you mean \"RShSag\"?"},
    {"duration: 1\nmodel: coman\ncontroller:\n  name: biped\n  feet: [RFoot, LFoot]\n", 5, "controller.feet",
     "\"RFoot\" is 0.145 m to the right of \"LFoot\" at the start, expected the left foot, then the right "
     "foot"},
    {"duration: 1\nmodels: [pendulum, pendulum]\n", 2, "models.1",
     "models.0 has a link \"world\", too: give each robot its own prefix"},
    {"duration: 1\nmodel: {model: pendulum, surfaces: {body: rubber}}\n", 2, "model.surfaces.body",
     "the link \"body\" has no collision shape"},
    {"duration: 1\nmodel: pendulum\ncoordinates: [hing]\n", 3, "coordinates", NULL},
};

static void names_that_the_model_lacks_are_refused_at_their_line(void **state)
{
  (void)state;
  refuse_worlds(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
  setenv("PRONK_MODELS", PK_SOURCE_DIR "/models", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_that_the_model_lacks_are_refused_at_their_line)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
