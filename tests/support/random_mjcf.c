#include "support/random_mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 64, DEPTH_MAX = 4 };

/* One file under way, and what its later sections speak of. Names are a letter, a number and an x: what <replicate> appends
 * to names must not make one of them another. */
typedef struct mjcf_file {
  pki_random rng;
  pki_text *out;
  bool degrees, modern;
  int bodies, sites, joints;
  bool has_one_coordinate[NAMES_MAX]; /* of joint i */
  bool is_ball[NAMES_MAX];
  bool is_limited[NAMES_MAX];
} mjcf_file;

/* In a radian. */
static const double DEGREES = 180 / 3.14159265358979323846;

static const char *const classes[] = {"main", "light", "heavy", "stiff"};
static const char *const meshes[] = {"tetra", "block", "shell"};

static bool chance(mjcf_file *f, double p)
{
  return pki_random_unit(&f->rng) < p;
}

static int pick(mjcf_file *f, int count)
{
  return (int)(count * pki_random_unit(&f->rng));
}

static double between(mjcf_file *f, double lower, double upper)
{
  return pki_random_between(&f->rng, lower, upper);
}

static double angle(mjcf_file *f, double most)
{
  return between(f, -most, most) * (f->degrees ? DEGREES : 1);
}

static void add_numbers(mjcf_file *f, const char *name, int count, double lower, double upper)
{
  pki_text_addf(f->out, " %s=\"", name);
  for (int i = 0; i < count; i++) {
    pki_text_addf(f->out, i > 0 ? " %.5g" : "%.5g", between(f, lower, upper));
  }
  pki_text_add(f->out, "\"");
}

/* How a frame is turned, in one of the five ways, or not at all. */
static void add_orientation(mjcf_file *f)
{
  switch (pick(f, 7)) {
  case 0: add_numbers(f, "quat", 4, -1, 1); break;
  case 1: pki_text_addf(f->out, " euler=\"%.5g %.5g %.5g\"", angle(f, 3), angle(f, 3), angle(f, 3)); break;
  case 2:
    pki_text_addf(f->out, " axisangle=\"%.5g %.5g %.5g %.5g\"", between(f, -1, 1), between(f, 0.1, 1),
                  between(f, -1, 1), angle(f, 3));
    break;
  case 3:
    pki_text_addf(f->out, " xyaxes=\"1 %.5g %.5g %.5g 1 %.5g\"", between(f, -0.4, 0.4), between(f, -1, 1),
                  between(f, -0.4, 0.4), between(f, -1, 1));
    break;
  case 4: add_numbers(f, "zaxis", 3, -1, 1); break;
  default: break;
  }
}

static void add_class(mjcf_file *f)
{
  if (chance(f, 0.4)) {
    pki_text_addf(f->out, " class=\"%s\"", classes[pick(f, 4)]);
  }
}

/* ---- geoms ---- */

/* What a geom weighs: by its mass, its density, or as its class says. */
static void add_weight(mjcf_file *f)
{
  if (chance(f, 0.3)) {
    pki_text_addf(f->out, " mass=\"%.5g\"", between(f, 0.1, 3));
  } else if (chance(f, 0.4)) {
    pki_text_addf(f->out, " density=\"%.5g\"", between(f, 200, 3000));
  }
}

