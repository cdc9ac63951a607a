/* Where pictures come from: a world that is simulated (live.c) or a recording that is played back (replay.c). A source
 * belongs to one thread, the player's; only its catalog is read by others. */
#ifndef PKI_SERVE_SOURCE_H
#define PKI_SERVE_SOURCE_H

#include "base/text.h"
#include "scenario/scenario.h"
#include "serve/frame.h"

/* What the status line of a viewer shows of the last step. */
typedef struct pki_health {
  double residual; /* relative, worst since it was last asked for */
  int contacts;
  double height; /* m, of the trunk */
} pki_health;

typedef struct pki_source pki_source;

/* Functions may be NULL where a source knows no such thing. */
typedef struct pki_source_kind {
  const char *mode; /* "live", "replay" */
  /* Go on by one step, or by `span` s in a recording; *ended: this was the last. A failure explains itself and
   * leaves everything as it was. */
  pk_status (*advance)(pki_source *self, double span, bool *ended, pk_error *err);
  double (*span)(const pki_source *self,
                 double speed); /* s that one advance is for, at that speed (0: no pace) */
  pk_status (*step)(pki_source *self, int count, bool *ended, pk_error *err);
  pk_status (*reset)(pki_source *self, pk_error *err);
  bool (*seek)(pki_source *self, double time); /* true: it is at its end */
  pk_status (*push)(pki_source *self, int client, const pki_message *push, pk_error *err);
  /* *restarted: the world begins anew */
  pk_status (*set)(pki_source *self, const char *key, const char *text, bool *restarted, pk_error *err);
  /* `"parameters":[..],"duration":..,"dt":..,"motors":[..]`, as in the hello */
  void (*parameters)(const pki_source *self, pki_text *out);
  pk_status (*series)(pki_source *self, const pki_message_column *wanted, pki_text *out, pk_error *err);
  /* Fill the frame; `wanted` [channels]: a client has subscribed to it. */
  pk_status (*show)(pki_source *self, const bool *wanted, pki_frame *frame, pk_error *err);
  pki_health (*health)(pki_source *self);
  /* `"name":..,"duration":..,"start":..,"dt":..,"scene":{..},"parameters":[..],"motors":[..]`, as in the hello */
  pk_status (*describe)(const pki_source *self, pki_text *out, pk_error *err);
  void (*destroy)(pki_source *self);
} pki_source_kind;

struct pki_source {
  const pki_source_kind *kind;
  pki_catalog *catalog;
  double time; /* s, now */
};

/* A scenario, which is taken over, also when this fails; or the one at a path, as `pronk run` loads it. compile: has the code of
 * each world that is made compiled and tells the user of it; NULL: pki_world_compile, in silence. */
pk_status pki_live_show(pki_scenario *scenario, void (*compile)(pki_world *world), pki_source **out,
                        pk_error *err);
pk_status pki_live_create(const char *path, const char *const *sets, int nset, pki_source **out,
                          pk_error *err);

/* A recording. */
pk_status pki_replay_create(const char *path, pki_source **out, pk_error *err);
void pki_replay_span(const pki_source *source, double *start, double *end);

#endif
