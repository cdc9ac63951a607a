/* Compliant surfaces: what two surfaces do to each other that give way where they overlap, instead of touching in points.
 *
 *   pk_compliance foot = pk_compliance_default();
 *   foot.stiffness = 1e5, foot.layer = 2e-4, foot.dissipation = 0.1;
 *
 * docs/theory/compliance.md has the equations. */
#ifndef PRONK_COMPLIANCE_H
#define PRONK_COMPLIANCE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every law of compliant surfaces, with the name of its row. */
#define PK_COMPLIANCE_LAW_LIST(X) \
  /* an elastic layer on each surface, in series; pressure at each face of meshes (Simbody's CompliantContactSubsystem) */ \
  X(PK_COMPLIANCE_LAW_ELASTIC_FOUNDATION, elastic_foundation) \
  /* springs on the faces of a mesh alone, whatever it meets (Simbody's ElasticFoundationForce) */ \
  X(PK_COMPLIANCE_LAW_ELASTIC_MESH, elastic_mesh) \
  /* round bodies: one ellipse of contact (Hertz), dissipation by Hunt and Crossley */ \
  X(PK_COMPLIANCE_LAW_HERTZ, hertz)

#define PK_COMPLIANCE_LAW_ENUM(id, row) id,
typedef enum pk_compliance_law {
  PK_COMPLIANCE_LAW_LIST(PK_COMPLIANCE_LAW_ENUM) PK_COMPLIANCE_LAW_COUNT
} pk_compliance_law;
#undef PK_COMPLIANCE_LAW_ENUM

/* How friction depends on the slip. */
typedef enum pk_compliance_friction {
  /* Stribeck's curve, smooth; holds nothing at rest, so that loaded surfaces creep */
  PK_COMPLIANCE_FRICTION_STRIBECK,
  /* the gradient of a convex potential of the impulse: sticks but for a slip of about 1e-5 m/s; dynamic friction alone */
  PK_COMPLIANCE_FRICTION_CONVEX,
  PK_COMPLIANCE_FRICTION_COUNT
} pk_compliance_friction;

/* One surface. */
typedef struct pk_compliance {
  pk_compliance_law law;
  /* Pa, pressure per strain of the layer (elastic-foundation), or plane-strain modulus (hertz); N/m^3 for elastic-mesh. */
  double stiffness;
  /* m, thickness of the elastic layer; 0: that of the other surface. */
  double layer;
  /* s/m, of Hunt and Crossley: forces are those of springs times 1 + c times the speed of approach. */
  double dissipation;
  pk_compliance_friction friction;
  /* Coefficients of friction: before the slip, while slipping, and s/m times the slip. */
  double static_friction;
  double dynamic_friction;
  double viscous_friction;
  /* m/s, slip at which friction is at its largest. */
  double transition_speed;
} pk_compliance;

/* Hard rubber on the ground: elastic-foundation, 1e7 Pa, 5 mm, 0.5 s/m, friction 0.8, 0.8, 0, 0.01 m/s. */
pk_compliance pk_compliance_default(void);

/* A message names the field that no surface can have. */
pk_status pk_compliance_check(const pk_compliance *c, pk_error *err);

#ifdef __cplusplus
}
#endif

#endif
