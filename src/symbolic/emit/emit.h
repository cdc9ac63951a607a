/* Functions as C.
 *
 * The code is C17 over a lane type as in math/lane.h: PREFIX_r is one double, or a vector of 4 or 8 of them, one for each of
 * as many robots, by -DPREFIX_LANES=4 (with the prefix in capitals; 1 unless told). Arrays hold lanes fastest. Names end
 * in _x4 and _x8 with more than one lane, so that all of them link into one program.
 *
 *   void PREFIX_NAME(const PREFIX_r *port, ..., PREFIX_r *output, ...)      its ports (pki_function_ports), in their order
 *
 * A node that is used more than once is a temporary; one that is used once stands within the expression of its user, so
 * that a * b + c becomes a fused multiply-add wherever the compiler contracts within expressions. A product that only
 * sums use is written in each of them for the same reason. Each input is read once,
 * before anything that depends on it is stored; arrays must not overlap, unless the function says so (in_place).
 *
 * Sines and cosines of angles that are known at once (schedule.h) are computed together at the start: with one lane, four
 * angles at a time in a vector; every lane count gives the same bits. Long functions are split into parts that hand values
 * over in an array on the stack, since compilers take more than linear time for a function. The same function gives the
 * same text, always.
 *
 * Whatever runs out of memory sets text->failed. */
#ifndef PKI_SYMBOLIC_EMIT_EMIT_H
#define PKI_SYMBOLIC_EMIT_EMIT_H

#include "base/text.h"
#include "symbolic/graph/graph.h"

/* The private header: lane type, sines and cosines (the arithmetic of pki_sincos in math/lane.h, so the bits are the same),
 * square roots. Once in a file, before functions. */
void pki_emit_lanes(const char *prefix, pki_text *text);

/* A function's definition, with a comment on its arrays. */
void pki_emit_function(const pki_function *f, const char *prefix, pki_text *text);

/* The same of what pki_simplify makes of it; false: out of memory. */
bool pki_emit_simplified(const pki_function *f, const char *prefix, pki_text *text);

/* Its declarations for 1, 4 and 8 lanes, with the same comment; types PREFIX_x4 and PREFIX_x8 come from
 * pki_emit_lane_types. */
void pki_emit_prototype(const pki_function *f, const char *prefix, pki_text *text);
void pki_emit_lane_types(const char *prefix, pki_text *text);

/* A number as a C literal that is a double, in as few digits as give it back exactly. */
void pki_emit_number(double value, pki_text *text);

/* How a function is written: for reports and tests. */
typedef struct pki_emit_info {
  int statements, parts, alive, angles, scratch;
} pki_emit_info;

bool pki_emit_measure(const pki_function *f, pki_emit_info *info); /* out of memory: false */

#endif
