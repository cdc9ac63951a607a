/* Rotation matrices and their vectors. */
#ifndef PKI_MATH_ROTATION_H
#define PKI_MATH_ROTATION_H

/* exp(v), the rotation about v by its length (Rodrigues). */
void pki_rotation_exp(const double v[3], double out[9]);

/* The rotation vector of R, less than half a turn. */
void pki_rotation_log(const double R[9], double v[3]);

/* A B'; `out` may be one of the factors. */
void pki_rotation_mul_transposed(const double A[9], const double B[9], double out[9]);

#endif
