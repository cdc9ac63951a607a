/* Two shapes without a world: where a crate leans on a ramp, how far it is from a ball, and what a ray sees of it.
 *
 *   touch
 */
#include <math.h>
#include <stdio.h>

#include <pronk/pronk.h>

int main(void)
{
  pk_geometry *crate = NULL, *ramp = NULL, *ball = NULL;
  pk_error err;
  if (pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_BOX, .size = {0.4, 0.3, 0.2}}, &crate, &err) !=
          PK_OK ||
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_PLANE}, &ramp, &err) != PK_OK ||
      pk_geometry_create(&(pk_geometry_desc){.kind = PK_SHAPE_SPHERE, .size = {0.1}}, &ball, &err) != PK_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 2;
  }

  /* a slope of 20 degrees about y; the crate lies on it, 1 mm deep */
  const double c = cos(0.35), s = sin(0.35), deep = 1e-3;
  const pk_pose slope = {.rot = {c, 0, s, 0, 1, 0, -s, 0, c}};
  pk_pose lying = slope, above = pk_pose_identity();
  lying.pos[0] = (0.1 - deep) * s, lying.pos[2] = (0.1 - deep) * c;
  above.pos[2] = 0.5;

  /* up to eight points, each with a name that stays while the crate slides */
  pk_touch_point touch[PK_TOUCH_MOST];
  const int count = pk_geometry_touch(crate, &lying, ramp, &slope, 0.01, touch);
  for (int i = 0; i < count; i++) {
    printf("corner %u at %6.3f %6.3f %6.3f, gap %.3f mm\n", touch[i].id, touch[i].point[0][0],
           touch[i].point[0][1], touch[i].point[0][2], 1e3 * touch[i].gap);
  }

  pk_proximity near;
  if (pk_geometry_distance(ball, &above, crate, &lying, INFINITY, &near)) {
    printf("the ball is %.4f m away\n", near.distance);
  }

  /* straight down from the ball's centre */
  pk_ray_hit hit;
  if (pk_geometry_ray(crate, &lying, above.pos, (const double[3]){0, 0, -1}, 1, &hit)) {
    printf("a ray down meets the crate after %.4f m, normal %.3f %.3f %.3f\n", hit.distance, hit.normal[0],
           hit.normal[1], hit.normal[2]);
  }
  pk_geometry_destroy(crate);
  pk_geometry_destroy(ramp);
  pk_geometry_destroy(ball);
  return count == 4 ? 0 : 1;
}
