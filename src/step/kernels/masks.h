/* Masks of lanes, and numbers behind them. */
#ifndef PKI_STEP_MASKS_H
#define PKI_STEP_MASKS_H

#include "dynamics/kernels/body.h"

PKI_INLINE pk_i pki_mask_none(void)
{
  return pki_bits(pki_splat(0));
}

PKI_INLINE pk_i pki_mask_all(void)
{
  return ~pki_mask_none();
}

/* All ones where a <= b. */
PKI_INLINE pk_i pki_at_most(pk_r a, pk_r b)
{
#if PKI_LANES == 1
  return -(uint64_t)(a <= b);
#else
  return (pk_i)(a <= b);
#endif
}

/* x where the mask is set, zero elsewhere. */
PKI_INLINE pk_r pki_where_set(pk_i mask, pk_r x)
{
  return pki_from_bits(pki_bits(x) & mask);
}

PKI_INLINE pk_i *pki_masks(uint64_t *array)
{
  return (pk_i *)(void *)array;
}

#endif
