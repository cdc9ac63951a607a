/* The gaits, as rows.
 *
 * Footfalls are when feet land, in parts of the cycle after the left fore foot: left fore, right fore, left hind, right
 * hind. What makes a gait, and where the numbers come from:
 *   McGhee and Frank 1968: of all creeping gaits the crawl's order (each hind foot before the fore foot of its side) with
 *     a duty of 3/4 and more keeps the largest distance of the mass from the edges of its support;
 *   Hildebrand 1965, 1989: symmetrical gaits by two numbers, duty and the share of the cycle by which a fore foot follows
 *     the hind foot of its side: 0 pace, near 0.2 amble, 0.25 walk, 0.5 trot; running gaits have duties below one half;
 *   Hildebrand 1977: bound, canter and gallop, the asymmetrical ones, where the two feet of a pair are not half a cycle
 *     apart; the canter has three beats, the second one a diagonal pair;
 *   Alexander 1984: quadrupeds of all sizes change from walk to trot near v^2/(g h) = 0.5 and to the gallop between 2 and
 *     3; times scale with sqrt(h/g).
 * Six legs have the footfalls of pairs: the feet of a pair are as far apart as those of the fore pair of a quadruped, and each pair
 * lands `lag` before the one ahead of it, as the waves of insects run from hind to fore (Wilson 1966, "Insect walking"). With
 * half a cycle the trot becomes the alternating tripod: fore and hind foot of a side with the middle one of the other.
 * Cycle times and speeds of the rows are what legs of robots are built for: slower than animals of their size. */
#include "gait/gaits.h"

#include <math.h>
#include <string.h>

const pki_gait_row *const pki_gaits[PK_GAIT_COUNT + 1] = {
    [PK_GAIT_STAND] =
        &(const pki_gait_row){"stand", {0, 0, 0, 0}, 0, 1, 1, 0, {0, 0}, "all feet on the ground"},
    [PK_GAIT_TROT] = &(const pki_gait_row){"trot",
                                           {0, 0.5, 0.5, 0},
                                           0.5,
                                           0.55,
                                           3.91323,
                                           0.170732,
                                           {0, 0.25},
                                           "diagonal pairs in turn; on six legs the two tripods"},
    [PK_GAIT_CRAWL] = &(const pki_gait_row){"crawl",
                                            {0, 0.5, 0.75, 0.25},
                                            1.0 / 6,
                                            0.8,
                                            8,
                                            0.15,
                                            {0, 0.05},
                                            "one foot after the other, three always stand"},
    [PK_GAIT_WALK] = &(const pki_gait_row){"walk",
                                           {0, 0.5, 0.75, 0.25},
                                           1.0 / 6,
                                           0.65,
                                           4,
                                           0.15,
                                           {0, 0.15},
                                           "the order of the crawl, two or three feet stand"},
    [PK_GAIT_PACE] =
        &(const pki_gait_row){
            "pace", {0, 0.5, 0, 0.5}, 0, 0.5, 2, 0.12, {0, 0.25}, "the pairs of a side in turn"},
    [PK_GAIT_AMBLE] = &(const pki_gait_row){"amble",
                                            {0, 0.5, 0.8, 0.3},
                                            0.2,
                                            0.55,
                                            2.4,
                                            0.12,
                                            {0, 0.25},
                                            "four beats, a fore foot soon after its hind foot"},
    [PK_GAIT_BOUND] =
        &(const pki_gait_row){"bound",
                              {0, 0, 0.5, 0.5},
                              0.5,
                              0.4,
                              1.6,
                              0.12,
                              {0, 0.5},
                              "fore and hind pairs in turn, flight between them"},
    [PK_GAIT_CANTER] =
        &(const pki_gait_row){"canter",
                              {0, 0.74, 0.74, 0.46},
                              NAN,
                              0.38,
                              1.9,
                              0.12,
                              {0, 0.5},
                              "three beats: a hind foot, a diagonal, the leading fore foot; flight"},
    [PK_GAIT_GALLOP] =
        &(const pki_gait_row){"gallop",
                              {0, 0.9, 0.58, 0.48},
                              NAN,
                              0.4,
                              1.9,
                              0.12,
                              {0, 0.6},
                              "hind feet, fore feet, each pair a little apart; flight"},
    [PK_GAIT_PRONK] =
        &(const pki_gait_row){
            "pronk", {0, 0, 0, 0}, 0, 0.5, 2.2, 0.12, {0, 0.2}, "all feet at once, then flight"},
    [PK_GAIT_JUMP] = &(const pki_gait_row){"jump",
                                           {0, 0, 0, 0},
                                           0,
                                           0.7,
                                           5,
                                           0.12,
                                           {0, 0},
                                           "one jump on the spot: crouch, push, flight, landing"},
};

void pki_gait_footfall(const pki_gait_row *row, int legs, double *footfall)
{
  if (legs == 4) {
    memcpy(footfall, row->footfall, sizeof row->footfall);
    return;
  }
  for (int i = 0; i < legs; i++) {
    const int pair = i / 2; /* behind the fore one */
    const double lands = row->footfall[i % 2] - row->lag * pair;
    footfall[i] = lands - floor(lands);
  }
}

bool pki_gait_suits(const pki_gait_row *row, int legs)
{
  return legs == 4 || !isnan(row->lag);
}
