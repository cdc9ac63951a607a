/* `pronk bench collision`: signed distances of pairs of shapes, and broad phases over boxes in motion, beside other
 * libraries. The same poses and the same boxes for all, in turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/bench.h"
#include "bench/collision_pronk.h"
#include "math/mat3.h"
#include "measure/measure.h"
#include "measure/peer.h"
#include "pronk/model.h"

enum { PEERS_MAX = 16, RUNNERS_MAX = 24, SLOTS = 256, FRAMES = 32, BALL = 42, BALL_TRIANGLES = 80 };
enum { AROUND = 16, ACROSS = 10 }; /* quads of a torus */

/* One engine, or one broad phase of one, in one work. */
typedef struct runner {
  const char *engine, *version, *config;
  const pki_collision_peer *table;
  void *object;
  const double (*boxes)[6]; /* [FRAMES][n] of broad phases */
  int n, most;
  int (*pairs)[2];         /* [most] where they hand their pairs out */
  double agreement, depth; /* largest difference from Pronk's answer */
} runner;

typedef struct work {
  char name[64];
  runner runners[RUNNERS_MAX];
  int count;
} work;

/* How a work is timed: one call does `each` of the unit. */
typedef struct timing {
  void (*run)(void *, int);
  int inputs, each;
  const char *unit;
} timing;

/* Time the runners, and one line for each. The ratio is to `base`. */
static bool time_collisions(work *w, const timing *by, int base, const pki_bench_options *options,
                            pki_bench_report *report)
{
  const pki_measure_options normal = {.round = 4e-3, .total = 3, .least = 7, .most = 51};
  const pki_measure_options quick = {.round = 1e-3, .total = 0.2, .least = 3, .most = 5};
  pki_entrant entrants[RUNNERS_MAX];
  for (int i = 0; i < w->count; i++) {
    entrants[i] = (pki_entrant){.run = by->run, .user = &w->runners[i], .inputs = by->inputs};
  }
  pki_bench_progress(w->name);
  if (!pki_measure(entrants, w->count, options->quick ? &quick : &normal)) {
    return false;
  }
  for (int i = 0; i < w->count; i++) {
    pki_bench_result *r = pki_bench_add_result(report);
    if (r == NULL) {
      return false;
    }
    const runner *from = &w->runners[i];
    memcpy(r->work, w->name, sizeof r->work);
    r->engine = from->engine, r->version = from->version, r->config = from->config;
    r->lanes = r->threads = 1;
    r->unit = by->unit;
    r->median = 1e6 * entrants[i].median / by->each, r->spread = 1e6 * entrants[i].spread / by->each;
    r->ratio = entrants[i].median / entrants[base].median;
    r->agreement = from->agreement, r->depth_agreement = from->depth;
  }
  pki_bench_show(report);
  return true;
}

/* ---- distances ---- */

/* A shape of the works. */
typedef struct figure {
  const char *name; /* NULL: its kind's */
  pki_collision_shape shape;
} figure;

/* A ball of 80 triangles: the hull and the convex mesh of the works. */
typedef struct ball {
  double vertex[3 * BALL];
  int triangle[3 * BALL_TRIANGLES];
  int nvertex;
} ball;

static int edge_midpoint(ball *b, int i, int j)
{
  double m[3], length = 0;
  for (int k = 0; k < 3; k++) {
    m[k] = b->vertex[3 * i + k] + b->vertex[3 * j + k];
    length += m[k] * m[k];
  }
  for (int k = 0; k < 3; k++) {
    m[k] /= sqrt(length);
  }
  for (int v = 0; v < b->nvertex; v++) {
    if (fabs(b->vertex[3 * v] - m[0]) + fabs(b->vertex[3 * v + 1] - m[1]) +
            fabs(b->vertex[3 * v + 2] - m[2]) <
        1e-9) {
      return v;
    }
  }
  memcpy(b->vertex + 3 * b->nvertex, m, sizeof m);
  return b->nvertex++;
}

