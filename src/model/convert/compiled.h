/* The compiled form: a file of everything that a builder holds (docs/formats/compiled.md).
 *
 * A file is a head and sections, one for each kind of description. A section begins with its fields: names and types.
 * A field that a file lacks has its default, so that files of older versions stay readable; a field that is not
 * known here ends the reading. compiled_fields.c has all sections: a new field of a description is one row there. */
#ifndef PKI_MODEL_CONVERT_COMPILED_H
#define PKI_MODEL_CONVERT_COMPILED_H

#include <stdint.h>

#include "base/text.h"
#include "model/builder.h"
#include "model/load.h"
#include "pronk/convert.h"

/* Bytes of the head: magic (8), version (4), mark of the byte order (4), model hash (8), bytes after the head (8),
 * their SHA-256 (64 hexadecimal digits). */
enum { PKI_COMPILED_HEAD = 96, PKI_COMPILED_VERSION = 1, PKI_COMPILED_MAX = 1 << 28 };
#define PKI_COMPILED_ORDER UINT32_C(0x01020304)

/* How a field is kept; the values are those in files. */
typedef enum pki_item {
  PKI_ITEM_REAL = 1,    /* `count` doubles */
  PKI_ITEM_INT = 2,     /* 4 bytes with a sign */
  PKI_ITEM_WORD = 3,    /* a value of an enumeration with `count` values */
  PKI_ITEM_BOOL = 4,    /* 1 byte */
  PKI_ITEM_TEXT = 5,    /* length + 1 (0: NULL), bytes */
  PKI_ITEM_NAME = 6,    /* the same, a full name: it takes the prefix that the reader is given */
  PKI_ITEM_REALS = 7,   /* how many groups of `count`, then doubles; none: NULL */
  PKI_ITEM_INTS = 8,    /* the same with 4-byte numbers */
  PKI_ITEM_HEIGHTS = 9, /* 1 byte: whether there are any; nx, ny, cell, doubles */
  PKI_ITEM_LAST
} pki_item;

/* A field of a record in memory. */
typedef struct pki_record_field {
  const char *name;
  pki_item item;
  size_t offset;
  int count;
  size_t size_offset; /* of REALS and INTS: the int that says how many groups there are */
} pki_record_field;

/* What reading has at hand beside the record. */
typedef struct pki_compiled_source {
  const pk_mesh *meshes; /* [nmesh] */
  int nmesh;
  const char *file;
  const pk_load_options *options;
  bool alone; /* the file holds one robot: root and pose of the options are for it */
} pki_compiled_source;

/* A section: an array of records in a builder. */
typedef struct pki_record_kind {
  const char *name;
  const pki_record_field *fields;
  int nfield;
  size_t size;                       /* of a record */
  size_t array_offset, count_offset; /* in pk_builder */
  size_t robot_offset; /* int in the record: index of its robot; SIZE_MAX: it comes after all robots */
  int robot_shift;     /* what that int is more than the index */
  void (*start)(void *record); /* the defaults; NULL: zeros */
  pk_status (*add)(pk_builder *b, pki_compiled_source *source, const void *record, pk_error *err);
} pki_record_kind;

/* All sections but world and meshes, in the order in which they are added to a robot. */
extern const pki_record_kind pki_record_kinds[];
extern const int pki_record_kind_count;

/* The one record of the world (pk_builder itself), and meshes (pk_mesh), which come before all others. */
extern const pki_record_kind pki_world_kind, pki_mesh_kind;

/* The largest record of all kinds. */
enum { PKI_RECORD_MAX = 1024 };

/* All bytes of a file. */
void pki_compiled_encode(const pk_builder *b, unsigned long long model_hash, pki_text *out);
pk_status pki_compiled_write(const pk_builder *b, const pk_model *model, const char *path, pk_error *err);

/* Whether these bytes begin a compiled file; the hash of the model that was compiled when it was written. */
bool pki_is_compiled(const void *data, size_t size);
bool pki_compiled_model_hash(const char *path, unsigned long long *hash);

/* pk_builder_write with the model that the builder has compiled; *nmesh: how many mesh files belong to the output. */
pk_status pki_builder_write_model(pk_builder *b, const pk_model *model, const char *path,
                                  pk_model_format format, const pk_write_options *options, int *nmesh,
                                  pk_error *err);

#endif
