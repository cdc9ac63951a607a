/* Tables of lane kernels: one variant for each instruction set that the build has (best first) and each lane count, as
 * cmake/kernels.cmake compiles them.
 *
 *   PKI_DECLARE_VARIANTS(pki_kernels, kernels)                         pki_kernels_avx2_4 and all the others
 *   static const pki_kernels *const variants[] = {PKI_VARIANTS(kernels)};  those of a set together, one lane first */
#ifndef PKI_MATH_VARIANTS_H
#define PKI_MATH_VARIANTS_H

#ifdef PKI_HAVE_avx512
#define PKI_WITH_AVX512(X, ...) X(avx512, __VA_ARGS__)
#else
#define PKI_WITH_AVX512(X, ...)
#endif
#ifdef PKI_HAVE_avx2
#define PKI_WITH_AVX2(X, ...) X(avx2, __VA_ARGS__)
#else
#define PKI_WITH_AVX2(X, ...)
#endif

#define PKI_EACH_ISA(X, ...) \
  PKI_WITH_AVX512(X, __VA_ARGS__) \
  PKI_WITH_AVX2(X, __VA_ARGS__) X(base, __VA_ARGS__)

#define PKI_DECLARE_ISA(isa, type, name) \
  extern const type pki_##name##_##isa##_1, pki_##name##_##isa##_4, pki_##name##_##isa##_8;
#define PKI_LIST_ISA(isa, name) &pki_##name##_##isa##_1, &pki_##name##_##isa##_4, &pki_##name##_##isa##_8,

#define PKI_DECLARE_VARIANTS(type, name) PKI_EACH_ISA(PKI_DECLARE_ISA, type, name)
#define PKI_VARIANTS(name) PKI_EACH_ISA(PKI_LIST_ISA, name)

#endif
