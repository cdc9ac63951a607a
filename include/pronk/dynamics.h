/* Dynamics of a model at a given state, one world at a time.
 *
 * Equations of motion: M(q) du/dt + h(q, u) = tau + sum J' f. M includes armature; h holds
 * gravity, Coriolis and centrifugal terms. Velocities u are the model's (model.h).
 *
 * A pk_workspace is the scratch of one thread. pk_kinematics_compute fills it for a state;
 * the functions below "at the workspace's state" read what it left there. Functions that
 * take q compute what they need themselves and leave the workspace at that state, at rest when
 * they take no u.
 *
 * Arrays: q [nq], u, tau, a = du/dt [nu]; matrices row-major. Nothing allocates.
 *
 * Threads: one workspace belongs to one thread at a time; functions that take a const pk_workspace may run on
 * it together while no other function does. Different workspaces of one model may be used at the same
 * time. */
#ifndef PRONK_DYNAMICS_H
#define PRONK_DYNAMICS_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pk_workspace pk_workspace;

/* Scratch for one thread. The model must outlive it. */
PK_API pk_status pk_workspace_create(const pk_model *model, pk_workspace **out, pk_error *err);

/* Free what pk_workspace_create made. */
PK_API void pk_workspace_destroy(pk_workspace *w);

/* The same in memory of the caller's, of pk_workspace_memsize bytes, 64-byte aligned, otherwise
 * PK_ERROR_ARGUMENT; nothing else is allocated. Only the memory is freed in the end. */
PK_API size_t pk_workspace_memsize(const pk_model *model);
PK_API pk_status pk_workspace_init(const pk_model *model, void *memory, pk_workspace **out, pk_error *err);
PK_API const pk_model *pk_workspace_model(const pk_workspace *w);

/* Code that was compiled for one model (code.h). */
typedef struct pk_code pk_code;

/* Compute with a model's own code from now on, where it has a function for it; NULL: with the generic
 * kernels. The code must outlive its use. pk_forward_dynamics and pk_inverse_dynamics then give their numbers
 * and leave the workspace at the state where it was. PK_ERROR_ARGUMENT: it is code of another model. */
PK_API pk_status pk_workspace_use(pk_workspace *w, const pk_code *code, pk_error *err);

/* Poses of all bodies for q and, when u is not NULL, their velocities. */
PK_API void pk_kinematics_compute(pk_workspace *w, const double *q, const double *u);

/* At the workspace's state: a link's pose in the world; its velocity, angular then linear
 * of its origin, in the link's own axes. */
PK_API pk_pose pk_link_pose(const pk_workspace *w, int link);
PK_API void pk_link_velocity(const pk_workspace *w, int link, double velocity[6]);

/* At the workspace's state: the velocity (m/s, world axes) of that point of a link which is at `point` now
 * (world, m), as pk_sim_contact.point is. */
PK_API void pk_link_point_velocity(const pk_workspace *w, int link, const double point[3],
                                   double velocity[3]);

/* Jacobian [6][nu] of a point fixed in a link (link frame, m): angular then linear velocity
 * of the point, world axes. At the workspace's state (positions only). */
PK_API void pk_link_jacobian(const pk_workspace *w, int link, const double point[3], double *J);

/* Its derivative in time [6][nu], and the product with u [6], at the workspace's state. */
PK_API void pk_link_jacobian_dot(const pk_workspace *w, int link, const double point[3], double *Jdot);
PK_API void pk_link_jacobian_dot_u(pk_workspace *w, int link, const double point[3], const double *u,
                                   double Jdot_u[6]);

/* tau = M a + h: recursive Newton-Euler. a NULL: zero. */
PK_API void pk_inverse_dynamics(pk_workspace *w, const double *q, const double *u, const double *a,
                                double *tau);

/* M [nu][nu]: composite rigid bodies. */
PK_API void pk_mass_matrix(pk_workspace *w, const double *q, double *M);

/* Ways to forward dynamics. */
typedef enum pk_dynamics_method {
  PK_DYNAMICS_METHOD_AUTO, /* ABA where it applies, CRBA otherwise */
  PK_DYNAMICS_METHOD_ABA,  /* articulated bodies, linear time; PK_ERROR_UNSUPPORTED with mimic joints */
  PK_DYNAMICS_METHOD_CRBA, /* composite bodies and the sparse factor of M */
  PK_DYNAMICS_METHOD_COUNT
} pk_dynamics_method;

/* a = inv(M) (tau - h). PK_ERROR_NONFINITE when that is no number: the state or tau is none, or M is singular
 * there. */
PK_API pk_status pk_forward_dynamics(pk_workspace *w, pk_dynamics_method method, const double *q,
                                     const double *u, const double *tau, double *a);

/* inv(M) [nu][nu] by recursion over articulated bodies (LTL columns with mimic joints). */
PK_API pk_status pk_mass_matrix_inverse(pk_workspace *w, const double *q, double *Minv);

/* Response to unit forces at a point of a link: inv(M) J' [nu][6] for the six unit wrenches of
 * pk_link_jacobian, and J inv(M) J' [6][6], from articulated-body passes, inv(M) never formed.
 * Either output may be NULL. */
PK_API pk_status pk_link_response(pk_workspace *w, const double *q, int link, const double point[3],
                                  double *MinvJt, double *JMinvJt);

/* Whole-model sums at the workspace's state. */
typedef struct pk_energy {
  /* J, armature included. */
  double kinetic;
  /* J, of gravity, zero at the world's origin; springs have pk_spring_energy. */
  double potential;
} pk_energy;

PK_API pk_energy pk_energy_compute(const pk_workspace *w, const double *u);

/* J, what the springs in joints hold at the coordinates q; zero where those that act on one coordinate are at rest
 * together. */
PK_API double pk_spring_energy(const pk_model *model, const double *q);

/* Centre of mass and its velocity, world, of one robot or of all that moves (robot -1). */
PK_API void pk_com_compute(const pk_workspace *w, int robot, double pos[3], double vel[3]);

/* Centroidal momentum: angular about the centre of mass, then linear; world axes. */
PK_API void pk_momentum_compute(const pk_workspace *w, int robot, double momentum[6]);

/* Centroidal momentum matrix A [6][nu] of all that moves: momentum = A u. */
PK_API void pk_momentum_matrix(pk_workspace *w, double *A);

/* Configurations form a group: q (+) v = q moved by the velocity v for unit time. */
PK_API void pk_config_add(const pk_model *model, const double *q, const double *v, double *q_out);

/* v with q0 (+) v = q1, shortest way. */
PK_API void pk_config_subtract(const pk_model *model, const double *q1, const double *q0, double *v);

/* The instruction set in use ("avx512", "avx2", "base"), chosen at run time; the
 * environment variable PRONK_ISA overrides the choice. */
PK_API const char *pk_isa_name(void);

#ifdef __cplusplus
}
#endif
#endif
