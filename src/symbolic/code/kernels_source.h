/* The kernels of a model in C: what stands for the generic ones in a compiled robot (dynamics/code.h).
 *
 * One translation unit, compiled once for each lane count with -DROBOT_LANES=1, 4 or 8; it needs nothing but libm. Arrays are
 * those of pki_work (dynamics/kernels.h) from body 0 on, r being the lane type:
 *
 *   robot_kinematics(const r *q, r *pose, r *origin)
 *   robot_inertial(const r *q, const r *u, const r *inertia, const r *diag, r *pose, r *origin, r *twist, r *h, r *M)
 *   robot_free_velocity(const r *q, const r *u, const r *inertia, const r *diag, const r *force, const r *gain, const r *dt,
 *              r *pose, r *origin, r *twist, r *L, r *x)
 *                                                       x = u + inv(M + diag) dt (force - (gain + damping) u - h)
 *   robot_factor(const r *M, r *L)                      L may be M
 *   robot_solve(const r *L, const r *b, r *x)           x may be b
 *   robot_finish(const r *L, const r *b, r *x)          x may be b
 *   robot_acceleration(const r *q, const r *u, const r *tau, r *a)
 *   robot_bias(const r *q, const r *u, r *h)
 *   robot_rnea(const r *q, const r *u, const r *a, r *tau)
 *   robot_acceleration_open(const r *q, const r *u, const r *tau, const r *inertia, const r *diag, r *a)
 *   robot_rnea_open(const r *q, const r *u, const r *a, const r *inertia, const r *armature, r *tau)
 *
 * inertia [nbody][10] are the regrouped ones of model/grouped.h; those of its numbers that are always zero or follow from
 * others are not read. Lengths, gravity and damping are constants; where a function takes no inertia, the model's and its
 * armature are. robot_acceleration_open reads the diagonal where the model has an armature and takes it for zero elsewhere. */
#ifndef PKI_SYMBOLIC_CODE_KERNELS_SOURCE_H
#define PKI_SYMBOLIC_CODE_KERNELS_SOURCE_H

#include "base/error.h"
#include "base/text.h"
#include "pronk/model.h"

/* PK_ERROR_UNSUPPORTED for models with loops or cut joints, and for those so large that straight code would be slower. */
pk_status pki_kernels_source(const pk_model *model, pki_text *source, pk_error *err);

#endif
