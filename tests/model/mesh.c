/* Mesh files on disk: which kinds are read, and what is said about those that cannot be. */
#define _POSIX_C_SOURCE 200809L

#include "mesh_support.h"

#include <sys/stat.h>
#include <unistd.h>

static const char triangle_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/* A folder of its own for each test. */
typedef struct folder {
  char path[200];
} folder;

static int make_folder(void **state)
{
  folder *f = malloc(sizeof *f);
  assert_non_null(f);
  snprintf(f->path, sizeof f->path, "%s/mesh-XXXXXX", PK_BUILD_DIR);
  *state = f;
  return mkdtemp(f->path) == NULL;
}

static int remove_folder(void **state)
{
  folder *f = *state;
  rmdir(f->path);
  free(f);
  return 0;
}

static void in_folder(const folder *f, const char *name, char path[256])
{
  snprintf(path, 256, "%s/%s", f->path, name);
}

static void write_file(const char *path, const void *data, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void assert_load_refused(const char *path, pk_status status, const char *message)
{
  pki_mesh mesh;
  pk_error err = {PK_OK, 0, "", "", ""};
  assert_int_equal(pki_mesh_load(path, &mesh, &err), status);
  assert_error(&err, (expected_error){status, 0, "", message});
  assert_string_equal(err.file, path);
  assert_null(mesh.vertex);
  assert_null(mesh.triangle);
}

static void a_file_is_loaded_by_its_ending_in_any_case(void **state)
{
  static const char *const names[] = {"part.obj", "PART.OBJ", "a.b.Obj", ".obj"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[256];
    in_folder(*state, names[i], path);
    write_file(path, triangle_obj, strlen(triangle_obj));
    pki_mesh mesh;
    assert_int_equal(pki_mesh_load(path, &mesh, NULL), PK_OK);
    unlink(path);
    assert_int_equal(mesh.nvertex, 3);
    assert_int_equal(mesh.ntriangle, 1);
    pki_mesh_free(&mesh);
  }
}

static void a_missing_file_is_an_error(void **state)
{
  char path[256];
  in_folder(*state, "none.stl", path);
  assert_load_refused(path, PK_ERROR_FILE, "the file cannot be read: No such file or directory");
}

static void a_directory_is_an_error(void **state)
{
  char path[256];
  in_folder(*state, "folder.stl", path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_load_refused(path, PK_ERROR_FILE, "this is a directory; expected a mesh file");
  rmdir(path);
}

static void a_pipe_is_an_error_and_does_not_block(void **state)
{
  char path[256];
  in_folder(*state, "pipe.stl", path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_load_refused(path, PK_ERROR_FILE, "this is a device or a pipe; expected a mesh file");
  unlink(path);
}

static void an_unreadable_file_is_an_error(void **state)
{
  char path[256];
  in_folder(*state, "secret.obj", path);
  if (geteuid() == 0) {
    /* The superuser may read everything; a link to itself cannot be opened by anyone. */
    assert_int_equal(symlink(path, path), 0);
    assert_load_refused(path, PK_ERROR_FILE, "the file cannot be read: Too many levels of symbolic links");
  } else {
    write_file(path, triangle_obj, strlen(triangle_obj));
    assert_int_equal(chmod(path, 0), 0);
    assert_load_refused(path, PK_ERROR_FILE, "the file cannot be read: Permission denied");
  }
  unlink(path);
}

static void an_empty_file_is_an_error(void **state)
{
  static const char *const kinds[] = {"stl", "obj", "dae"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char path[256], name[16], message[80];
    snprintf(name, sizeof name, "empty.%s", kinds[i]);
    snprintf(message, sizeof message, "the file is empty; expected a mesh of kind .%s", kinds[i]);
    in_folder(*state, name, path);
    write_file(path, "", 0);
    assert_load_refused(path, PK_ERROR_SYNTAX, message);
    unlink(path);
  }
}

static void a_file_beyond_the_limit_is_an_error(void **state)
{
  char path[256];
  in_folder(*state, "large.stl", path);
  write_file(path, "", 0);
  /* a hole takes no space */
  assert_int_equal(truncate(path, (off_t)PKI_MESH_MAX_BYTES + 1), 0);
  assert_load_refused(path, PK_ERROR_LIMIT, "the file has 1073741825 bytes; at most 1073741824 are read");
  unlink(path);
}

static void kinds_that_are_not_read_say_how_to_convert(void **state)
{
  (void)state;
  static const char *const kinds[] = {"3ds", "gltf", "mesh", "fbx", "off", "x3d", "wrl", "blend"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char path[64], message[256];
    snprintf(path, sizeof path, "a/part.%s", kinds[i]);
    snprintf(
        message, sizeof message,
        ".%s files are not read, only .stl, .obj, .dae, .ply, .glb and .msh; convert it, for example with "
        "`assimp export in.%s "
        "out.obj`, MeshLab or Blender",
        kinds[i], kinds[i]);
    assert_load_refused(path, PK_ERROR_UNSUPPORTED, message);
  }
}

static void cad_kinds_say_how_to_tessellate(void **state)
{
  (void)state;
  assert_load_refused(
      "part.STEP", PK_ERROR_UNSUPPORTED,
      ".step files are not read, only .stl, .obj, .dae, .ply, .glb and .msh; tessellate it to "
      ".stl, for example with "
      "FreeCAD or the CAD program that wrote it");
}

static void zipped_collada_says_how_to_unpack(void **state)
{
  (void)state;
  assert_load_refused(
      "part.zae", PK_ERROR_UNSUPPORTED,
      ".zae files are not read, only .stl, .obj, .dae, .ply, .glb and .msh; unpack it, for example with "
      "`unzip in.zae`, and use the .dae file in it");
}

static void an_unknown_ending_is_an_error(void **state)
{
  (void)state;
  assert_load_refused(
      "part.foo", PK_ERROR_UNSUPPORTED,
      "the ending '.foo' is not known; expected .stl, .obj, .dae, .ply, .glb or .msh. Other meshes "
      "can be converted, "
      "for example with `assimp export in.foo out.obj`, MeshLab or Blender");
}

static void a_missing_ending_is_an_error(void **state)
{
  (void)state;
  assert_load_refused("folder.stl/part", PK_ERROR_UNSUPPORTED,
                      "the file name has no ending that tells the kind of mesh; expected .stl, .obj, .dae, "
                      ".ply, .glb or .msh");
}

static void an_error_struct_is_not_needed(void **state)
{
  (void)state;
  pki_mesh mesh;
  assert_int_equal(pki_mesh_parse("obj", "test.file", "x", 1, &mesh, NULL), PK_ERROR_SYNTAX);
  assert_int_equal(pki_mesh_parse("off", "test.file", "x", 1, &mesh, NULL), PK_ERROR_UNSUPPORTED);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_file_is_loaded_by_its_ending_in_any_case, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_missing_file_is_an_error, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_directory_is_an_error, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_pipe_is_an_error_and_does_not_block, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(an_unreadable_file_is_an_error, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(an_empty_file_is_an_error, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_file_beyond_the_limit_is_an_error, make_folder, remove_folder),
      cmocka_unit_test(kinds_that_are_not_read_say_how_to_convert),
      cmocka_unit_test(cad_kinds_say_how_to_tessellate),
      cmocka_unit_test(zipped_collada_says_how_to_unpack),
      cmocka_unit_test(an_unknown_ending_is_an_error),
      cmocka_unit_test(a_missing_ending_is_an_error),
      cmocka_unit_test(an_error_struct_is_not_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
