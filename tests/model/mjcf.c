/* MJCF: classes, trees, joints, poses and masses. Expected values are closed forms. */
#include "model/mjcf_help.h"

static const double pi = 3.14159265358979323846;

/* ---- masses ---- */

/* Mass and principal moments of one geom that moves. */
static void assert_geom(const char *geom, double mass, double ixx, double iyy, double izz)
{
  char text[2000];
  snprintf(text, sizeof text, WORLD("<body name='b'><freejoint/>%s</body>"), geom);
  pk_builder *b = read_text(text, NULL);
  const pk_inertia *i = &link_of(b, "b")->inertia;
  assert_close(i->mass, mass);
  assert_close(i->moment[0], ixx);
  assert_close(i->moment[3], iyy);
  assert_close(i->moment[5], izz);
  pk_builder_destroy(b);
}

static void solids_have_the_mass_and_moments_of_their_volume(void **state)
{
  (void)state;
  assert_geom("<geom size='.1'/>", 4000 * pi * 1e-3 / 3, 0.4 * 4 * pi / 3 * 0.01, 0.4 * 4 * pi / 3 * 0.01,
              0.4 * 4 * pi / 3 * 0.01);
  assert_geom("<geom type='box' size='.1 .2 .3' mass='6'/>", 6, 2 * (0.04 + 0.09), 2 * (0.01 + 0.09),
              2 * (0.01 + 0.04));
  assert_geom("<geom type='cylinder' size='.1 .3' mass='12'/>", 12, 3 * 0.01 + 0.36, 3 * 0.01 + 0.36,
              6 * 0.01);
  assert_geom("<geom type='ellipsoid' size='.1 .2 .3' density='1000'/>", 8 * pi, 8 * pi / 5 * 0.13,
              8 * pi / 5 * 0.1, 8 * pi / 5 * 0.05);
  /* a rod of length h and two halves of a ball, whose centres are 3 r / 8 beyond its ends */
  const double r = 0.1, h = 0.4, ball = 4.0 / 3 * pi * r * r * r, rod = pi * r * r * h;
  const double across =
      rod * (r * r / 4 + h * h / 12) + ball * (0.4 * r * r + h * h / 4 + 2 * (h / 2) * 3 * r / 8);
  assert_geom("<geom type='capsule' size='.1 .2' density='1'/>", ball + rod, across, across,
              rod * r * r / 2 + ball * 0.4 * r * r);
}

static void shells_have_the_mass_and_moments_of_their_surface(void **state)
{
  (void)state;
  const double ball = 2.0 / 3 * 5 * 0.01;
  assert_geom("<geom size='.1' shellinertia='true' mass='5'/>", 5, ball, ball, ball);
  /* six equal plates of a cube of edge 2 a: two of them across the axis */
  const double a = 0.1, plate = 1, cube = 2 * plate * 2 * a * a / 3 + 4 * plate * (a * a / 3 + a * a);
  assert_geom("<geom type='box' size='.1 .1 .1' shellinertia='true' mass='6'/>", 6, cube, cube, cube);
}

static void a_body_of_geoms_has_the_sum_of_their_masses(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<body name='b'><freejoint/><geom size='.1' pos='1 0 0' mass='1'/>"
                                  "<geom size='.1' pos='-1 0 0' mass='3'/><geom size='.1' mass='0'/></body>"),
                            NULL);
  const pk_inertia *i = &link_of(b, "b")->inertia;
  assert_close(i->mass, 4);
  assert_close(i->com[0], -0.5);
  assert_close(i->moment[0], 4 * 0.4 * 0.01);
  assert_close(i->moment[3], 4 * 0.4 * 0.01 + 2.25 + 3 * 0.25);
  pk_builder_destroy(b);
}

