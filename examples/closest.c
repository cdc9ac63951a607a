/* How near the links of a robot come to each other in its initial pose: the closest points of two that can collide.
 *
 *   closest models/starleth/starleth.urdf
 */
#include <math.h>
#include <stdio.h>

#include <pronk/pronk.h>

/* Whether two shapes move against each other, and no joint joins their bodies. */
static bool are_free(const pk_model *m, const pk_model_shape *a, const pk_model_shape *b)
{
  const int x = a->body, y = b->body;
  return x != y && (x < 0 || m->body_parent[x] != y) && (y < 0 || m->body_parent[y] != x);
}

int main(int argc, char **argv)
{
  pk_model *model = NULL;
  pk_sim *sim = NULL;
  pk_error err;
  if (argc != 2) {
    fprintf(stderr, "usage: closest ROBOT.urdf\n");
    return 2;
  }
  if (pk_model_load_urdf(argv[1], NULL, &model, &err) != PK_OK ||
      pk_sim_create(model, NULL, &sim, &err) != PK_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 2;
  }
  double least = INFINITY;
  int nearest[2] = {-1, -1};
  pk_proximity at_least = {0};
  for (int a = 0; a < model->nshape; a++) {
    for (int b = a + 1; b < model->nshape; b++) {
      const pk_model_shape *first = &model->shapes[a], *second = &model->shapes[b];
      pk_proximity near;
      if (are_free(model, first, second) && pk_sim_distance(sim, a, b, least, &near) &&
          near.distance < least) {
        least = near.distance;
        nearest[0] = first->link, nearest[1] = second->link;
        at_least = near;
      }
    }
  }
  if (nearest[0] < 0) {
    printf("there are no two links with collision shapes\n");
  } else {
    const double *p = at_least.point[0], *q = at_least.point[1];
    printf("%s and %s are nearest: %.4f m, from (%.3f, %.3f, %.3f) to (%.3f, %.3f, %.3f)\n",
           model->links[nearest[0]].name, model->links[nearest[1]].name, least, p[0], p[1], p[2], q[0], q[1],
           q[2]);
  }

  /* links that overlap in this pose are let go: they do not collide */
  pk_sim_overlap_pair pairs[16];
  const int count = pk_sim_release_overlaps(sim, pairs, 16);
  printf("%d pair%s of links overlap%s\n", count, count == 1 ? "" : "s", count == 1 ? "s" : "");
  for (int i = 0; i < count && i < 16; i++) {
    printf("  %s and %s by %.2f mm\n", model->links[pairs[i].link[0]].name,
           model->links[pairs[i].link[1]].name, 1e3 * pairs[i].depth);
  }
  pk_sim_destroy(sim);
  pk_model_destroy(model);
  return 0;
}
