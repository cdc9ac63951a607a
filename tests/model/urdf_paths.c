/* Where meshes are found, and which files a URDF may not reach. Each test has a folder of its own:
 *
 *   top/secret.stl
 *   top/ws/pkg/package.xml            a package with a manifest
 *   top/ws/pkg/robots/urdf/r.urdf
 *   top/ws/pkg/meshes/t.stl
 *   top/ws/other/meshes/t.stl         a package beside it
 *   top/plain/urdf/r.urdf             a robot without a manifest
 *   top/plain/meshes/t.stl
 *   top/far/lib/meshes/t.stl          a package elsewhere
 */
#define _XOPEN_SOURCE 700

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/urdf_help.h"

/* One triangle in the plane z = 0, seen from above, at x from 0 to 1. */
static const char triangle[] =
    "solid t\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n"
    "   vertex 0 1 0\n  endloop\n endfacet\nendsolid t\n";

typedef struct place {
  char top[256];
} place;

static void write_file(const place *p, const char *name, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", p->top, name);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
  assert_int_equal(fclose(out), 0);
}

static int set_up(void **state)
{
  static const char *const folders[] = {
      "ws",       "ws/pkg",          "ws/pkg/robots", "ws/pkg/robots/urdf", "ws/pkg/meshes",
      "ws/other", "ws/other/meshes", "plain",         "plain/urdf",         "plain/meshes",
      "far",      "far/lib",         "far/lib/meshes"};
  static const char *const meshes[] = {"secret.stl",         "ws/pkg/meshes/t.stl",  "ws/other/meshes/t.stl",
                                       "plain/meshes/t.stl", "far/lib/meshes/t.stl", "plain/meshes/a b.stl"};
  place *p = calloc(1, sizeof *p);
  const char *tmp = getenv("TMPDIR");
  snprintf(p->top, sizeof p->top, "%.200s/pronk-urdf-XXXXXX", tmp != NULL ? tmp : "/tmp");
  if (mkdtemp(p->top) == NULL) {
    return -1;
  }
  /* canonical, so that messages can be compared */
  char *real = realpath(p->top, NULL);
  snprintf(p->top, sizeof p->top, "%.250s", real);
  free(real);
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", p->top, folders[i]);
    if (mkdir(path, 0700) != 0) {
      return -1;
    }
  }
  for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
    write_file(p, meshes[i], triangle);
  }
  write_file(p, "ws/pkg/package.xml", "<package/>");
  *state = p;
  return 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
  (void)info, (void)kind, (void)walk;
  return remove(path);
}

