/* The table of elements: contacts, tendons, constraints, actuators, sensors and keyframes. */
#include "model/mjcf/mjcf_rows.h"

/* A sensor of a site, a joint and so on: its own attribute behind those of all sensors. */
#define SENSOR(tag, own) \
  { \
    "sensor:" tag, "@sensor " own, "" \
  }

static const pki_mjcf_row rows[] = {
    {"contact", "", "pair exclude"},
    {"pair",
     "name&^ class&^ geom1&^ geom2&^ condim#1 friction:1-5 solref:1-2 solreffriction:1-2 solimp:1-5 gap:1 "
     "margin:1 adhesion:1",
     ""},
    {"exclude", "name& body1&! body2&!", ""},

    {"tendon", "", "spatial fixed"},
    {"spatial", "@tendon", "spatial:site spatial:geom pulley"},
    {"spatial:site", "site&!", ""},
    {"spatial:geom", "geom&! sidesite&", ""},
    {"pulley", "divisor:1", ""},
    {"fixed", "@tendon", "fixed:joint"},
    {"fixed:joint", "joint&! coef:1", ""},

    {"equality", "",
     "connect weld equality:joint equality:tendon equality:flex equality:flexvert equality:flexstrain "
     "equality:distance"},
    {"connect", "@equality @ends", ""},
    {"weld", "@equality @ends relpose:7 torquescale:1", ""},
    {"equality:joint", "@equality joint1&! joint2& polycoef:1-5", ""},
    {"equality:tendon", "@equality tendon1&! tendon2& polycoef:1-5", ""},
    {"equality:flex", "@equality flex&!", ""},
    {"equality:flexvert", "@equality flex&!", ""},
    {"equality:flexstrain", "@equality flex&! cell:3", ""},
    {"equality:distance", "@equality geom1& geom2& distance:1", ""},

    {"actuator", "",
     "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor "
     "actuator:plugin"},
    {"general",
     "@actuator @control @activation @drive @target body&^ actdim#1 input velrange:2 ffrange:2 "
     "dyntype=none|integrator|filter|filterexact|muscle|dcmotor|pid|user "
     "gaintype=fixed|affine|muscle|dcmotor|so3|pid|user biastype=none|affine|muscle|dcmotor|so3|user "
     "dynprm:1-10 gainprm:1-10 biasprm:1-10 actearly=false|true",
     ""},
    {"motor", "@actuator @control @drive @target", ""},
    {"position", "@actuator @control @drive @target inheritrange:1 kp:1 kv:1 dampratio:1 timeconst:1", ""},
    {"velocity", "@actuator @control @drive @target kv:1", ""},
    {"intvelocity", "@actuator @control @activation @drive @target inheritrange:1 kp:1 kv:1 dampratio:1", ""},
    {"orientation", "@actuator joint&^ site&^ refsite&^ kp:1 kv:1 dampratio:1 input", ""},
    {"pid",
     "@actuator @control @drive @target posrange:2 velrange:2 ffrange:2 inheritrange:1 kp:1 kv:1 dampratio:1 "
     "ki:1 imax:1 slewmax:1 input",
     ""},
    {"damper", "@actuator @drive @target kv:1", ""},
    {"cylinder", "@actuator @control @drive @target timeconst:1 area:1 diameter:1 bias:3", ""},
    {"muscle",
     "@actuator @control @drive joint&^ jointinparent&^ tendon&^ slidersite&^ cranksite&^ timeconst:2 "
     "tausmooth^:1 range:2 force:1 scale:1 lmin:1 lmax:1 vmax:1 fpmax:1 fvmax:1",
     ""},
    {"adhesion", "@actuator body&^ gain:1", ""},
    {"dcmotor",
     "@actuator @control @drive @target motorconst:1-2 resistance:1 nominal:1-3 saturation:1-3 "
     "inductance:1-2 "
     "cogging:1-3 controller:1-6 thermal:1-6 lugre:1-5 input",
     ""},
    {"actuator:plugin", "*", "*"},

    {"sensor", "",
     "sensor:touch sensor:accelerometer sensor:velocimeter sensor:gyro sensor:force sensor:torque "
     "sensor:magnetometer sensor:camprojection sensor:rangefinder sensor:jointpos sensor:jointvel "
     "sensor:tendonpos sensor:tendonvel sensor:actuatorpos sensor:actuatorvel sensor:actuatorfrc "
     "sensor:jointactuatorfrc sensor:tendonactuatorfrc sensor:ballquat sensor:ballangvel "
     "sensor:jointlimitpos "
     "sensor:jointlimitvel sensor:jointlimitfrc sensor:tendonlimitpos sensor:tendonlimitvel "
     "sensor:tendonlimitfrc sensor:framepos sensor:framequat sensor:framexaxis sensor:frameyaxis "
     "sensor:framezaxis sensor:framelinvel sensor:frameangvel sensor:framelinacc sensor:frameangacc "
     "sensor:subtreecom sensor:subtreelinvel sensor:subtreeangmom sensor:insidesite sensor:distance "
     "sensor:normal sensor:fromto sensor:contact sensor:e_potential sensor:e_kinetic sensor:clock "
     "sensor:tactile sensor:user sensor:plugin"},
    SENSOR("touch", "site&!"),
    SENSOR("accelerometer", "site&!"),
    SENSOR("velocimeter", "site&!"),
    SENSOR("gyro", "site&!"),
    SENSOR("force", "site&!"),
    SENSOR("torque", "site&!"),
    SENSOR("magnetometer", "site&!"),
    SENSOR("camprojection", "site&! camera&!"),
    SENSOR("rangefinder", "site& camera& data"),
    SENSOR("jointpos", "joint&!"),
    SENSOR("jointvel", "joint&!"),
    SENSOR("tendonpos", "tendon&!"),
    SENSOR("tendonvel", "tendon&!"),
    SENSOR("actuatorpos", "actuator&!"),
    SENSOR("actuatorvel", "actuator&!"),
    SENSOR("actuatorfrc", "actuator&!"),
    SENSOR("jointactuatorfrc", "joint&!"),
    SENSOR("tendonactuatorfrc", "tendon&!"),
    SENSOR("ballquat", "joint&!"),
    SENSOR("ballangvel", "joint&!"),
    SENSOR("jointlimitpos", "joint&!"),
    SENSOR("jointlimitvel", "joint&!"),
    SENSOR("jointlimitfrc", "joint&!"),
    SENSOR("tendonlimitpos", "tendon&!"),
    SENSOR("tendonlimitvel", "tendon&!"),
    SENSOR("tendonlimitfrc", "tendon&!"),
    SENSOR("framepos", "@object @reference"),
    SENSOR("framequat", "@object @reference"),
    SENSOR("framexaxis", "@object @reference"),
    SENSOR("frameyaxis", "@object @reference"),
    SENSOR("framezaxis", "@object @reference"),
    SENSOR("framelinvel", "@object @reference"),
    SENSOR("frameangvel", "@object @reference"),
    SENSOR("framelinacc", "@object"),
    SENSOR("frameangacc", "@object"),
    SENSOR("subtreecom", "body&!"),
    SENSOR("subtreelinvel", "body&!"),
    SENSOR("subtreeangmom", "body&!"),
    SENSOR("insidesite", "site&! @object"),
    SENSOR("distance", "@sides"),
    SENSOR("normal", "@sides"),
    SENSOR("fromto", "@sides"),
    SENSOR("contact", "@sides subtree1& subtree2& site& num#1 data reduce=none|mindist|maxforce|netforce"),
    SENSOR("e_potential", ""),
    SENSOR("e_kinetic", ""),
    SENSOR("clock", ""),
    SENSOR("tactile", "geom&! mesh&!"),
    SENSOR("user",
           "objtype objname& datatype=real|positive|axis|quaternion needstage=none|pos|vel|acc dim#1"),
    {"sensor:plugin", "*", "*"},

    {"keyframe", "", "key"},
    {"key", "name& time:1 qpos:* qvel:* act:* mpos:* mquat:* ctrl:*", ""},
};

const pki_mjcf_row *pki_mjcf_more_row_at(int index)
{
  return index >= 0 && index < (int)(sizeof rows / sizeof *rows) ? &rows[index] : NULL;
}