/* The corner tetrahedron of edges 1, 2, 3: volume 1, centre (1, 2, 3) / 4. */
static void meshes_have_the_mass_of_their_volume(void **state)
{
  (void)state;
  static const char *const ways[] = {"legacy", "exact", "convex"};
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             MJCF("<asset><mesh name='m' inertia='%s' vertex='0 0 0 1 0 0 0 2 0 0 0 3'/></asset>"
                  "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"),
             ways[k]);
    pk_builder *b = read_text(text, NULL);
    const pk_inertia *i = &link_of(b, "b")->inertia;
    assert_close(i->mass, 1000);
    assert_close(i->com[0], 0.25);
    assert_close(i->com[2], 0.75);
    /* int y^2 + z^2 about the centre: V (3/80) (b^2 + c^2) */
    assert_close(i->moment[0], 1000 * 3.0 / 80 * (4 + 9));
    assert_close(i->moment[1], 1000 * 1.0 / 80 * 2); /* - int x y = V a b / 80 */
    pk_builder_destroy(b);
  }
}

static void inertial_wins_over_geoms_unless_the_compiler_says_otherwise(void **state)
{
  (void)state;
  const char *body =
      "<worldbody><body name='b'><freejoint/>" MASS "<geom size='.1' mass='5'/></body></worldbody>";
  char text[1000];
  snprintf(text, sizeof text, MJCF("%s"), body);
  pk_builder *b = read_text(text, NULL);
  assert_close(link_of(b, "b")->inertia.mass, 1);
  pk_builder_destroy(b);
  snprintf(text, sizeof text, MJCF("<compiler inertiafromgeom='true'/>%s"), body);
  b = read_text(text, NULL);
  assert_close(link_of(b, "b")->inertia.mass, 5);
  pk_builder_destroy(b);
  snprintf(text, sizeof text, MJCF("<compiler settotalmass='7'/>%s"), body);
  b = read_text(text, NULL);
  assert_close(link_of(b, "b")->inertia.mass, 7);
  assert_close(link_of(b, "b")->inertia.moment[3], 0.7);
  pk_builder_destroy(b);
}

static void full_inertias_list_the_diagonal_first(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<body name='b'><freejoint/><inertial pos='1 2 3' mass='2' "
                                  "fullinertia='.1 .2 .15 .01 .02 .03'/></body>"),
                            NULL);
  const double expected[6] = {0.1, 0.01, 0.02, 0.2, 0.03, 0.15};
  for (int k = 0; k < 6; k++) {
    assert_close(link_of(b, "b")->inertia.moment[k], expected[k]);
  }
  pk_builder_destroy(b);
}

/* ---- poses ---- */

/* Where a body's x axis points in its parent. */
static void assert_turned(const char *compiler, const char *orientation, double x, double y, double z)
{
  char text[1000];
  snprintf(text, sizeof text,
           MJCF("<compiler %s/><worldbody><body name='a'><freejoint/>" MASS
                "<body name='b' %s><joint name='j'/>" MASS "</body></body></worldbody>"),
           compiler, orientation);
  pk_builder *b = read_text(text, NULL);
  const double *rot = joint_of(b, "j")->origin.rot;
  assert_near(rot[0], x, 1e-12);
  assert_near(rot[3], y, 1e-12);
  assert_near(rot[6], z, 1e-12);
  pk_builder_destroy(b);
}

static void orientations_are_read_in_all_five_ways(void **state)
{
  (void)state;
  assert_turned("", "quat='1 0 0 1'", 0, 1, 0);
  assert_turned("", "axisangle='0 0 2 90'", 0, 1, 0);
  assert_turned("angle='radian'", "axisangle='0 0 2 1.5707963267948966'", 0, 1, 0);
  assert_turned("", "euler='0 0 90'", 0, 1, 0);
  assert_turned("", "euler='90 90 0'", 0, 1, 0);
  assert_turned("", "xyaxes='0 1 0 -1 0 0'", 0, 1, 0);
  assert_turned("", "zaxis='1 0 0'", 0, 0, -1);
  /* about z, then about the new y: x goes to y, and stays there */
  assert_turned("eulerseq='zyx'", "euler='90 90 0'", 0, 0, -1);
  /* about the fixed z, then about the fixed x */
  assert_turned("eulerseq='ZXY'", "euler='90 90 0'", 0, 0, 1);
}

