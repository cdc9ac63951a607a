/* Four numbers side by side, in the lane type: what a compiler turns into one operation when there is one lane. */
#ifndef PKI_MATH_QUAD_H
#define PKI_MATH_QUAD_H

#include "math/lane.h"

typedef struct pki_quad {
  pk_r v[4];
} pki_quad;

PKI_INLINE pki_quad *pki_quads(double *array)
{
  return (pki_quad *)(void *)array;
}

PKI_INLINE const pki_quad *pki_quads_in(const double *array)
{
  return (const pki_quad *)(const void *)array;
}

PKI_INLINE pki_quad pki_quad_scale(pk_r s, pki_quad a)
{
  return (pki_quad){{s * a.v[0], s * a.v[1], s * a.v[2], s * a.v[3]}};
}

/* c + s a */
PKI_INLINE pki_quad pki_quad_add_scaled(pki_quad c, pk_r s, pki_quad a)
{
  return (pki_quad){{c.v[0] + s * a.v[0], c.v[1] + s * a.v[1], c.v[2] + s * a.v[2], c.v[3] + s * a.v[3]}};
}

#endif
