/* Generated code: the header, the build, what to read first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/motion.h"
#include "symbolic/code/codegen.h"
#include "symbolic/robot/robot_parts.h"

/* ---- names ---- */

const char *pki_codegen_plain(const char *name, char out[PKI_CODEGEN_NAME])
{
  static const char kept[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+.,:/()"; /* no star, so no comment */
  size_t n = 0;
  for (; name[n] != '\0' && n + 1 < PKI_CODEGEN_NAME; n++) {
    out[n] = (char)(strchr(kept, name[n]) != NULL ? name[n] : '_');
  }
  out[n] = '\0';
  return out;
}

/* The name of a body's link. */
static const char *link_of(const pk_model *m, int body, char out[PKI_CODEGEN_NAME])
{
  const int link = m->body_link[body];
  return link >= 0 ? pki_codegen_plain(m->links[link].name, out) : "(helper)";
}

/* ---- coordinates ---- */

/* "joint hip" or "root trunk": whose motion a body's is. */
static const char *describe_body_motion(const pk_model *m, int body, char out[PKI_CODEGEN_NAME + 8])
{
  char name[PKI_CODEGEN_NAME];
  const int joint = m->dof_joint[m->body_u[body]];
  snprintf(out, PKI_CODEGEN_NAME + 8, "%s %s", joint >= 0 ? "joint" : "root",
           joint >= 0 ? pki_codegen_plain(m->joints[joint].name, name) : link_of(m, body, name));
  return out;
}

/* A mimic follower has the coordinate of its leader: one line for both. */
static bool shown_before(const pk_model *m, int body)
{
  for (int b = 0; b < body; b++) {
    if (m->body_u[b] == m->body_u[body]) {
      return true;
    }
  }
  return false;
}

/* Where each coordinate stands: a line for each motion. */
static void add_coordinates(const pk_model *m, pki_text *text)
{
  for (int b = 0; b < m->nbody; b++) {
    const int q = m->body_q[b], u = m->body_u[b], motion = m->body_motion[b];
    char name[PKI_CODEGEN_NAME + 8];
    describe_body_motion(m, b, name);
    if (motion == PK_MOTION_FLOATING) {
      pki_text_addf(text,
                    " *   q[%d..%d], u[%d..%d]  %s: position (m), quaternion (w x y z, unit); its "
                    "velocity (m/s), angular "
                    "velocity in body axes (rad/s)\n",
                    q, q + 6, u, u + 5, name);
    } else if (motion == PK_MOTION_SPHERICAL) {
      pki_text_addf(text,
                    " *   q[%d..%d], u[%d..%d]  %s: quaternion (w x y z, unit); angular velocity in body "
                    "axes (rad/s)\n",
                    q, q + 3, u, u + 2, name);
    } else if (!shown_before(m, b)) {
      pki_text_addf(text, " *   q[%d], u[%d]  %s (%s)\n", q, u, name,
                    motion == PK_MOTION_REVOLUTE ? "rad, rad/s" : "m, m/s");
    }
  }
}

static void add_bodies(const pk_model *m, pki_text *text)
{
  pki_text_add(text, " *\n * Bodies (links that fixed joints hold together are one):\n");
  for (int b = 0; b < m->nbody; b++) {
    char name[PKI_CODEGEN_NAME];
    pki_text_addf(text, " *   %d  %s\n", b, link_of(m, b, name));
  }
}

static void add_points(const pk_model *m, pki_text *text)
{
  const int n = pki_robot_points(m, NULL, NULL);
  int *body = calloc((size_t)n + 1, sizeof *body);
  double(*at)[3] = calloc((size_t)n + 1, sizeof *at);
  const bool good = body != NULL && at != NULL;
  if (good) {
    pki_robot_points(m, body, at);
    pki_text_add(text, n > 0 ? " *\n * Contact points, fixed in bodies (m, body axes):\n" : "");
  }
  for (int i = 0; i < n && good; i++) {
    char name[PKI_CODEGEN_NAME];
    pki_text_addf(text, " *   %d  %s at %.6g %.6g %.6g\n", i, link_of(m, body[i], name), at[i][0], at[i][1],
                  at[i][2]);
  }
  text->failed |= !good;
  free(body);
  free(at);
}

/* ---- the header ---- */

static void add_integers(pki_text *text, const pki_codegen *c, const char *function, const char *output,
                         const char *what, const int *values, int count)
{
  pki_text_addf(text, "static const int %s_%s_%s_%s[%d] __attribute__((unused)) = {", c->name, function,
                output, what, count > 0 ? count : 1);
  for (int i = 0; i < count; i++) {
    pki_text_addf(text, "%s%s%d", i > 0 ? "," : "", i % 24 == 0 ? "\n    " : " ", values[i]);
  }
  pki_text_addf(text, "%s};\n", count > 0 ? "" : "0");
}

/* Where the entries of sparse matrices stand. */
static void add_patterns(pki_text *text, const pki_codegen *c, const pki_function *f)
{
  for (int i = 0; i < f->noutput; i++) {
    const pki_output *o = &f->outputs[i];
    if (o->row == NULL) {
      continue;
    }
    char of[40], output[40];
    pki_text_addf(text, "/* Entry k of %s stands in row [k], column [k]. */\nenum { %s_%s_%s_COUNT = %d };\n",
                  o->name, c->capitals, pki_capitals(f->name, of, sizeof of),
                  pki_capitals(o->name, output, sizeof output), o->count);
    add_integers(text, c, f->name, o->name, "row", o->row, o->count);
    add_integers(text, c, f->name, o->name, "col", o->col, o->count);
  }
}

/* The model's values of the parameters that are inputs. */
static void add_parameters(const pki_codegen *c, pki_text *text)
{
  const pk_model *m = c->m;
  const struct {
    unsigned bit;
    const char *name, *about;
    int count;
    const double *values;
  } rows[] = {
      {PKI_FREE_INERTIA, "inertia", "[body][10]: m, m c, inertia about the body's origin xx xy xz yy yz zz",
       10 * m->nbody, m->body_inertia},
      {PKI_FREE_POSITION, "position", "[body][3]: joint frame in the parent body", 3 * m->nbody, m->body_pos},
      {PKI_FREE_GRAVITY, "gravity", "[3]", 3, m->gravity},
      {PKI_FREE_ARMATURE, "armature", "[coordinate]", m->nu, m->dof_armature}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (!(c->free & rows[i].bit)) {
      continue;
    }
    pki_text_addf(text, "\n/* This robot's own %s, %s. */\n", rows[i].name, rows[i].about);
    pki_text_addf(text, "static const double %s_%s[%d] __attribute__((unused)) = {", c->name, rows[i].name,
                  rows[i].count);
    for (int k = 0; k < rows[i].count; k++) {
      pki_text_add(text, k % 10 == 0 ? "\n    " : " ");
      pki_emit_number(rows[i].values[k], text);
      pki_text_add(text, k + 1 < rows[i].count ? "," : "};\n");
    }
  }
}

void pki_codegen_header(const pki_codegen *c, pki_text *text)
{
  const pk_model *m = c->m;
  pki_text_addf(
      text,
      "/* Dynamics of %s: M(q) du/dt + h(q, u) = tau.\n *\n"
      " * Made by pronk %s from a model of hash %016llx; do not edit. SI units, radians. Matrices are row by "
      "row.\n"
      " * NAME is one robot; NAME_x4 and NAME_x8 are four and eight beside each other: every number of an "
      "array is\n"
      " * then a vector, one lane for each robot. Functions allocate nothing, keep nothing and call nothing "
      "but\n"
      " * sin and cos (of very large angles) and sqrt. Arrays must not overlap.\n"
      " * Joint damping, friction and limits are not in it: what they do is part of tau.\n *\n * "
      "Coordinates:\n",
      c->robot, pk_version(), pk_model_hash(m));
  add_coordinates(m, text);
  add_bodies(m, text);
  add_points(m, text);
  pki_text_addf(text, " */\n#ifndef %s_H\n#define %s_H\n\n", c->capitals, c->capitals);
  pki_text_add(text, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  pki_text_addf(text, "enum { %s_NQ = %d, %s_NU = %d, %s_NBODY = %d };\n\n", c->capitals, m->nq, c->capitals,
                m->nu, c->capitals, m->nbody);
  pki_emit_lane_types(c->name, text);
  add_parameters(c, text);
  for (int i = 0; i < c->count; i++) {
    pki_text_add(text, "\n");
    pki_emit_prototype(&c->units[i].f, c->name, text);
    add_patterns(text, c, &c->units[i].f);
  }
  pki_text_add(text, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- building ---- */

static void add_sources(const pki_codegen *c, pki_text *text)
{
  for (int i = 0; c->apart && i < c->count; i++) {
    pki_text_addf(text, " %s_%s.c", c->name, c->units[i].f.name);
  }
  if (!c->apart) {
    pki_text_addf(text, " %s.c", c->name);
  }
}

void pki_codegen_cmake(const pki_codegen *c, pki_text *text)
{
  const char *n = c->name;
  pki_text_addf(text, "# Made by pronk %s.\n", pk_version());
  pki_text_addf(text,
                "# Dynamics of %s: libraries %s (one robot) and %s_x4 (four beside each other), with "
                "-D%s_X8=ON %s_x8,\n"
                "# and the self-test. -D%s_NATIVE=OFF makes code for any processor.\n"
                "cmake_minimum_required(VERSION 3.16)\n"
                "project(%s C)\n"
                "option(%s_NATIVE \"use all instructions of this processor\" ON)\n"
                "option(%s_X8 \"eight robots beside each other, too\" OFF)\n"
                "if(NOT CMAKE_BUILD_TYPE)\n  set(CMAKE_BUILD_TYPE Release)\nendif()\n"
                "set(CMAKE_C_STANDARD 17)\n"
                "if(CMAKE_SYSTEM_PROCESSOR MATCHES \"^(aarch64|arm64)\")\n"
                "  set(native -mcpu=native)\nelse()\n  set(native -march=native)\nendif()\n\n"
                "set(lanes 1 4)\nif(%s_X8)\n  list(APPEND lanes 8)\nendif()\n"
                "foreach(n IN LISTS lanes)\n"
                "  set(library %s_x${n})\n"
                "  if(n EQUAL 1)\n    set(library %s)\n  endif()\n"
                "  add_library(${library} STATIC",
                c->robot, n, n, c->capitals, n, c->capitals, n, c->capitals, c->capitals, c->capitals, n, n);
  add_sources(c, text);
  pki_text_addf(
      text,
      ")\n"
      "  target_include_directories(${library} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
      "  target_compile_definitions(${library} PRIVATE %s_LANES=${n})\n"
      "  # Contraction by expression only, or not at all: every lane count gives the same bits.\n"
      "  target_compile_options(${library} PRIVATE -O2 -Wall -Wextra -fno-math-errno -fno-trapping-math\n"
      "    $<$<C_COMPILER_ID:Clang,AppleClang>:-ffp-contract=on>\n"
      "    $<$<C_COMPILER_ID:GNU>:-ffp-contract=off> $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>\n"
      "    $<$<BOOL:${%s_NATIVE}>:${native}>)\n"
      "  target_link_libraries(${library} PUBLIC m)\n"
      "  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
      "endforeach()\n\n"
      "enable_testing()\n"
      "add_executable(test_%s test_%s.c)\n"
      "target_link_libraries(test_%s PRIVATE %s %s_x4)\n"
      "if(%s_X8)\n"
      "  target_compile_definitions(test_%s PRIVATE %s_TEST_X8)\n"
      "  target_link_libraries(test_%s PRIVATE %s_x8)\n"
      "endif()\n"
      "add_test(NAME %s COMMAND test_%s)\n",
      c->capitals, c->capitals, n, n, n, n, n, c->capitals, n, c->capitals, n, n, n, n);
}

void pki_codegen_readme(const pki_codegen *c, pki_text *text)
{
  const char *n = c->name;
  pki_text_addf(
      text,
      "# Dynamics of %s\n\nC code of this robot alone, made by pronk %s from a model of hash %016llx;\n"
      "`%s.h` describes every function and array. It needs nothing but libm.\n\n"
      "    cmake -B build && cmake --build build -j && ctest --test-dir build\n\n"
      "builds a library for one robot (`%s`) and one for four beside each other (`%s_x4`), and runs\n"
      "the self-test. Without CMake:\n\n"
      "    cc -std=c17 -O2 -march=native -fno-math-errno -c",
      c->robot, pk_version(), pk_model_hash(c->m), n, n, n);
  add_sources(c, text);
  pki_text_addf(text,
                " # ARM: -mcpu=native\n\nFour lanes: the same with `-D%s_LANES=4`, where names end in "
                "`_x4`.\n\nFunctions:\n\n",
                c->capitals);
  for (int i = 0; i < c->count; i++) {
    pki_text_addf(text, "- `%s_%s`: %s\n", n, c->units[i].f.name, c->units[i].f.about);
  }
}