static void frames_move_what_is_in_them(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(WORLD("<frame pos='0 0 1' euler='0 0 90'><body name='b' pos='1 0 0'><joint name='j' "
                      "type='slide' axis='1 0 0'/>" MASS
                      "<frame pos='.5 0 0'><site name='s' pos='0 0 2'/></frame></body></frame>"),
                NULL);
  const pk_joint_desc *j = joint_of(b, "j");
  assert_near(j->origin.pos[0], 0, 1e-12);
  assert_near(j->origin.pos[1], 1, 1e-12);
  assert_near(j->origin.pos[2], 1, 1e-12);
  assert_near(b->equipment.sites[0].desc.pose.pos[0], 0.5, 1e-12);
  assert_near(b->equipment.sites[0].desc.pose.pos[2], 2, 1e-12);
  pk_builder_destroy(b);
}

/* ---- joints and trees ---- */

static void joints_keep_their_numbers(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      WORLD("<body name='b'><joint name='j' axis='0 2 0' range='-90 45' ref='30' springref='-30' "
            "stiffness='5' damping='.5' armature='.1' frictionloss='.2' actuatorfrcrange='-7 7'/>" MASS
            "<body name='c'><joint name='s' type='slide' range='-1 2'/>" MASS "</body></body>"),
      NULL);
  const pk_joint_desc *j = joint_of(b, "j");
  assert_int_equal(j->kind, PK_JOINT_REVOLUTE);
  assert_close(j->lower, -pi / 2);
  assert_close(j->upper, pi / 4);
  assert_close(j->ref, pi / 6);
  assert_close(j->spring_ref, -pi / 6);
  assert_close(j->axis[1], 1);
  assert_close(j->stiffness, 5);
  assert_close(j->damping, 0.5);
  assert_close(j->armature, 0.1);
  assert_close(j->friction, 0.2);
  assert_close(j->effort, 7);
  assert_int_equal(joint_of(b, "s")->kind, PK_JOINT_PRISMATIC);
  assert_close(joint_of(b, "s")->upper, 2);
  pk_builder_destroy(b);
}

/* Two joints of one body: the second hangs where the first carries its point. */
static void several_joints_of_a_body_act_in_their_order(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<body name='b' pos='0 0 1'><joint name='x' axis='1 0 0' pos='0 .1 0'/>"
                                  "<joint name='y' axis='0 1 0' pos='.3 0 0'/>" MASS "</body>"),
                            NULL);
  assert_string_equal(joint_of(b, "x")->child, joint_of(b, "y")->parent);
  assert_near(joint_of(b, "x")->origin.pos[1], 0.1, 1e-15);
  assert_near(joint_of(b, "x")->origin.pos[2], 1, 1e-15);
  assert_near(joint_of(b, "y")->origin.pos[0], 0.3, 1e-15);
  assert_near(joint_of(b, "y")->origin.pos[1], -0.1, 1e-15);
  assert_near(joint_of(b, "b_fixed")->origin.pos[0], -0.3, 1e-15);
  assert_close(link_of(b, "b")->inertia.mass, 1);
  pk_builder_destroy(b);
  pk_model *model = load_text(WORLD("<body name='b' pos='0 0 1'><joint name='x' axis='1 0 0' pos='0 .1 0'/>"
                                    "<joint name='y' axis='0 1 0' pos='.3 0 0'/>" MASS "</body>"));
  assert_int_equal(model->nu, 2);
  pk_model_destroy(model);
}

static void each_tree_of_the_world_is_a_robot(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<geom name='floor' type='plane' size='1 1 1'/>"
                                  "<body name='ball' pos='0 0 2'><freejoint/>" MASS "</body>"
                                  "<body name='table' pos='1 0 0'><geom size='.1'/></body>"
                                  "<body name='base'><body name='arm'><joint/>" MASS "</body></body>"
                                  "<body name='pole' pos='3 0 0'><joint name='turn'/>" MASS "</body>"),
                            NULL);
  assert_int_equal(b->nrobot, 4);
  assert_string_equal(b->robots[0].desc.name, "ball");
  assert_int_equal(b->robots[0].desc.root, PK_ROOT_FREE);
  assert_close(b->robots[0].desc.pose.pos[2], 2);
  assert_int_equal(b->robots[1].desc.root, PK_ROOT_FIXED);
  assert_string_equal(b->robots[2].desc.name, "pole");
  assert_close(joint_of(b, "turn")->origin.pos[0], 3);
  assert_string_equal(b->robots[3].desc.name, "world");
  assert_int_equal(b->links[b->nlink - 1].robot, 3);
  assert_string_equal(b->links[b->nlink - 1].desc.name, "table");
  pk_builder_destroy(b);
}

