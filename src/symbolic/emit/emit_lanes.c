/* The lane type of emitted code, and its functions. */
#include "symbolic/emit/emit.h"

/* A text in which @ is the prefix and $ the prefix in capitals. */
static void add_named(pki_text *text, const char *prefix, const char *pattern)
{
  char capitals[80];
  pki_capitals(prefix, capitals, sizeof capitals);
  for (const char *c = pattern; *c != '\0'; c++) {
    if (*c == '@') {
      pki_text_add(text, prefix);
    } else if (*c == '$') {
      pki_text_add(text, capitals);
    } else {
      pki_text_add_bytes(text, c, 1);
    }
  }
}

void pki_emit_lane_types(const char *prefix, pki_text *text)
{
  add_named(
      text, prefix,
      "/* A number of each of 4 or 8 robots; arrays of them need no more alignment than double has. */\n"
      "typedef double @_x4 __attribute__((vector_size(32), aligned(8)));\n"
      "typedef double @_x8 __attribute__((vector_size(64), aligned(8)));\n");
}

static const char lane_type[] =
    "/* Numbers of $_LANES robots side by side, their sines, cosines and square roots. */\n"
    "#ifndef $_LANES_H\n"
    "#define $_LANES_H\n"
    "\n"
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "\n"
    "#ifndef $_LANES\n"
    "#define $_LANES 1\n"
    "#endif\n"
    "\n"
    "/* Vectors come out of inlined calls only. */\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
    "#define $_INLINE static inline __attribute__((always_inline, unused))\n"
    "\n"
    "/* @_r: a number of each robot. $_FN(name): @_name, with more lanes @_name_x4, @_name_x8. */\n"
    "#if $_LANES == 1\n"
    "typedef double @_r;\n"
    "#define $_FN(name) @_##name\n"
    "#define $_WIDTH 4\n"
    "#elif $_LANES == 4\n"
    "typedef double @_r __attribute__((vector_size(32)));\n"
    "#define $_FN(name) @_##name##_x4\n"
    "#define $_WIDTH 4\n"
    "#elif $_LANES == 8\n"
    "typedef double @_r __attribute__((vector_size(64)));\n"
    "#define $_FN(name) @_##name##_x8\n"
    "#define $_WIDTH 8\n"
    "#else\n"
    "#error \"$_LANES is 1, 4 or 8\"\n"
    "#endif\n"
    "\n"
    "/* The same in arrays of the caller's, which need not be aligned. */\n"
    "typedef @_r @_a __attribute__((aligned(8)));\n"
    "\n"
    "/* Angles are turned $_WIDTH at a time; @_i: the bits of a vector. */\n"
    "typedef double @_v __attribute__((vector_size(8 * $_WIDTH)));\n"
    "typedef uint64_t @_i __attribute__((vector_size(8 * $_WIDTH)));\n"
    "\n"
    "/* Room for n angles. */\n"
    "#define $_ANGLES(n) ($_LANES == 1 ? ((n) + 3) / 4 * 4 : (n))\n"
    "\n"
    "/* The same number in every lane. */\n"
    "$_INLINE @_r @_splat(double x)\n"
    "{\n"
    "  @_r y;\n"
    "  memset(&y, 0, sizeof y);\n"
    "  return x - y;\n"
    "}\n"
    "\n"
    "/* Vectors are not passed to functions: how that is done depends on the instruction set. */\n"
    "#if $_LANES == 1\n"
    "#define @_sqrt(x) sqrt(x)\n"
    "#else\n"
    "#define @_sqrt(x) __extension__({ @_r root_ = (x); @_roots(&root_); root_; })\n"
    "$_INLINE void @_roots(@_r *x)\n"
    "{\n"
    "  for (int l = 0; l < $_LANES; l++) {\n"
    "    (*x)[l] = sqrt((*x)[l]);\n"
    "  }\n"
    "}\n"
    "#endif\n"
    "\n";

