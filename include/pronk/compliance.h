/* Compliant surfaces: what two surfaces do to each other that give way where they overlap, instead of touching in points.
 *
 *   pk_compliance foot = pk_compliance_default();
 *   foot.stiffness = 1e5, foot.layer = 2e-4, foot.dissipation = 0.1;
 *   if (pk_compliance_check(&foot, &err) != PK_OK) {
 *     puts(err.message);
 *   }
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
  /* Stribeck's curve of steps of fifth order: rises to static_friction at transition_speed and falls to dynamic_friction at
   * three times that; holds nothing at rest, so that loaded surfaces creep */
  PK_COMPLIANCE_FRICTION_STRIBECK,
  /* the gradient of a convex potential of the velocity: sticks but for a slip of about creep_speed; dynamic_friction alone */
  PK_COMPLIANCE_FRICTION_CONVEX,
  /* Stribeck's curve as Hollars gives it: rises in a straight line up to transition_speed, then falls */
  PK_COMPLIANCE_FRICTION_HOLLARS,
  PK_COMPLIANCE_FRICTION_COUNT
} pk_compliance_friction;

/* One surface. Start from pk_compliance_default(). */
typedef struct pk_compliance {
  /* Which law. Two surfaces that meet have the same one. */
  pk_compliance_law law;
  /* Pressure for each strain of the layer, Pa (elastic-foundation); plane-strain modulus, Pa (hertz); pressure for each
   * depth, N/m^3 (elastic-mesh). Over the layer, and of elastic-mesh, at most 2e11 N/m^3: what is harder is hard. Default 1e7. */
  double stiffness;
  /* m, thickness of the elastic layer (elastic-foundation); 0: that of the other surface. Default 0.005. */
  double layer;
  /* s/m, of Hunt and Crossley: forces are those of springs times 1 + c times the speed of approach (1 + 3/2 c times it for
   * hertz). Default 0.5. */
  double dissipation;
  /* How friction depends on the slip. Default PK_COMPLIANCE_FRICTION_STRIBECK. */
  pk_compliance_friction friction;
  /* Coefficient of friction before the slip, at least dynamic_friction. Default 0.8. */
  double static_friction;
  /* Coefficient of friction while slipping. Default 0.8. */
  double dynamic_friction;
  /* s/m, times the slip it is added to the coefficient. Default 0. */
  double viscous_friction;
  /* m/s, slip at which friction is at its largest. Default 0.01. */
  double transition_speed;
  /* m/s, slip at which convex friction has reached 0.71 of its largest. Default 1e-4. */
  double creep_speed;
} pk_compliance;

/* Hard rubber on the ground. */
PK_API pk_compliance pk_compliance_default(void);

/* A message names the field that no surface can have. */
PK_API pk_status pk_compliance_check(const pk_compliance *compliance, pk_error *err);

#ifdef __cplusplus
}
#endif

#endif