/* ---- classes ---- */

static void classes_inherit_and_are_chosen_by_the_nearest_name(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF("<default><joint damping='1' armature='.5'/><default class='leg'><joint damping='2'/>"
           "<default class='knee'><joint axis='1 0 0' damping='3'/></default></default></default>"
           "<worldbody><body name='a'><joint name='plain'/>" MASS
           "<body name='b' childclass='leg'><joint name='hip'/>" MASS
           "<body name='c'><joint name='knee' class='knee'/>" MASS "<body name='d'><joint name='own' "
           "damping='9'/>" MASS "</body></body></body></body></worldbody>"),
      NULL);
  assert_close(joint_of(b, "plain")->damping, 1);
  assert_close(joint_of(b, "hip")->damping, 2);
  assert_close(joint_of(b, "hip")->armature, 0.5);
  assert_close(joint_of(b, "knee")->damping, 3);
  assert_close(joint_of(b, "knee")->axis[0], 1);
  assert_close(joint_of(b, "own")->damping, 9);
  pk_builder_destroy(b);
}

/* A second part of the main class does not change classes that came before it. */
static void parts_of_the_main_class_add_up_in_their_order(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF("<default><joint damping='1'/><default class='c'><joint armature='.1'/></default></default>"
           "<default><joint damping='2'/></default><worldbody><body name='a'><joint name='x' class='c'/>" MASS
           "<body name='b'><joint name='y'/>" MASS "</body></body></worldbody>"),
      NULL);
  assert_close(joint_of(b, "x")->damping, 1);
  assert_close(joint_of(b, "x")->armature, 0.1);
  assert_close(joint_of(b, "y")->damping, 2);
  pk_builder_destroy(b);
}

static void short_vectors_leave_the_rest_to_the_class(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(MJCF("<default><geom type='box' size='.1 .2 .3'/></default>"
                     "<worldbody><body name='b'><freejoint/><geom size='.5'/></body></worldbody>"),
                NULL);
  assert_close(b->shapes[0].desc.size[0], 1);
  assert_close(b->shapes[0].desc.size[1], 0.4);
  assert_close(b->shapes[0].desc.size[2], 0.6);
  pk_builder_destroy(b);
}

/* ---- shapes ---- */

static void geoms_collide_by_their_bits_and_are_seen_by_their_group(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(WORLD("<body name='b'><freejoint/>" MASS
                      "<geom name='c' size='.1' contype='2' conaffinity='5' friction='.3' priority='2' "
                      "group='3'/><geom name='ice' size='.1' condim='1' group='3'/>"
                      "<geom name='v' type='capsule' size='.1 .2' contype='0' conaffinity='0'/></body>"),
                NULL);
  assert_int_equal(b->nshape, 3);
  const pk_shape_desc *c = &b->shapes[0].desc, *v = &b->shapes[2].desc;
  assert_false(c->visual);
  assert_int_equal(c->group, 2);
  assert_int_equal(c->mask, 5);
  assert_close(c->friction, 0.3);
  assert_int_equal(c->priority, 2);
  assert_close(b->shapes[1].desc.friction, -1);
  assert_true(v->visual);
  assert_int_equal(v->kind, PK_SHAPE_CAPSULE);
  assert_close(v->size[1], 0.4);
  pk_builder_destroy(b);
}