static void add_geom(mjcf_file *f, bool must_weigh)
{
  static const char *const kinds[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh"};
  /* MuJoCo 2.2.2 keeps meshes in single precision */
  const int kind = pick(f, f->modern ? 6 : 5);
  pki_text_add(f->out, "<geom");
  add_class(f);
  pki_text_addf(f->out, " type=\"%s\"", kinds[kind]);
  if (kind == 5) {
    pki_text_addf(f->out, " mesh=\"%s\"", meshes[pick(f, 3)]);
  }
  if (kind >= 1 && kind <= 4 && chance(f, 0.3)) {
    add_numbers(f, "fromto", 6, -0.2, 0.2);
    add_numbers(f, "size", kind >= 3 ? 2 : 1, 0.02, 0.1);
  } else {
    static const int sizes[] = {1, 2, 2, 3, 3, 0};
    if (sizes[kind] > 0) {
      add_numbers(f, "size", sizes[kind], 0.03, 0.2);
    }
    if (chance(f, 0.7)) {
      add_numbers(f, "pos", 3, -0.2, 0.2);
    }
    add_orientation(f);
  }
  if (must_weigh) {
    pki_text_addf(f->out, " mass=\"%.5g\"", between(f, 0.3, 3));
  } else {
    add_weight(f);
  }
  if (chance(f, 0.3)) {
    pki_text_addf(f->out, " contype=\"%d\" conaffinity=\"%d\"", pick(f, 3), pick(f, 3));
  }
  if (f->modern && chance(f, 0.2) && kind < 4) {
    pki_text_add(f->out, " shellinertia=\"true\"");
  }
  pki_text_add(f->out, "/>\n");
}

/* Mass properties in words: principal moments of a box, turned, or the same as a full matrix. */
static void add_inertial(mjcf_file *f)
{
  const double m = between(f, 0.3, 4), a = between(f, 0.05, 0.2), b = between(f, 0.05, 0.2),
               c = between(f, 0.05, 0.2);
  const double x = m * (b * b + c * c), y = m * (a * a + c * c), z = m * (a * a + b * b);
  pki_text_addf(f->out, "<inertial mass=\"%.5g\"", m);
  add_numbers(f, "pos", 3, -0.1, 0.1);
  if (f->modern && chance(f, 0.5)) {
    const double least = 0.1 * fmin(x, fmin(y, z));
    pki_text_addf(f->out, " fullinertia=\"%.8g %.8g %.8g %.8g %.8g %.8g\"/>\n", x, y, z,
                  between(f, -least, least), between(f, -least, least), between(f, -least, least));
  } else {
    add_orientation(f);
    pki_text_addf(f->out, " diaginertia=\"%.8g %.8g %.8g\"/>\n", x, y, z);
  }
}

/* ---- joints ---- */

static void add_one_axis(mjcf_file *f, int number, bool slides)
{
  const double unit = f->degrees ? DEGREES : 1;
  add_numbers(f, "axis", 3, -1, 1);
  if (chance(f, 0.4)) {
    const double lower = slides ? between(f, -0.5, -0.2) : between(f, -3, -1) * unit,
                 upper = slides ? between(f, 0.2, 0.5) : between(f, 1, 3) * unit;
    pki_text_addf(f->out, " limited=\"true\" range=\"%.5g %.5g\"", lower, upper);
    f->is_limited[number] = true;
  }
  if (chance(f, 0.3)) {
    pki_text_addf(f->out, " ref=\"%.5g\"", slides ? between(f, -0.2, 0.2) : angle(f, 1));
  }
  if (chance(f, 0.3)) {
    pki_text_addf(f->out, " stiffness=\"%.5g\" springref=\"%.5g\"", between(f, 1, 50),
                  slides ? between(f, -0.2, 0.2) : angle(f, 1));
  }
}

/* One joint of a body; `kind` 0 hinge, 1 slide, 2 ball. */
static void add_joint(mjcf_file *f, int kind)
{
  static const char *const kinds[] = {"hinge", "slide", "ball"};
  const int number = f->joints++;
  f->has_one_coordinate[number] = kind < 2;
  f->is_ball[number] = kind == 2;
  pki_text_addf(f->out, "<joint name=\"j%dx\"", number);
  add_class(f);
  pki_text_addf(f->out, " type=\"%s\"", kinds[kind]);
  if (chance(f, 0.5)) {
    add_numbers(f, "pos", 3, -0.2, 0.2);
  }
  if (kind < 2) {
    add_one_axis(f, number, kind == 1);
  }
  if (chance(f, 0.4)) {
    add_numbers(f, "damping", 1, 0, 2);
  }
  if (chance(f, 0.4)) {
    add_numbers(f, "armature", 1, 0, 0.3);
  }
  pki_text_add(f->out, "/>\n");
}

/* ---- bodies ---- */

static void add_site(mjcf_file *f)
{
  pki_text_addf(f->out, "<site name=\"s%dx\"", f->sites++);
  add_numbers(f, "pos", 3, -0.2, 0.2);
  add_orientation(f);
  pki_text_add(f->out, "/>\n");
}

/* A body is welded, free, or moved by one to three joints. */
static void add_joints(mjcf_file *f, int depth, bool *moves)
{
  const int kind = pick(f, 6);
  *moves = true;
  if (depth == 0 && chance(f, 0.5)) {
    pki_text_addf(f->out,
                  chance(f, 0.5) ? "<freejoint name=\"j%dx\"/>\n"
                                 : "<joint name=\"j%dx\" type=\"free\" damping=\"0\" armature=\"0\"/>\n",
                  f->joints++);
  } else if (kind == 0 && depth > 0) {
    *moves = false;
  } else if (kind == 1) {
    add_joint(f, 2);
  } else if (kind == 2) {
    add_joint(f, 1), add_joint(f, 0);
  } else if (kind == 3) {
    add_joint(f, 0), add_joint(f, 0), add_joint(f, 1);
  } else {
    add_joint(f, pick(f, 2));
  }
}

static void add_body(mjcf_file *f, int depth)
{
  bool moves;
  pki_text_addf(f->out, "<body name=\"b%dx\"", f->bodies++);
  if (chance(f, 0.3)) {
    pki_text_addf(f->out, " childclass=\"%s\"", classes[pick(f, 4)]);
  }
  add_numbers(f, "pos", 3, -0.4, 0.4);
  add_orientation(f);
  pki_text_add(f->out, ">\n");
  add_joints(f, depth, &moves);
  const bool weighed = chance(f, 0.4);
  if (weighed) {
    add_inertial(f);
  } else {
    add_geom(f, true);
  }
  /* MuJoCo 2.2.2 finds principal axes of sums and of full matrices to 1e-8 only */
  const int geoms = f->modern || weighed ? pick(f, 3) : 0;
  for (int i = 0; i < geoms; i++) {
    const bool repeated = f->modern && chance(f, 0.3);
    if (repeated) {
      pki_text_addf(f->out, "<replicate count=\"%d\" offset=\"0.05 %.5g 0\" euler=\"%.5g 0 %.5g\">\n",
                    1 + pick(f, 3), between(f, -0.1, 0.1), angle(f, 1), angle(f, 1));
    }
    add_geom(f, false);
    pki_text_add(f->out, repeated ? "</replicate>\n" : "");
  }
  if (chance(f, 0.7)) {
    add_site(f);
  }
  for (int i = pick(f, depth < DEPTH_MAX ? 3 : 1); i > 0 && f->bodies < 24 && f->joints < NAMES_MAX - 4;
       i--) {
    const bool framed = f->modern && chance(f, 0.4);
    if (framed) {
      pki_text_add(f->out, "<frame");
      add_numbers(f, "pos", 3, -0.2, 0.2);
      add_orientation(f);
      pki_text_add(f->out, ">\n");
    }
    add_body(f, depth + 1);
    pki_text_add(f->out, framed ? "</frame>\n" : "");
  }
  pki_text_add(f->out, "</body>\n");
}

/* ---- the other sections ---- */

static void add_defaults(mjcf_file *f)
{
  pki_text_addf(
      f->out,
      "<default>\n<geom density=\"%.5g\"/>\n<joint damping=\"%.5g\"/>\n"
      "<default class=\"light\">\n<geom density=\"%.5g\" contype=\"2\"/>\n"
      "<default class=\"heavy\">\n<geom density=\"%.5g\"/>\n<joint armature=\"%.5g\"/>\n"
      "<position kp=\"%.5g\"/>\n</default>\n</default>\n"
      "<default class=\"stiff\">\n<joint damping=\"%.5g\" armature=\"%.5g\"/>\n<motor gear=\"%.5g\"/>\n"
      "</default>\n</default>\n",
      between(f, 500, 1500), between(f, 0, 0.5), between(f, 100, 400), between(f, 2000, 8000),
      between(f, 0.01, 0.2), between(f, 10, 40), between(f, 0.5, 2), between(f, 0, 0.1), between(f, 0.5, 3));
}

/* Three meshes: a tetrahedron, a block of twelve triangles, and the same block scaled. */
static void add_assets(mjcf_file *f)
{
  static const char *block =
      "0.1 0.1 0.1  -0.1 0.1 0.1  0.1 -0.1 0.1  -0.1 -0.1 0.1  0.1 0.1 -0.15  -0.1 0.1 -0.15  "
      "0.1 -0.1 -0.15  -0.1 -0.1 -0.15";
  pki_text_addf(f->out,
                "<asset>\n<mesh name=\"tetra\" vertex=\"0 0 0  0.2 0 0  0 0.15 0  0 0 0.3\"/>\n"
                "<mesh name=\"block\" vertex=\"%s\"/>\n<mesh name=\"shell\" scale=\"1 0.5 -2\" "
                "vertex=\"%s\"%s/>\n</asset>\n",
                block, block, f->modern ? " inertia=\"exact\"" : "");
}

static void add_actuators(mjcf_file *f)
{
  pki_text_add(f->out, "<actuator>\n");
  for (int i = 0; i < f->joints; i++) {
    if (!f->has_one_coordinate[i] || chance(f, 0.3)) {
      continue;
    }
    static const char *const kinds[] = {"motor", "position", "velocity", "general"};
    const int kind = pick(f, 4);
    pki_text_addf(f->out, "<%s name=\"a%dx\" joint=\"j%dx\"", kinds[kind], i, i);
    add_class(f);
    if (chance(f, 0.4)) {
      add_numbers(f, "gear", 1, 0.5, 4);
    }
    if (kind == 1) {
      if (chance(f, 0.6)) {
        add_numbers(f, "kp", 1, 5, 80);
      }
      if (f->modern && chance(f, 0.6)) {
        add_numbers(f, chance(f, 0.5) ? "kv" : "dampratio", 1, 0.2, 2);
      }
    } else if (kind == 2) {
      add_numbers(f, "kv", 1, 0.5, 8);
    } else if (kind == 3) {
      pki_text_addf(f->out, " biastype=\"affine\" gainprm=\"%.5g\" biasprm=\"%.5g %.5g %.5g\"",
                    between(f, 1, 9), between(f, -1, 1), between(f, -20, 0), between(f, -2, 0));
    }
    if (kind == 1 && f->modern && f->is_limited[i] && chance(f, 0.4)) {
      add_numbers(f, "inheritrange", 1, 0.5, 1);
    } else if (chance(f, 0.4)) {
      pki_text_addf(f->out, " ctrllimited=\"true\" ctrlrange=\"%.5g %.5g\"", between(f, -1, -0.1),
                    between(f, 0.1, 1));
    }
    if (chance(f, 0.3)) {
      const double most = between(f, 0.5, 20);
      pki_text_addf(f->out, " forcelimited=\"true\" forcerange=\"%.5g %.5g\"", -most, most);
    }
    pki_text_add(f->out, "/>\n");
  }
  pki_text_add(f->out, "</actuator>\n");
}

static void add_sensors(mjcf_file *f)
{
  static const char *const at_site[] = {"accelerometer", "gyro",  "velocimeter",
                                        "magnetometer",  "force", "torque"};
  static const char *const of_frame[] = {"framepos",    "framequat",   "framexaxis",
                                         "frameyaxis",  "framezaxis",  "framelinvel",
                                         "frameangvel", "framelinacc", "frameangacc"};
  static const char *const of_tree[] = {"subtreecom", "subtreelinvel", "subtreeangmom"};
  int count = 0;
  pki_text_add(f->out, "<sensor>\n");
  for (int i = 0; i < f->sites; i++) {
    pki_text_addf(f->out, "<%s name=\"n%dx\" site=\"s%dx\"/>\n", at_site[pick(f, 6)], count++, i);
  }
  for (int i = 0; i < f->bodies; i++) {
    const bool site = f->sites > 0 && chance(f, 0.4);
    const int kind = pick(f, 9);
    /* of equal moments the axes are anybody's choice */
    const bool has_axes = kind >= 1 && kind <= 4;
    pki_text_addf(f->out, "<%s name=\"n%dx\" objtype=\"%s\" objname=\"%s%dx\"", of_frame[kind], count++,
                  site                         ? "site"
                  : chance(f, 0.5) || has_axes ? "xbody"
                                               : "body",
                  site ? "s" : "b", site ? pick(f, f->sites) : i);
    if (kind < 7 && chance(f, 0.4)) {
      pki_text_addf(f->out, " reftype=\"xbody\" refname=\"b%dx\"", pick(f, f->bodies));
    }
    pki_text_add(f->out, "/>\n");
    if (chance(f, 0.3)) {
      pki_text_addf(f->out, "<%s name=\"n%dx\" body=\"b%dx\"/>\n", of_tree[pick(f, 3)], count++, i);
    }
  }
  for (int i = 0; i < f->joints; i++) {
    if (f->has_one_coordinate[i]) {
      pki_text_addf(f->out, "<%s name=\"n%dx\" joint=\"j%dx\"/>\n", chance(f, 0.5) ? "jointpos" : "jointvel",
                    count++, i);
    } else if (f->is_ball[i]) {
      pki_text_addf(f->out, "<%s name=\"n%dx\" joint=\"j%dx\"/>\n",
                    chance(f, 0.5) ? "ballquat" : "ballangvel", count++, i);
    }
  }
  pki_text_add(f->out, "</sensor>\n");
}

void random_mjcf(uint64_t seed, bool modern, pki_text *out)
{
  static const char *const sequences[] = {"xyz", "zyx", "XYZ", "zxZ", "yXz", "ZYX"};
  mjcf_file f = {.rng = pki_random_seeded(seed), .out = out, .modern = modern};
  f.degrees = chance(&f, 0.5);
  pki_text_addf(out, "<mujoco model=\"random %llu\">\n<compiler angle=\"%s\" eulerseq=\"%s\"/>\n",
                (unsigned long long)seed, f.degrees ? "degree" : "radian", sequences[pick(&f, 6)]);
  pki_text_addf(out, "<option gravity=\"%.5g %.5g %.5g\"/>\n", between(&f, -1, 1), between(&f, -1, 1),
                between(&f, -10, -9));
  add_defaults(&f);
  add_assets(&f);
  pki_text_add(out, "<worldbody>\n<geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\" pos=\"0 0 -9\"/>\n");
  for (int i = 1 + pick(&f, 3); i > 0; i--) {
    add_body(&f, 0);
  }
  pki_text_add(out, "</worldbody>\n");
  add_actuators(&f);
  add_sensors(&f);
  pki_text_add(out, "</mujoco>\n");
}
