/* COLLADA files made of parts, for the tests. */
#ifndef PK_TESTS_MODEL_MESH_DAE_SUPPORT_H
#define PK_TESTS_MODEL_MESH_DAE_SUPPORT_H

#include "mesh_support.h"
#include "support/bounds.h"

typedef struct dae_parts {
  const char *unit;       /* inside <asset> */
  const char *array;      /* a whole <float_array> */
  const char *accessor;   /* a whole <accessor> */
  const char *vertices;   /* a whole <vertices> */
  const char *primitives; /* after <vertices> */
  const char *nodes;      /* inside <visual_scene>; NULL: no scene */
  const char *library;    /* inside <library_nodes> */
} dae_parts;

#define INPUT "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
#define TRIANGLE "<triangles count=\"1\">" INPUT "<p>0 1 2</p></triangles>"
#define SQUARE "<float_array id=\"a\" count=\"12\">0 0 0 1 0 0 1 1 0 0 1 0</float_array>"

/* A square of four points, with one triangle unless told otherwise. Line 4 has the points, line 5
 * the primitives, line 7 the scene. */
static inline const char *write_dae(dae_parts parts, char *out, size_t size)
{
  const int n = snprintf(
      out, size,
      "<?xml version=\"1.0\"?>\n"
      "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\"><asset>%s</asset>\n"
      "<library_geometries><geometry id=\"g\"><mesh>\n"
      "<source id=\"p\">%s<technique_common>%s</technique_common></source>%s\n"
      "%s\n"
      "</mesh></geometry></library_geometries><library_nodes>%s</library_nodes>\n"
      "%s%s%s\n"
      "</COLLADA>\n",
      parts.unit ? parts.unit : "", parts.array ? parts.array : SQUARE,
      parts.accessor ? parts.accessor : "<accessor source=\"#a\" count=\"4\" stride=\"3\"/>",
      parts.vertices ? parts.vertices
                     : "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>",
      parts.primitives ? parts.primitives : TRIANGLE, parts.library ? parts.library : "",
      parts.nodes ? "<library_visual_scenes><visual_scene id=\"s\">" : "", parts.nodes ? parts.nodes : "",
      parts.nodes
          ? "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene>"
          : "");
  assert_greater(n, 0);
  assert_less((size_t)n, size);
  return out;
}

static inline pki_mesh parse_parts(dae_parts parts)
{
  char text[8192];
  write_dae(parts, text, sizeof text);
  return parse_good("dae", text, strlen(text));
}

static inline void assert_parts_refused(dae_parts parts, expected_error expected)
{
  char text[8192];
  write_dae(parts, text, sizeof text);
  assert_refused("dae", text, strlen(text), expected);
}

static inline void assert_text_refused(const char *text, expected_error expected)
{
  assert_refused("dae", text, strlen(text), expected);
}

#endif
