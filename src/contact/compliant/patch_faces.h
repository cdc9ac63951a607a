/* Springs on faces: which faces of meshes lie in the other surface, and how deep. */
#ifndef PKI_CONTACT_COMPLIANT_PATCH_FACES_H
#define PKI_CONTACT_COMPLIANT_PATCH_FACES_H

#include "collision/shapes/trimesh.h"
#include "contact/compliant/compliance_law.h"

/* Whose faces carry springs: those of meshes; of two primitives those of the smaller that has facets, of two equal ones the
 * first's. */
void pki_patch_carriers(const pk_geometry *a, const pk_geometry *b, const pki_trimesh *out[2]);

/* One surface's faces against the other surface. */
typedef struct pki_face_job {
  const pki_trimesh *mesh;    /* whose faces */
  const pk_geometry *other;   /* what they may lie in */
  const pki_trimesh *surface; /* the other's triangles; NULL: a primitive or a height field */
  pk_pose place;              /* of the mesh in the other's frame */
  const pk_pose *pose;        /* of the other in the world */
  double stiffness, share;    /* N/m^3, 1: as pki_foundation */
  int side;                   /* 0: the mesh is that of the first body */
  bool open;                  /* faces that lie inside do not stay */
} pki_face_job;

/* Elements of the `count` candidates whose faces are in p->face[first ..]: those that lie in the other surface stay, from
 * `first` on, in their order. Arms are positions in the world. Areas are the faces'. Returns how many stay. */
int pki_faces_measure(const pki_face_job *job, pki_patch *p, int first, int count);

/* Faces whose boxes are nearer than a margin to the other's box, into out [ntriangle], in the order of their index. Returns how
 * many. */
int pki_faces_near(const pki_face_job *job, double margin, int *out);

/* Two meshes: marks [ntriangle] of each become PKI_FACE_CUT where a face cuts a face of the other, PKI_FACE_INSIDE where it is
 * inside the other and hangs together with no such face in between, PKI_FACE_NEAR where it is neither and its box is nearer than
 * the margin to that of a face of the other (0: no face is), else another. `queue` is of ntriangle of the larger. False: no
 * face cuts another. */
enum { PKI_FACE_INSIDE = 1, PKI_FACE_CUT = 2, PKI_FACE_OUTSIDE = 3, PKI_FACE_NEAR = 4 };
bool pki_faces_overlap(const pki_trimesh *a, const pki_trimesh *b, const pk_pose *b_in_a, double margin,
                       unsigned char *marks_a, unsigned char *marks_b, int *queue);

/* Whether two triangles with the unit normals n and m have a point in common. */
bool pki_triangles_overlap(const double a[3][3], const double n[3], const double b[3][3], const double m[3]);

#endif
