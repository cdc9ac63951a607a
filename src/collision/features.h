/* What of a model touches the ground: balls fixed in its bodies, of radius zero for corners. Their index
 * in the list is their identity from step to step. */
#ifndef PKI_COLLISION_FEATURES_H
#define PKI_COLLISION_FEATURES_H

#include "pronk/model.h"

typedef struct pki_feature {
  int body;         /* 0 or more */
  int shape;        /* in the model's shapes */
  double centre[3]; /* body frame, m */
  double radius;    /* m; 0: a point */
} pki_feature;

/* The features of all collision shapes on moving bodies, in the order of the shapes:
 *   sphere    itself
 *   capsule   the balls at its two ends (one when it has no length)
 *   box       its corners
 *   cylinder  six points on each rim
 *   mesh      its farthest vertices in 26 directions, each once; none when its file was not read */
int pki_features_count(const pk_model *model);
void pki_features_fill(const pk_model *model, pki_feature *out);

/* Features of one shape, within one ball: what is far from the ground is found to be so at once. */
typedef struct pki_feature_group {
  int body, first, count;
  double centre[3]; /* body frame, m */
  double radius;    /* of all its features, m */
} pki_feature_group;

/* The groups of a list of features, one for each shape; at most as many as there are features. */
int pki_features_group(const pki_feature *features, int nfeature, pki_feature_group *out);

#endif
