/* Pronk's coordinates and another engine's, body by body: with the engine's velocities
 * v = B u, accelerations are dv/dt = B a + c, forces f = inv(B)' tau, and the mass matrix
 * that belongs to u is B' M B. Every B is a scale or orthogonal. */
#ifndef BENCH_COORDINATES_H
#define BENCH_COORDINATES_H

#include <vector>

#include "measure/dynamics_peer.h"
#include "rigid.h"

namespace coordinates {

struct Block {
  int size = 0;            /* 1, 3 or 6 */
  int pronk = 0, peer = 0; /* first velocity in each */
  double B[6][6] = {}, inverse[6][6] = {}, c[6] = {};
};

using Blocks = std::vector<Block>;

/* u and v differ by a factor only (1 where the joint has several coordinates). */
inline Block scaled(const pk_model *model, int body, int peer)
{
  Block block;
  block.size = rigid::nu_of(model, body);
  block.pronk = model->body_u[body];
  block.peer = peer;
  const double gain = rigid::is_one_axis(model, body) ? model->body_gain[body] : 1.0;
  for (int i = 0; i < block.size; i++) {
    block.B[i][i] = gain;
    block.inverse[i][i] = 1.0 / gain;
  }
  return block;
}

/* Put the 3x3 matrix R (or its transpose) at (row, column) of B, and its inverse in its place. */
inline void place(Block &block, int row, int column, const double R[9], bool transposed)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const double value = transposed ? R[3 * j + i] : R[3 * i + j];
      block.B[row + i][column + j] = value;
      block.inverse[column + j][row + i] = value;
    }
  }
}

inline Block empty(const pk_model *model, int body, int peer)
{
  Block block;
  block.size = rigid::nu_of(model, body);
  block.pronk = model->body_u[body];
  block.peer = peer;
  return block;
}

/* v = B u. */
template <class Vector> void to_velocity(const Blocks &blocks, const double *u, Vector &v)
{
  for (const Block &b : blocks) {
    for (int i = 0; i < b.size; i++) {
      double sum = 0.0;
      for (int j = 0; j < b.size; j++) {
        sum += b.B[i][j] * u[b.pronk + j];
      }
      v[b.peer + i] = sum;
    }
  }
}

/* dv/dt = B a + c. */
template <class Vector> void to_acceleration(const Blocks &blocks, const double *a, Vector &out)
{
  to_velocity(blocks, a, out);
  for (const Block &b : blocks) {
    for (int i = 0; i < b.size; i++) {
      out[b.peer + i] += b.c[i];
    }
  }
}

/* f = inv(B)' tau. */
template <class Vector> void to_force(const Blocks &blocks, const double *tau, Vector &f)
{
  for (const Block &b : blocks) {
    for (int i = 0; i < b.size; i++) {
      double sum = 0.0;
      for (int j = 0; j < b.size; j++) {
        sum += b.inverse[j][i] * tau[b.pronk + j];
      }
      f[b.peer + i] = sum;
    }
  }
}

/* a = inv(B) (dv/dt - c). */
template <class Vector> void from_acceleration(const Blocks &blocks, const Vector &dv, double *a)
{
  for (const Block &b : blocks) {
    for (int i = 0; i < b.size; i++) {
      double sum = 0.0;
      for (int j = 0; j < b.size; j++) {
        sum += b.inverse[i][j] * (dv[b.peer + j] - b.c[j]);
      }
      a[b.pronk + i] = sum;
    }
  }
}

/* tau = B' f. */
template <class Vector> void from_force(const Blocks &blocks, const Vector &f, double *tau)
{
  for (const Block &b : blocks) {
    for (int i = 0; i < b.size; i++) {
      double sum = 0.0;
      for (int j = 0; j < b.size; j++) {
        sum += b.B[j][i] * f[b.peer + j];
      }
      tau[b.pronk + i] = sum;
    }
  }
}

/* B' M B [n][n]; element(i, j) gives the engine's M. */
template <class Element> void from_mass(const Blocks &blocks, Element element, int n, double *out)
{
  for (const Block &r : blocks) {
    for (const Block &s : blocks) {
      for (int i = 0; i < r.size; i++) {
        for (int j = 0; j < s.size; j++) {
          double sum = 0.0;
          for (int k = 0; k < r.size; k++) {
            for (int l = 0; l < s.size; l++) {
              sum += r.B[k][i] * element(r.peer + k, s.peer + l) * s.B[l][j];
            }
          }
          out[static_cast<size_t>(r.pronk + i) * static_cast<size_t>(n) + static_cast<size_t>(s.pronk + j)] =
              sum;
        }
      }
    }
  }
}

} /* namespace coordinates */

#endif