/* An icosahedron, each triangle cut into four. */
static void make_ball(ball *b, double radius)
{
  static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                   {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                   {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                   {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  const double g = (1 + sqrt(5)) / 2, scale = 1 / sqrt(1 + g * g);
  b->nvertex = 12;
  for (int v = 0; v < 12; v++) {
    const int axis = v / 4; /* (-1, g, 0), (0, -1, g), (g, 0, -1) and their signs */
    const double a = scale * (v & 1 ? 1 : -1), c = scale * (v & 2 ? -g : g);
    b->vertex[3 * v + axis] = a, b->vertex[3 * v + (axis + 1) % 3] = c, b->vertex[3 * v + (axis + 2) % 3] = 0;
  }
  for (int f = 0; f < 20; f++) {
    const int *t = faces[f];
    const int m[3] = {edge_midpoint(b, t[0], t[1]), edge_midpoint(b, t[1], t[2]),
                      edge_midpoint(b, t[2], t[0])};
    const int small[4][3] = {{t[0], m[0], m[2]}, {t[1], m[1], m[0]}, {t[2], m[2], m[1]}, {m[0], m[1], m[2]}};
    memcpy(b->triangle + 12 * f, small, sizeof small);
  }
  for (int k = 0; k < 3 * b->nvertex; k++) {
    b->vertex[k] *= radius;
  }
}

/* A torus of 320 triangles, radius R to the middle of a tube of radius r: a mesh that is not convex. */
typedef struct torus {
  double vertex[3 * AROUND * ACROSS];
  int triangle[6 * AROUND * ACROSS];
} torus;

static void make_torus(torus *t, double R, double r)
{
  const double tau = 6.283185307179586;
  for (int k = 0; k < AROUND * ACROSS; k++) {
    const int i = k / ACROSS, j = k % ACROSS, on = (i + 1) % AROUND * ACROSS, up = (j + 1) % ACROSS;
    const double u = tau * i / AROUND, v = tau * j / ACROSS, x = R + r * cos(v);
    const int quad[6] = {k, on + j, on + up, k, on + up, i * ACROSS + up};
    t->vertex[3 * k] = x * cos(u), t->vertex[3 * k + 1] = x * sin(u), t->vertex[3 * k + 2] = r * sin(v);
    memcpy(t->triangle + 6 * k, quad, sizeof quad);
  }
}

static pk_pose random_pose(pki_random *rng, const double centre[3])
{
  double q[4];
  pk_pose pose = {.pos = {centre[0], centre[1], centre[2]}};
  pki_random_quaternion(rng, q);
  pki_quat_to_mat3(q, pose.rot);
  return pose;
}

/* Pairs with their origins so far apart, m. Up to 0.45 m about half overlap. */
typedef struct spread {
  double least, most;
} spread;

static void store_poses(const runner *r, spread far)
{
  pki_random rng = pki_random_seeded(5);
  for (int s = 0; s < SLOTS; s++) {
    double way[3], length = 0;
    for (int k = 0; k < 3; k++) {
      way[k] = pki_random_normal(&rng);
      length += way[k] * way[k];
    }
    const double apart = pki_random_between(&rng, far.least, far.most) / sqrt(length);
    const pk_pose a = random_pose(&rng, (double[3]){0, 0, 0});
    const pk_pose b = random_pose(&rng, (double[3]){apart * way[0], apart * way[1], apart * way[2]});
    r->table->pair_store(r->object, s, &a, &b);
  }
}

static void add_pair(work *w, const char *engine, const char *version, const pki_collision_peer *table,
                     const pki_collision_shape *a, const pki_collision_shape *b, spread far,
                     pki_bench_report *report)
{
  char message[200] = "";
  void *object = w->count < RUNNERS_MAX ? table->pair_create(a, b, SLOTS, message, sizeof message) : NULL;
  if (object == NULL) {
    pki_bench_add_note(report, "%s left out of %s: %.120s", engine, w->name, message);
    return;
  }
  w->runners[w->count] = (runner){.engine = engine,
                                  .version = version,
                                  .config = table->distance_calls,
                                  .table = table,
                                  .object = object};
  store_poses(&w->runners[w->count++], far);
}

/* All pairs in one call: some take a hundred times as long as others, and a round must not miss them. */
static void run_pairs(void *user, int index)
{
  const runner *r = user;
  static volatile double sink; /* the compiler must not leave the call out */
  (void)index;
  for (int slot = 0; slot < SLOTS; slot++) {
    sink = r->table->pair_distance(r->object, slot);
  }
  (void)sink;
}

/* How far an engine is from Pronk, apart and in depth. Distances that are not there do not count. */
static void compare_pairs(work *w)
{
  for (int i = 1; i < w->count; i++) {
    runner *r = &w->runners[i];
    for (int s = 0; s < SLOTS; s++) {
      const double mine = w->runners[0].table->pair_distance(w->runners[0].object, s);
      const double theirs = r->table->pair_distance(r->object, s);
      double *worst = mine > 0 ? &r->agreement : &r->depth;
      *worst = isnan(theirs) ? *worst : fmax(*worst, fabs(mine - theirs));
    }
  }
}

/* One pair of shapes with all engines. */
static bool run_distance(const pki_bench_options *options, const pk_peer *const *peers, int npeer, work *w,
                         const figure pair[2], spread far, pki_bench_report *report)
{
  const pki_collision_shape *a = &pair[0].shape, *b = &pair[1].shape;
  add_pair(w, "pronk", pk_version(), pki_collision_pronk(), a, b, far, report);
  for (int i = 0; i < npeer && w->count > 0; i++) {
    const pki_collision_peer *table = peers[i]->interface(PKI_COLLISION_INTERFACE);
    if (table != NULL) {
      add_pair(w, peers[i]->name, peers[i]->version, table, a, b, far, report);
    }
  }
  compare_pairs(w);
  const timing by = {.run = run_pairs, .inputs = 1, .each = SLOTS, .unit = "us/pair"};
  const bool ok = w->count == 0 || time_collisions(w, &by, 0, options, report);
  for (int i = 0; i < w->count; i++) {
    w->runners[i].table->pair_destroy(w->runners[i].object);
  }
  return ok;
}

static pk_status run_distances(const pki_bench_options *options, const pk_peer *const *peers, int npeer,
                               work *w, pki_bench_report *report, pk_error *err)
{
  static const spread usual = {0.05, 0.45}, apart = {0.3, 0.6};
  ball b;
  torus t;
  make_ball(&b, 0.12);
  make_torus(&t, 0.1, 0.04);
  const pk_mesh mesh = {"ball", b.nvertex, BALL_TRIANGLES, b.vertex, b.triangle};
  const pk_mesh ring = {"torus", AROUND * ACROSS, 2 * AROUND * ACROSS, t.vertex, t.triangle};
  const figure figures[] = {
      {NULL, {PK_SHAPE_SPHERE, {0.1}, NULL}},         {NULL, {PK_SHAPE_CAPSULE, {0.06, 0.2}, NULL}},
      {NULL, {PK_SHAPE_BOX, {0.2, 0.15, 0.1}, NULL}}, {NULL, {PK_SHAPE_CYLINDER, {0.08, 0.2}, NULL}},
      {NULL, {PK_SHAPE_CONE, {0.1, 0.2}, NULL}},      {NULL, {PK_SHAPE_ELLIPSOID, {0.12, 0.08, 0.06}, NULL}},
      {NULL, {PK_SHAPE_CONVEX, {0}, &mesh}},          {NULL, {PK_SHAPE_MESH, {0}, &mesh}},
      {"torus", {PK_SHAPE_MESH, {0}, &ring}},
  };
  enum { N = sizeof figures / sizeof figures[0] };
  for (int k = 0; k < N * N; k++) {
    const figure pair[2] = {figures[k / N], figures[k % N]};
    const char *name[2];
    for (int i = 0; i < 2; i++) {
      name[i] = pair[i].name != NULL ? pair[i].name : pk_shape_kind_name(pair[i].shape.kind);
    }
    /* of a torus also pairs that are all apart: overlaps cost engines that do not measure them nothing */
    for (int far = 0; far < (k % N == N - 1 ? 2 : 1) && k % N >= k / N; far++) {
      *w = (work){0};
      snprintf(w->name, sizeof w->name, "%s-%s%s", name[0], name[1], far ? " apart" : "");
      if (pki_bench_wants(options, w->name) &&
          !run_distance(options, peers, npeer, w, pair, far ? apart : usual, report)) {
        return pki_fail_memory(err, NULL);
      }
    }
  }
  return PK_OK;
}

/* ---- broad phases ---- */

/* Boxes of sides from 0.5 to 1.5 m, as dense as a heap, drifting at up to 1 m/s, a frame each 5 ms, there and back again so
 * that frames can be gone round without a jump. */
static double (*make_boxes(int n))[6]
{
  double(*boxes)[6] = malloc((size_t)FRAMES * (size_t)n * sizeof *boxes);
  pki_random rng = pki_random_seeded(9);
  const double side = cbrt((double)n);
  for (int i = 0; i < n && boxes != NULL; i++) {
    double centre[3], speed[3], half[3];
    for (int k = 0; k < 3; k++) {
      centre[k] = pki_random_between(&rng, 0, side);
      speed[k] = pki_random_between(&rng, -1, 1);
      half[k] = pki_random_between(&rng, 0.25, 0.75);
    }
    for (int f = 0; f < FRAMES; f++) {
      const double t = 5e-3 * (f < FRAMES / 2 ? f : FRAMES - f);
      for (int k = 0; k < 3; k++) {
        boxes[(size_t)f * (size_t)n + (size_t)i][k] = centre[k] + t * speed[k] - half[k];
        boxes[(size_t)f * (size_t)n + (size_t)i][3 + k] = centre[k] + t * speed[k] + half[k];
      }
    }
  }
  return boxes;
}

static void run_broad(void *user, int frame)
{
  const runner *r = user;
  r->table->broad_update(r->object, r->boxes + (size_t)frame * (size_t)r->n);
  r->table->broad_pairs(r->object, r->pairs, r->most);
}

/* All frames: engines that do nothing in most of them and much in few are timed over both. */
static void run_cycle(void *user, int index)
{
  (void)index;
  for (int f = 0; f < FRAMES; f++) {
    run_broad(user, f);
  }
}

/* The pairs of the last update whose boxes do overlap: how many, and a sum that knows them. */
static double sum_pairs(const runner *r, int frame)
{
  const double(*boxes)[6] = r->boxes + (size_t)frame * (size_t)r->n;
  const int count = r->table->broad_pairs(r->object, r->pairs, r->most);
  double sum = 0;
  for (int i = 0; i < count && i < r->most; i++) {
    const int *p = r->pairs[i], a = p[0] < p[1] ? p[0] : p[1], b = p[0] + p[1] - a;
    bool meet = true;
    for (int k = 0; k < 3; k++) {
      meet = meet && boxes[a][k] <= boxes[b][3 + k] && boxes[b][k] <= boxes[a][3 + k];
    }
    sum += meet ? 1 + fmod(0.6180339887 * a + 0.7548776662 * b, 1) : 0;
  }
  return sum;
}

/* Every engine over all frames; the part of the pairs that differs from Pronk's. */
static void compare_broads(work *w)
{
  for (int f = 0; f < FRAMES; f++) {
    double mine = 0;
    for (int i = 0; i < w->count; i++) {
      run_broad(&w->runners[i], f);
      const double sum = sum_pairs(&w->runners[i], f);
      mine = i == 0 ? sum : mine;
      w->runners[i].agreement = fmax(w->runners[i].agreement, fabs(sum - mine) / fmax(mine, 1));
    }
  }
}

static void add_broads(work *w, const char *engine, const char *version, const pki_collision_peer *table,
                       const double (*boxes)[6], int n, int (*pairs)[2], int most)
{
  enum { EXHAUSTIVE_MOST = 3000 };
  for (int k = 0; k < table->nbroad && w->count < RUNNERS_MAX; k++) {
    const bool hopeless = n > EXHAUSTIVE_MOST && strcmp(table->broads[k], "exhaustive") == 0;
    void *object = hopeless ? NULL : table->broad_create(k, n, boxes);
    if (object != NULL) {
      w->runners[w->count++] = (runner){.engine = engine,
                                        .version = version,
                                        .config = table->broads[k],
                                        .table = table,
                                        .object = object,
                                        .boxes = boxes,
                                        .n = n,
                                        .pairs = pairs,
                                        .most = most,
                                        .depth = NAN};
    }
  }
}

/* One scene of n boxes. */
static bool run_scene(const pki_bench_options *options, const pk_peer *const *peers, int npeer, work *w,
                      int n, pki_bench_report *report)
{
  const int most = 256 * n + 256;
  double(*boxes)[6] = make_boxes(n);
  int(*pairs)[2] = malloc((size_t)most * sizeof *pairs);
  bool ok = boxes != NULL && pairs != NULL;
  if (ok) {
    add_broads(w, "pronk", pk_version(), pki_collision_pronk(), (const double(*)[6])boxes, n, pairs, most);
    for (int i = 0; i < npeer; i++) {
      const pki_collision_peer *table = peers[i]->interface(PKI_COLLISION_INTERFACE);
      if (table != NULL) {
        add_broads(w, peers[i]->name, peers[i]->version, table, (const double(*)[6])boxes, n, pairs, most);
      }
    }
    int tree = 0; /* what Pronk chooses for many */
    while (tree + 1 < w->count && strcmp(w->runners[tree].config, "tree") != 0) {
      tree++;
    }
    compare_broads(w);
    const timing by = {.run = run_cycle, .inputs = 1, .each = FRAMES, .unit = "us/update"};
    ok = time_collisions(w, &by, tree, options, report);
  }
  for (int i = 0; i < w->count; i++) {
    report->failed |= w->runners[i].agreement > 1e-12;
    w->runners[i].table->broad_destroy(w->runners[i].object);
  }
  free(boxes);
  free(pairs);
  return ok;
}

static pk_status run_broads(const pki_bench_options *options, const pk_peer *const *peers, int npeer, work *w,
                            pki_bench_report *report, pk_error *err)
{
  static const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    *w = (work){0};
    snprintf(w->name, sizeof w->name, "broad %d", sizes[s]);
    if (pki_bench_wants(options, w->name) && !run_scene(options, peers, npeer, w, sizes[s], report)) {
      return pki_fail_memory(err, NULL);
    }
  }
  return PK_OK;
}

pk_status pki_bench_collision(const pki_bench_options *options, pki_bench_report *report, pk_error *err)
{
  const pk_peer *peers[PEERS_MAX];
  const int npeer = pki_peers_load(peers, PEERS_MAX);
  work *w = malloc(sizeof *w);
  report->kind = PKI_BENCH_COLLISION;
  for (int i = 0; i < npeer; i++) {
    if (peers[i]->interface(PKI_COLLISION_INTERFACE) != NULL && peers[i]->note[0] != '\0') {
      pki_bench_add_note(report, "%s %s: %s", peers[i]->name, peers[i]->version, peers[i]->note);
    }
  }
  if (w == NULL) {
    return pki_fail_memory(err, NULL);
  }
  pk_status status = run_distances(options, peers, npeer, w, report, err);
  status = status == PK_OK ? run_broads(options, peers, npeer, w, report, err) : status;
  free(w);
  return status;
}