static void fromto_gives_place_direction_and_length(void **state)
{
  (void)state;
  pk_builder *b = read_text(WORLD("<body name='b'><freejoint/><geom type='capsule' size='.1' "
                                  "fromto='1 0 0 3 0 0'/></body>"),
                            NULL);
  const pk_shape_desc *s = &b->shapes[0].desc;
  assert_close(s->pose.pos[0], 2);
  assert_close(s->size[1], 2);
  assert_near(fabs(s->pose.rot[2]), 1, 1e-12);
  pk_builder_destroy(b);
}

/* Two rows of three heights, the first row far away; they are stretched to 0.5 m and centred at the geom. */
static void height_fields_are_stretched_and_centred(void **state)
{
  (void)state;
  pk_builder *b = read_text(
      MJCF("<asset><hfield name='h' nrow='2' ncol='3' size='2 1 .5 .1' elevation='1 2 3 5 4 3'/></asset>"
           "<worldbody><geom type='hfield' hfield='h' pos='10 0 1'/></worldbody>"),
      NULL);
  const pk_shape_desc *s = &b->shapes[0].desc;
  assert_int_equal(s->kind, PK_SHAPE_HEIGHTS);
  assert_int_equal(s->heights->nx, 3);
  assert_int_equal(s->heights->ny, 2);
  assert_close(s->heights->cell, 2);
  assert_close(s->heights->z[0], 0.5);
  assert_close(s->heights->z[3], 0);
  assert_close(s->heights->z[5], 0.25);
  assert_close(s->pose.pos[0], 8);
  assert_close(s->pose.pos[1], -1);
  pk_builder_destroy(b);
}

/* A box of half lengths 0.1, 0.2, 0.3 as a mesh: the fitted box is the same. */
static void solids_are_fitted_to_meshes(void **state)
{
  (void)state;
  pk_builder *b =
      read_text(MJCF("<asset><mesh name='m' vertex='-.1 -.2 -.3 .1 -.2 -.3 -.1 .2 -.3 .1 .2 -.3 -.1 -.2 .3 "
                     ".1 -.2 .3 -.1 .2 .3 .1 .2 .3'/></asset><worldbody><body name='b'><freejoint/>"
                     "<geom type='box' mesh='m' pos='1 0 0' group='3'/></body></worldbody>"),
                NULL);
  const pk_shape_desc *s = &b->shapes[0].desc;
  assert_int_equal(s->kind, PK_SHAPE_BOX);
  assert_near(s->size[0], 0.2, 1e-7);
  assert_near(s->size[1], 0.4, 1e-7);
  assert_near(s->size[2], 0.6, 1e-7);
  assert_near(s->pose.pos[0], 1, 1e-7);
  assert_near(link_of(b, "b")->inertia.mass, 48, 1e-4);
  pk_builder_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_have_the_mass_and_moments_of_their_volume),
      cmocka_unit_test(shells_have_the_mass_and_moments_of_their_surface),
      cmocka_unit_test(a_body_of_geoms_has_the_sum_of_their_masses),
      cmocka_unit_test(meshes_have_the_mass_of_their_volume),
      cmocka_unit_test(inertial_wins_over_geoms_unless_the_compiler_says_otherwise),
      cmocka_unit_test(full_inertias_list_the_diagonal_first),
      cmocka_unit_test(orientations_are_read_in_all_five_ways),
      cmocka_unit_test(frames_move_what_is_in_them),
      cmocka_unit_test(joints_keep_their_numbers),
      cmocka_unit_test(several_joints_of_a_body_act_in_their_order),
      cmocka_unit_test(each_tree_of_the_world_is_a_robot),
      cmocka_unit_test(classes_inherit_and_are_chosen_by_the_nearest_name),
      cmocka_unit_test(parts_of_the_main_class_add_up_in_their_order),
      cmocka_unit_test(short_vectors_leave_the_rest_to_the_class),
      cmocka_unit_test(geoms_collide_by_their_bits_and_are_seen_by_their_group),
      cmocka_unit_test(fromto_gives_place_direction_and_length),
      cmocka_unit_test(height_fields_are_stretched_and_centred),
      cmocka_unit_test(solids_are_fitted_to_meshes),
  };
  return cmocka_run_group_tests_name("model/mjcf", tests, NULL, NULL);
}