/* The arithmetic is that of pki_sincos (math/lane.h), expression by expression: it rounds and contracts alike. */
static const char lane_sincos[] =
    "/* sin and cos together: pi/2 is taken off in three parts of 33 bits, exact up to 2^20 quarter turns;\n"
    " * beyond that the C library takes over, lane by lane. The polynomials for |r| <= pi/4 are those of "
    "fdlibm\n"
    " * (Sun Microsystems 1993). The error stays below 2e-16. */\n"
    "static inline __attribute__((unused)) void @_sincos(const @_v *angle, @_v *sin_x, @_v *cos_x)\n"
    "{\n"
    "  const double two_over_pi = 6.36619772367581382433e-01;\n"
    "  const double p1 = 1.57079632673412561417e+00, p2 = 6.07710050630396597660e-11,\n"
    "               p3 = 2.02226624879595063154e-21;\n"
    "  const double shift = 6755399441055744.0; /* 1.5 * 2^52: adding it leaves the integer in the low bits "
    "*/\n"
    "  const @_v x = *angle;\n"
    "  const @_v shifted = x * two_over_pi + shift;\n"
    "  const @_i k = (@_i)shifted;\n"
    "  const @_v n = shifted - shift;\n"
    "  const @_v r = ((x - n * p1) - n * p2) - n * p3;\n"
    "  const @_v z = r * r;\n"
    "  const @_v ps = -1.66666666666666324348e-01 +\n"
    "                 z * (8.33333333332248946124e-03 +\n"
    "                      z * (-1.98412698298579493134e-04 +\n"
    "                           z * (2.75573137070700676789e-06 +\n"
    "                                z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));\n"
    "  const @_v pc = 4.16666666666666019037e-02 +\n"
    "                 z * (-1.38888888888741095749e-03 +\n"
    "                      z * (2.48015872894767294178e-05 +\n"
    "                           z * (-2.75573143513906633035e-07 +\n"
    "                                z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));\n"
    "  const @_v s = r + r * z * ps;\n"
    "  const @_v c = 1.0 - (0.5 * z - z * z * pc);\n"
    "  /* quadrant: odd ones swap sin and cos, the sign follows from the second bit */\n"
    "  const @_i swap = 0 - (k & 1);\n"
    "  const @_i sin_sign = (k & 2) << 62, cos_sign = ((k + 1) & 2) << 62;\n"
    "  *sin_x = (@_v)((((@_i)c & swap) | ((@_i)s & ~swap)) ^ sin_sign);\n"
    "  *cos_x = (@_v)((((@_i)s & swap) | ((@_i)c & ~swap)) ^ cos_sign);\n"
    "  const @_i far = (@_i)((@_v)((@_i)x & (uint64_t)INT64_MAX) > 1.6e6);\n"
    "  uint64_t any = 0;\n"
    "  for (int l = 0; l < $_WIDTH; l++) {\n"
    "    any |= far[l];\n"
    "  }\n"
    "  if (__builtin_expect(any != 0, 0)) {\n"
    "    for (int l = 0; l < $_WIDTH; l++) {\n"
    "      if (far[l] != 0) {\n"
    "        (*sin_x)[l] = sin(x[l]);\n"
    "        (*cos_x)[l] = cos(x[l]);\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n"
    "\n";

static const char lane_all[] =
    "/* Sines and cosines of n angles; with one lane, four at a time. Room for $_ANGLES(n) in each array. "
    "*/\n"
    "static inline __attribute__((unused)) void @_sincos_all(int n, @_r *angle, @_r *sine, @_r *cosine)\n"
    "{\n"
    "  const int step = $_WIDTH / $_LANES;\n"
    "  for (int i = n; i % step != 0; i++) {\n"
    "    angle[i] = @_splat(0);\n"
    "  }\n"
    "  for (int i = 0; i < n; i += step) {\n"
    "    @_v x, s, c;\n"
    "    memcpy(&x, angle + i, sizeof x);\n"
    "    @_sincos(&x, &s, &c);\n"
    "    memcpy(sine + i, &s, sizeof s);\n"
    "    memcpy(cosine + i, &c, sizeof c);\n"
    "  }\n"
    "}\n"
    "\n"
    "/* Of one angle that was not known at the start; which: 0 sine, 1 cosine. */\n"
    "$_INLINE void @_one_angle(@_r *x, int which)\n"
    "{\n"
    "  @_r angle[$_ANGLES(1)] = {*x}, turned[2][$_ANGLES(1)];\n"
    "  @_sincos_all(1, angle, turned[0], turned[1]);\n"
    "  *x = turned[which][0];\n"
    "}\n"
    "#define @_sin(x) __extension__({ @_r angle_ = (x); @_one_angle(&angle_, 0); angle_; })\n"
    "#define @_cos(x) __extension__({ @_r angle_ = (x); @_one_angle(&angle_, 1); angle_; })\n"
    "\n"
    "#endif\n";

void pki_emit_lanes(const char *prefix, pki_text *text)
{
  add_named(text, prefix, lane_type);
  add_named(text, prefix, lane_sincos);
  add_named(text, prefix, lane_all);
}