static int tear_down(void **state)
{
  place *p = *state;
  nftw(p->top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  free(p);
  return 0;
}

/* Load top/`urdf` whose only shape is the mesh `name`. Without `message` it must be found. */
static pk_model *load_mesh(const place *p, const char *urdf, const char *name, const char *package_path,
                           pk_status expected, const char *message)
{
  char text[1024], path[512], folder[512];
  snprintf(text, sizeof text,
           ROBOT("<link name='a'>" INERTIAL "\n<collision><geometry><mesh %s/></geometry>"
                 "</collision></link>"),
           name);
  write_file(p, urdf, text);
  snprintf(path, sizeof path, "%s/%s", p->top, urdf);
  snprintf(folder, sizeof folder, "%s/%s", p->top, package_path != NULL ? package_path : "");
  const char *const folders[1] = {folder};
  pk_load_options options = pk_load_options_default();
  options.package_paths = folders;
  options.npackage_paths = package_path != NULL;
  options.strict = expected != PK_OK; /* what is a warning otherwise */
  pk_model *model = NULL;
  pk_error err = {0};
  const pk_status status = pk_model_load_urdf(path, &options, &model, &err);
  if (status != expected || (message != NULL && strstr(err.message, message) == NULL)) {
    fail_msg("status %d: %s", status, err.message);
  }
  if (status != PK_OK) {
    assert_int_equal(err.line, 3);
    assert_string_equal(err.field, "link[a]/collision/geometry/mesh@filename");
  } else {
    assert_int_equal(model->nmesh, 1);
    assert_int_equal(model->meshes[0].ntriangle, 1);
  }
  return model;
}

static void assert_found(const place *p, const char *urdf, const char *name, const char *package_path)
{
  pk_model_destroy(load_mesh(p, urdf, name, package_path, PK_OK, NULL));
}

static void assert_refused(const place *p, const char *urdf, const char *name, const char *package_path,
                           pk_status status, const char *message)
{
  assert_null(load_mesh(p, urdf, name, package_path, status, message));
}

#define PKG "ws/pkg/robots/urdf/r.urdf"
#define PLAIN "plain/urdf/r.urdf"

static void a_relative_name_starts_at_the_urdf(void **state)
{
  assert_found(*state, PLAIN, "filename='../meshes/t.stl'", NULL);
  assert_found(*state, "plain/r.urdf", "filename='meshes/t.stl'", NULL);
  assert_found(*state, PLAIN, "filename='../meshes/a b.stl'", NULL);
}

static void a_relative_name_may_climb_within_its_package(void **state)
{
  assert_found(*state, PKG, "filename='../../meshes/t.stl'", NULL);
}

static void a_relative_name_may_not_leave_its_package(void **state)
{
  assert_refused(*state, PKG, "filename='../../../other/meshes/t.stl'", NULL, PK_ERROR_FILE,
                 "to allow it, name its folder with --package-path DIR");
  assert_refused(*state, PLAIN, "filename='../../secret.stl'", NULL, PK_ERROR_FILE,
                 "outside the folder of the robot");
}

static void a_package_path_allows_what_lies_outside(void **state)
{
  assert_found(*state, PKG, "filename='../../../other/meshes/t.stl'", "ws/other");
}

static void a_symbolic_link_does_not_lead_out(void **state)
{
  const place *p = *state;
  char from[512], to[512];
  snprintf(to, sizeof to, "%s/secret.stl", p->top);
  snprintf(from, sizeof from, "%s/plain/meshes/link.stl", p->top);
  assert_int_equal(symlink(to, from), 0);
  assert_refused(p, PLAIN, "filename='../meshes/link.stl'", NULL, PK_ERROR_FILE,
                 "outside the folder of the robot");
  /* inside, links are fine, and the name of the link says what the file is */
  assert_int_equal(unlink(from), 0);
  assert_int_equal(symlink("t.stl", from), 0);
  assert_found(p, PLAIN, "filename='../meshes/link.stl'", NULL);
}

static void an_absolute_name_must_lie_in_an_allowed_folder(void **state)
{
  const place *p = *state;
  char name[512];
  snprintf(name, sizeof name, "filename='%s/plain/meshes/t.stl'", p->top);
  assert_found(p, PLAIN, name, NULL);
  snprintf(name, sizeof name, "filename='file://%s/plain/meshes/a%%20b.stl'", p->top);
  assert_found(p, PLAIN, name, NULL);
  snprintf(name, sizeof name, "filename='%s/secret.stl'", p->top);
  assert_refused(p, PLAIN, name, NULL, PK_ERROR_FILE, "outside the folder of the robot");
  snprintf(name, sizeof name, "filename='file://%s/secret.stl'", p->top);
  assert_refused(p, PLAIN, name, NULL, PK_ERROR_FILE, "outside the folder of the robot");
}

static void a_package_is_found_above_and_beside_the_urdf(void **state)
{
  assert_found(*state, PKG, "filename='package://pkg/meshes/t.stl'", NULL);
  assert_found(*state, PKG, "filename='package://other/meshes/t.stl'", NULL);
  assert_found(*state, PKG, "filename='model://other/meshes/t.stl'", NULL);
  assert_found(*state, PLAIN, "filename='package://plain/meshes/t.stl'", NULL);
}

static void a_package_path_is_the_package_or_its_parent(void **state)
{
  assert_found(*state, PLAIN, "filename='package://lib/meshes/t.stl'", "far");
  assert_found(*state, PLAIN, "filename='package://lib/meshes/t.stl'", "far/lib");
}

static void a_package_name_does_not_lead_out(void **state)
{
  const place *p = *state;
  assert_refused(p, PKG, "filename='package://pkg/../../secret.stl'", NULL, PK_ERROR_FILE,
                 "outside the folder of the robot");
  assert_refused(p, PKG, "filename='package://../secret.stl'", NULL, PK_ERROR_SYNTAX,
                 "expected package://NAME/PATH");
  assert_refused(p, PKG, "filename='package://%2e%2e/secret.stl'", NULL, PK_ERROR_SYNTAX,
                 "expected package://NAME/PATH");
  assert_refused(p, PKG, "filename='package:///etc/passwd'", NULL, PK_ERROR_FILE, "is not there");
  assert_refused(p, PKG, "filename='package://etc/passwd'", NULL, PK_ERROR_FILE, "is not there");
  assert_refused(p, PKG, "filename='package://pkg'", NULL, PK_ERROR_SYNTAX, "expected package://NAME/PATH");
}

static void a_top_folder_of_the_machine_is_no_package(void **state)
{
  const place *p = *state;
  char name[512];
  snprintf(name, sizeof name, "filename='package:/%s/secret.stl'", p->top);
  assert_refused(p, PKG, name, NULL, PK_ERROR_FILE, "is not there");
}

static void a_missing_mesh_lists_the_places_and_the_remedy(void **state)
{
  const place *p = *state;
  char message[600];
  snprintf(message, sizeof message,
           "mesh \"../meshes/no.stl\" is not there (looked at %s/plain/urdf/../meshes/no.stl): name the "
           "folder of its "
           "package with --package-path DIR",
           p->top);
  assert_refused(p, PLAIN, "filename='../meshes/no.stl'", NULL, PK_ERROR_FILE, message);
  snprintf(message, sizeof message, "(no folder elsewhere beside or above %s/plain/urdf)", p->top);
  assert_refused(p, PLAIN, "filename='package://elsewhere/t.stl'", NULL, PK_ERROR_FILE, message);
  snprintf(message, sizeof message, "%s/far/lib/no.stl, %s/far/no.stl", p->top, p->top);
  assert_refused(p, PLAIN, "filename='package://lib/no.stl'", "far", PK_ERROR_FILE, message);
  snprintf(message, sizeof message, "%s/nothing", p->top);
  assert_refused(p, PLAIN, "filename='package://lib/no.stl'", "nothing", PK_ERROR_FILE, message);
}

static void a_third_slash_and_backslashes_are_overlooked(void **state)
{
  assert_found(*state, PKG, "filename='package:///pkg/meshes/t.stl'", NULL);
  assert_found(*state, PLAIN, "filename='..\\meshes\\t.stl'", NULL);
  assert_refused(*state, PLAIN, "filename='..\\..\\secret.stl'", NULL, PK_ERROR_FILE,
                 "outside the folder of the robot");
}

/* What cannot be had is left out: said once for visuals, and once, under another kind, for what collides. */
static void a_mesh_that_cannot_be_had_is_left_out(void **state)
{
  static const char *const names[] = {"../meshes/no.stl", "http://example.org/t.stl", "../../secret.stl",
                                      "../meshes/bad.stl", "../meshes/t.mesh"};
  write_file(*state, "plain/meshes/bad.stl", "solid t\n facet");
  write_file(*state, "plain/meshes/t.mesh", "[MeshSerializer_v1.100]");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[1024], file[512];
    const char *n = names[i];
    snprintf(file, sizeof file, "%s/plain/urdf/r.urdf", ((const place *)*state)->top);
    snprintf(text, sizeof text,
             ROBOT("<link name='a'>" INERTIAL
                   "<visual><geometry><mesh filename='%s'/></geometry></visual><visual><geometry><mesh "
                   "filename='%s'/></geometry></visual><collision><geometry><mesh filename='%s'/></geometry>"
                   "</collision><collision><geometry><sphere radius='1'/></geometry></collision></link>"),
             n, n, n);
    pk_builder *b;
    pk_builder_create(&b, NULL);
    pk_model *m = NULL;
    int count = 0;
    assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), file, NULL, NULL), PK_OK);
    assert_int_equal(pk_builder_compile(b, &m, NULL), PK_OK);
    const pk_builder_diagnostic *all = pk_builder_diagnostics(b, &count);
    assert_int_equal(count, 2);
    assert_string_equal(all[0].kind, i < 3 ? "mesh-missing" : "mesh-unreadable");
    assert_non_null(strstr(all[0].error.message, "the visual is left out"));
    assert_string_equal(all[1].kind, "collision-missing");
    assert_non_null(strstr(all[1].error.message, "nothing collides there"));
    assert_int_equal(m->nshape, 1);
    pk_model_destroy(m);
    pk_builder_destroy(b);
  }
}

