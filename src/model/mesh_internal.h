/* What the mesh readers share: the bytes they read, the sink that they fill.
 *
 *   file ---> mesh.c ---> mesh_stl.c, mesh_obj.c, ... ---> pki_mesh_sink ---> pki_mesh
 *
 * Memory is bounded by a multiple of the file's size: no reader believes a declared count before
 * it has seen that as many bytes are there. */
#ifndef PKI_MODEL_MESH_INTERNAL_H
#define PKI_MODEL_MESH_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/mesh.h"

/* A file in memory, for reading and for messages. */
typedef struct pki_mesh_input {
  const char *file;
  const char *data;
  size_t size;
  pk_error *err;
} pki_mesh_input;

/* The 1-based line on which byte `at` of a text stands. */
int pki_mesh_line(const pki_mesh_input *in, const char *at);

/* The word at `at` as messages quote it: up to a blank, at most 31 characters. */
typedef struct pki_mesh_word {
  char text[32];
} pki_mesh_word;

pki_mesh_word pki_mesh_quote(const char *at, const char *end);

/* A mesh under construction: equal vertices are found by a hash table and stored once. */
typedef struct pki_mesh_sink {
  const pki_mesh_input *in;
  pki_mesh mesh;
  size_t vertex_room, triangle_room; /* allocated elements */
  int *slot;                         /* [slot_count] vertex index + 1, 0: free */
  size_t slot_count;                 /* a power of two */
  uint64_t key;                      /* of the hash */
} pki_mesh_sink;

/* The index of the vertex with these finite coordinates, a new one when there is none yet. */
pk_status pki_mesh_sink_vertex(pki_mesh_sink *sink, const double x[3], int *index);

pk_status pki_mesh_sink_triangle(pki_mesh_sink *sink, int a, int b, int c);

/* Make room for `count` more elements of `size` bytes behind `used` of `room`; doubles. NULL when
 * there is no memory, the old block being still the caller's. */
void *pki_mesh_grow(void *block, size_t used, size_t count, size_t size, size_t *room);

pk_status pki_mesh_fail_memory(const pki_mesh_input *in);

/* One reader for each kind. What they leave in the sink is checked and freed by the caller. */
pk_status pki_mesh_read_stl(const pki_mesh_input *in, pki_mesh_sink *sink);
pk_status pki_mesh_read_obj(const pki_mesh_input *in, pki_mesh_sink *sink);
pk_status pki_mesh_read_dae(const pki_mesh_input *in, pki_mesh_sink *sink);
pk_status pki_mesh_read_ply(const pki_mesh_input *in, pki_mesh_sink *sink);
pk_status pki_mesh_read_msh(const pki_mesh_input *in, pki_mesh_sink *sink);
pk_status pki_mesh_read_glb(const pki_mesh_input *in, pki_mesh_sink *sink);

#endif
