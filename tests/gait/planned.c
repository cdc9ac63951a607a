#include "gait/planned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/mat3.h"
#include "pronk/dynamics.h"

enum { LEGS = 4, ROWS = 256, STEPS = 8 * ROWS, JOINTS = 12 }; /* STEPS: of the pendulum */

static const char *const feet[LEGS] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
static const double landing[LEGS] = {0.75, 0.25, 0.5, 0}; /* parts of the cycle */

typedef struct planner {
  const pk_model *m;
  const planned_amble *a;
  pk_workspace *work;
  int foot[LEGS];
  double hip[LEGS][3]; /* m, of the feet in the stance, from the mass; z: from the trunk's origin */
  double rate;         /* 1/s, of the pendulum */
  double mass;         /* m, height of the mass */
  double sway[2];      /* m, m/s: of the mass to the left when the cycle begins */
  double q[64], J[6 * 64];
} planner;

/* Part of the cycle since foot i landed. */
static double part_since(int i, double time, double cycle)
{
  const double part = time / cycle - landing[i];
  return part - floor(part);
}

static bool stands(int i, double time, double cycle)
{
  return part_since(i, time, cycle) < 0.5;
}

/* Where foot i is, x from the mass at time 0; over the ground by its swing. */
static void foot_at(const planner *p, int i, double time, double out[3])
{
  const double T = p->a->cycle, part = part_since(i, time, T), stride = p->a->speed * T;
  const double landed = time - part * T, place = p->hip[i][0] + p->a->speed * (landed + 0.25 * T);
  out[0] = place, out[1] = p->hip[i][1], out[2] = p->hip[i][2];
  if (part >= 0.5) {
    const double s = 2 * part - 1, turn = 6.283185307179586 * s;
    out[0] += stride * (s - sin(turn) / 6.283185307179586);
    out[2] += 0.5 * p->a->lift * (1 - cos(turn));
  }
}

/* Acceleration of the mass to the left, on the line through the feet that stand: no moment about it while the speed is constant. */
static double sway_acceleration(const planner *p, double time, double y)
{
  double at[2][3];
  int n = 0;
  for (int i = 0; i < LEGS && n < 2; i++) {
    if (stands(i, time, p->a->cycle)) {
      foot_at(p, i, time, at[n++]);
    }
  }
  const double slope = (at[1][1] - at[0][1]) / (at[1][0] - at[0][0]), x = p->a->speed * time;
  return p->rate * p->rate * (y - at[0][1] - slope * (x - at[0][0]));
}

static void sway_step(const planner *p, double time, double dt, double y[2])
{
  const double half = time + 0.5 * dt; /* feet change only between steps */
  const double a = sway_acceleration(p, half, y[0] + 0.5 * dt * y[1]);
  y[0] += dt * (y[1] + 0.5 * dt * a), y[1] += dt * a;
}

static void sway_at(const planner *p, double time, double y[2])
{
  const double dt = p->a->cycle / STEPS;
  time -= p->a->cycle * floor(time / p->a->cycle + 1e-9);
  y[0] = p->sway[0], y[1] = p->sway[1];
  for (int i = 0; (i + 0.5) * dt < time; i++) {
    sway_step(p, i * dt, dt, y);
  }
}

/* The sway that is its mirror image after half a cycle: the end is linear in the start. */
static void find_sway(planner *p)
{
  double end[3][2];
  for (int k = 0; k < 3; k++) {
    p->sway[0] = k == 1, p->sway[1] = k == 2;
    sway_at(p, 0.5 * p->a->cycle, end[k]);
  }
  const double A = end[1][0] - end[0][0] + 1, B = end[2][0] - end[0][0], C = end[1][1] - end[0][1],
               D = end[2][1] - end[0][1] + 1, det = A * D - B * C;
  p->sway[0] = (-end[0][0] * D + end[0][1] * B) / det;
  p->sway[1] = (-end[0][1] * A + end[0][0] * C) / det;
}

/* ---- joints ---- */

static void solve3(double A[3][3], double b[3])
{
  for (int i = 0; i < 3; i++) {
    int best = i;
    for (int k = i; k < 3; k++) {
      best = fabs(A[k][i]) > fabs(A[best][i]) ? k : best;
    }
    for (int j = 0; j < 3; j++) {
      const double swap = A[i][j];
      A[i][j] = A[best][j], A[best][j] = swap;
    }
    const double swap = b[i];
    b[i] = b[best], b[best] = swap;
    for (int k = i + 1; k < 3; k++) {
      const double part = A[k][i] / A[i][i];
      for (int j = i; j < 3; j++) {
        A[k][j] -= part * A[i][j];
      }
      b[k] -= part * b[i];
    }
  }
  for (int i = 2; i >= 0; i--) {
    for (int k = i + 1; k < 3; k++) {
      b[i] -= A[i][k] * b[k];
    }
    b[i] /= A[i][i];
  }
}

/* Joints of leg i that bring its foot to a place, by Newton's method from where they are. */
static void bend_leg(planner *p, int i, const double to[3])
{
  const double origin[3] = {0, 0, 0};
  for (int round = 0; round < 3; round++) {
    double A[3][3], b[3];
    pk_kinematics_compute(p->work, p->q, NULL);
    const pk_pose at = pk_link_pose(p->work, p->foot[i]);
    pk_link_jacobian(p->work, p->foot[i], origin, p->J);
    pki_sub3(to, at.pos, b);
    for (int r = 0; r < 3; r++) {
      for (int k = 0; k < 3; k++) {
        A[r][k] = p->J[(3 + r) * p->m->nu + 6 + 3 * i + k];
      }
    }
    solve3(A, b);
    for (int k = 0; k < 3; k++) {
      p->q[7 + 3 * i + k] += fmax(-0.3, fmin(0.3, b[k]));
    }
  }
}