static void nothing_is_fetched_from_the_network(void **state)
{
  assert_refused(*state, PLAIN, "filename='http://example.org/t.stl'", NULL, PK_ERROR_UNSUPPORTED,
                 "nothing is fetched from elsewhere");
}

static void a_folder_or_a_pipe_is_no_mesh(void **state)
{
  const place *p = *state;
  char path[512];
  snprintf(path, sizeof path, "%s/plain/meshes/pipe.stl", p->top);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_refused(p, PLAIN, "filename='../meshes/pipe.stl'", NULL, PK_ERROR_FILE, "is not there");
  assert_refused(p, PLAIN, "filename='../meshes'", NULL, PK_ERROR_FILE, "is not there");
}

static void a_broken_mesh_is_reported_by_its_name(void **state)
{
  write_file(*state, "plain/meshes/bad.stl", "solid t\n facet normal 0 0 1\n  outer loop\n");
  assert_refused(*state, PLAIN, "filename='../meshes/bad.stl'", NULL, PK_ERROR_SYNTAX, "meshes/bad.stl");
}

static void a_scale_stretches_and_a_mirror_keeps_the_outside(void **state)
{
  pk_model *m = load_mesh(*state, PLAIN, "filename='../meshes/t.stl' scale='2 -3 1'", NULL, PK_OK, NULL);
  const pk_mesh *mesh = &m->meshes[0];
  const double *a = mesh->vertex + 3 * mesh->triangle[0], *b = mesh->vertex + 3 * mesh->triangle[1],
               *c = mesh->vertex + 3 * mesh->triangle[2];
  /* twice the area along z: the normal still points up */
  assert_close((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 6);
  pk_model_destroy(m);
}

static void a_mesh_is_loaded_once_for_each_scale(void **state)
{
  const place *p = *state;
  char path[512];
  write_file(
      p, PLAIN,
      ROBOT("<link name='a'>" INERTIAL
            "<visual><geometry><mesh filename='../meshes/t.stl'/></geometry></visual>"
            "<collision><geometry><mesh filename='../meshes/t.stl' scale='1 1 1'/></geometry></collision>"
            "<collision><geometry><mesh filename='../meshes/t.stl' scale='2 2 "
            "2'/></geometry></collision></link>"));
  snprintf(path, sizeof path, "%s/" PLAIN, p->top);
  pk_model *m = NULL;
  assert_int_equal(pk_model_load_urdf(path, NULL, &m, NULL), PK_OK);
  assert_int_equal(m->nshape, 3);
  assert_int_equal(m->nmesh, 2);
  assert_int_equal(m->shapes[0].mesh, m->shapes[1].mesh);
  assert_string_equal(m->meshes[0].name, "../meshes/t.stl");
  pk_model_destroy(m);
}

static void without_meshes_no_file_is_opened(void **state)
{
  (void)state;
  pk_model *m =
      load_text(ROBOT("<link name='a'>" INERTIAL "<collision><geometry><mesh filename='/no.stl'/></geometry>"
                      "</collision></link>"));
  assert_int_equal(m->nshape, 0);
  pk_model_destroy(m);
}

static void text_in_memory_without_a_place_has_no_folder(void **state)
{
  (void)state;
  const char *text =
      ROBOT("<link name='a'><visual><geometry><mesh filename='t.stl'/></geometry></visual></link>");
  pk_builder *b;
  pk_builder_create(&b, NULL);
  pk_error err = {0};
  pk_load_options options = pk_load_options_default();
  options.strict = true;
  assert_int_equal(pk_builder_add_urdf_memory(b, text, strlen(text), NULL, &options, &err), PK_ERROR_FILE);
  assert_non_null(strstr(err.message, "no folder is known"));
  assert_string_equal(err.file, "");
  pk_builder_destroy(b);
}

static void a_missing_urdf_and_a_folder_say_so(void **state)
{
  const place *p = *state;
  char path[512];
  pk_model *m = NULL;
  pk_error err = {0};
  snprintf(path, sizeof path, "%s/no.urdf", p->top);
  assert_int_equal(pk_model_load_urdf(path, NULL, &m, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the file: there is no such file");
  assert_string_equal(err.file, path);
  assert_int_equal(pk_model_load_urdf(p->top, NULL, &m, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the file: it is a folder, name the .urdf file in it");
  assert_null(m);
}

static void a_pipe_is_no_urdf_and_is_not_waited_for(void **state)
{
  const place *p = *state;
  char path[512];
  pk_model *m = NULL;
  pk_error err = {0};
  snprintf(path, sizeof path, "%s/pipe.urdf", p->top);
  assert_int_equal(mkfifo(path, 0600), 0);
  alarm(10); /* a load that waits ends the test */
  assert_int_equal(pk_model_load_urdf(path, NULL, &m, &err), PK_ERROR_FILE);
  alarm(0);
  assert_string_equal(err.message, "cannot read the file: it is a device or a pipe");
  assert_string_equal(err.file, path);
  assert_null(m);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_PLACE(a_relative_name_starts_at_the_urdf),
      IN_PLACE(a_relative_name_may_climb_within_its_package),
      IN_PLACE(a_relative_name_may_not_leave_its_package),
      IN_PLACE(a_package_path_allows_what_lies_outside),
      IN_PLACE(a_symbolic_link_does_not_lead_out),
      IN_PLACE(an_absolute_name_must_lie_in_an_allowed_folder),
      IN_PLACE(a_package_is_found_above_and_beside_the_urdf),
      IN_PLACE(a_package_path_is_the_package_or_its_parent),
      IN_PLACE(a_package_name_does_not_lead_out),
      IN_PLACE(a_top_folder_of_the_machine_is_no_package),
      IN_PLACE(a_missing_mesh_lists_the_places_and_the_remedy),
      IN_PLACE(nothing_is_fetched_from_the_network),
      IN_PLACE(a_third_slash_and_backslashes_are_overlooked),
      IN_PLACE(a_mesh_that_cannot_be_had_is_left_out),
      IN_PLACE(a_folder_or_a_pipe_is_no_mesh),
      IN_PLACE(a_broken_mesh_is_reported_by_its_name),
      IN_PLACE(a_scale_stretches_and_a_mirror_keeps_the_outside),
      IN_PLACE(a_mesh_is_loaded_once_for_each_scale),
      cmocka_unit_test(without_meshes_no_file_is_opened),
      cmocka_unit_test(text_in_memory_without_a_place_has_no_folder),
      IN_PLACE(a_missing_urdf_and_a_folder_say_so),
      IN_PLACE(a_pipe_is_no_urdf_and_is_not_waited_for),
  };
  return cmocka_run_group_tests_name("meshes of a URDF", tests, NULL, NULL);
}