/* Coordinates at a time: the mass along its way, the feet on theirs. */
static void pose_at(planner *p, double time)
{
  double y[2], mass[3], rate[3];
  sway_at(p, time, y);
  for (int round = 0; round < 40; round++) {
    for (int i = 0; i < LEGS; i++) {
      double to[3];
      foot_at(p, i, time, to);
      bend_leg(p, i, to);
    }
    pk_kinematics_compute(p->work, p->q, NULL);
    pk_com_compute(p->work, 0, mass, rate);
    p->q[0] += p->a->speed * time - mass[0], p->q[1] += y[0] - mass[1], p->q[2] += p->mass - mass[2];
  }
}

/* ---- the file ---- */

static void begin(planner *p)
{
  double mass[3], rate[3];
  memcpy(p->q, p->m->q0, (size_t)p->m->nq * sizeof(double));
  p->q[0] = p->q[1] = 0, p->q[2] = p->a->height;
  memcpy(p->q + 7, p->a->leg, sizeof p->a->leg);
  pk_kinematics_compute(p->work, p->q, NULL);
  pk_com_compute(p->work, 0, mass, rate);
  for (int i = 0; i < LEGS; i++) {
    p->foot[i] = pk_model_find_link(p->m, feet[i]);
    const pk_pose at = pk_link_pose(p->work, p->foot[i]);
    p->hip[i][0] = at.pos[0], p->hip[i][1] = at.pos[1] + (i % 2 == 0 ? 1 : -1) * p->a->wide,
    p->hip[i][2] = at.pos[2];
  }
  p->mass = mass[2] - p->a->lower;
  p->rate = sqrt(9.81 / (p->mass - p->hip[0][2]));
  find_sway(p);
}

/* Forces of the two feet that stand: their line carries the mass without a moment along it. */
static void print_feet(const planner *p, double time, FILE *out)
{
  double y[2], at[LEGS][3];
  sway_at(p, time, y);
  const double half = time + 1e-9 * p->a->cycle, a = sway_acceleration(p, half, y[0]);
  double low = 1e9, high = -1e9;
  for (int i = 0; i < LEGS; i++) {
    foot_at(p, i, half, at[i]);
    if (stands(i, half, p->a->cycle)) {
      low = fmin(low, at[i][0]), high = fmax(high, at[i][0]);
    }
  }
  for (int i = 0; i < LEGS; i++) {
    const bool on = stands(i, half, p->a->cycle);
    const double ahead = (p->a->speed * time - low) / (high - low),
                 share = at[i][0] > low + 1e-9 ? ahead : 1 - ahead;
    fprintf(out, ",%d,0,%.12g,%.12g", on, on ? share * p->m->mass * a : 0,
            on ? share * p->m->mass * 9.81 : 0);
  }
}

static void print_names(const pk_model *m, FILE *out)
{
  fputs("time,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", out);
  for (int k = 0; k < 2 * JOINTS; k++) {
    fprintf(out, ",%s:%s", k < JOINTS ? "q" : "u", m->joints[m->dof_joint[6 + k % JOINTS]].name);
  }
  for (int i = 0; i < LEGS; i++) {
    fprintf(out, ",stance:%s,fx:%s,fy:%s,fz:%s", feet[i], feet[i], feet[i], feet[i]);
  }
  fputc('\n', out);
}

bool planned_amble_write(const pk_model *model, const planned_amble *amble, const char *path)
{
  planner p = {.m = model, .a = amble};
  FILE *out = fopen(path, "w");
  if (out == NULL || pk_workspace_create(model, &p.work, NULL) != PK_OK) {
    abort();
  }
  begin(&p);
  fprintf(out, "# pronk motion 1\n# repeat: yes\n# travel: %.17g 0 0\n", amble->speed * amble->cycle);
  print_names(model, out);
  const double dt = amble->cycle / ROWS, small = amble->cycle / STEPS;
  for (int row = 0; row <= ROWS; row++) {
    double q[2][64], v[64];
    for (int k = 0; k < 2; k++) {
      pose_at(&p, row * dt + (2 * k - 1) * small);
      memcpy(q[k], p.q, sizeof p.q);
    }
    pk_config_subtract(model, q[1], q[0], v);
    pose_at(&p, row * dt);
    fprintf(out, "%.12g", row * dt);
    for (int k = 0; k < 7; k++) {
      fprintf(out, ",%.12g", p.q[k]);
    }
    for (int k = 0; k < 6; k++) {
      fprintf(out, ",%.12g", v[k] / (2 * small));
    }
    for (int k = 0; k < JOINTS; k++) {
      fprintf(out, ",%.12g", p.q[7 + k]);
    }
    for (int k = 0; k < JOINTS; k++) {
      fprintf(out, ",%.12g", v[6 + k] / (2 * small));
    }
    print_feet(&p, row * dt, out);
    fputc('\n', out);
  }
  pk_workspace_destroy(p.work);
  return fclose(out) == 0;
}
