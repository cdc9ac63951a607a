#include "math/lane_probe.h"

#include "math/lane3.h"

static pk_r load(const double *p)
{
  pk_r x;
  memcpy(&x, p, sizeof x);
  return x;
}

static void store(pk_r x, double *p)
{
  memcpy(p, &x, sizeof x);
}

static void basics(const double *pa, const double *pb, lane_basics *out)
{
  const pk_r a = load(pa), b = load(pb);
  const pk_i less = pki_less(a, b);
  pk_r set = a;
  pk_i odd = pki_bits(a);
  for (int l = 0; l < PKI_LANES; l++) {
    out->lane[l] = pki_lane(a, l);
    pki_set_lane(&set, l, pki_lane(b, l) + l);
    pki_set_mask(&odd, l, l % 2 == 1);
  }
  store(pki_splat(pa[0]), out->splat);
  store(set, out->set);
  store(pki_select(less, a, b), out->select);
  store(pki_min(a, b), out->min);
  store(pki_max(a, b), out->max);
  store(pki_clamp(a, pki_splat(-1.5), pki_splat(4)), out->clamp);
  store(pki_round(1.3 * a), out->round);
  store(pki_floor(1.3 * a), out->floor);
  store(pki_select(odd, a, b), out->mask);
  store(pki_abs(a), out->abs);
  store(pki_sqrt(pki_abs(a)), out->sqrt);
  store(pki_from_bits(pki_bits(a)), out->bits);
  memcpy(out->less, &less, sizeof less);
  out->any_less = pki_any(less);
}

static void sincos_of(const double *x, double *s, double *c)
{
  pk_r sine, cosine;
  pki_sincos(load(x), &sine, &cosine);
  store(sine, s);
  store(cosine, c);
}

static void exp_of(const double *x, double *y)
{
  store(pki_exp(load(x)), y);
}

static void atan2_of(const double *y, const double *x, double *angle)
{
  store(pki_atan2(load(y), load(x)), angle);
}

static void put3(pki_v3 v, double *out)
{
  store(v.x, out), store(v.y, out + PKI_LANES), store(v.z, out + 2 * PKI_LANES);
}

static void put9(pki_m3 m, double *out)
{
  put3(m.x, out), put3(m.y, out + 3 * PKI_LANES), put3(m.z, out + 6 * PKI_LANES);
}

static void put6(pki_v6 v, double *out)
{
  put3(v.a, out), put3(v.l, out + 3 * PKI_LANES);
}

static void operations(const double *in, const double *plain, double *out)
{
  pk_r n[IN_COUNT];
  for (int i = 0; i < IN_COUNT; i++) {
    n[i] = load(in + i * PKI_LANES);
  }
  const pki_v3 a = pki_v3_load(n + IN_a), b = pki_v3_load(n + IN_b), c = pki_v3_load(n + IN_c);
  const pk_r s = n[IN_s];
  const pki_m3 A = {pki_v3_load(n + IN_A), pki_v3_load(n + IN_A + 3), pki_v3_load(n + IN_A + 6)};
  const pki_m3 B = {pki_v3_load(n + IN_B), pki_v3_load(n + IN_B + 3), pki_v3_load(n + IN_B + 6)};
  const pk_r *e = n + IN_S;
  const pki_s3 S = {e[0], e[1], e[2], e[3], e[4], e[5]};
  const pki_v6 f = {pki_v3_load(n + IN_f), pki_v3_load(n + IN_f + 3)};
  const pki_v6 g = {pki_v3_load(n + IN_g), pki_v3_load(n + IN_g + 3)};
#define AT(name) (out + OUT_##name * PKI_LANES)
  put3(pki_v3_zero(), AT(zero));
  put3(pki_v3_splat(plain + PLAIN_p), AT(splat));
  put3(pki_add(a, b), AT(add));
  put3(pki_sub(a, b), AT(sub));
  put3(pki_scale(s, a), AT(scale));
  put3(pki_add_scaled(c, s, a), AT(add_scaled));
  store(pki_dot(a, b), AT(dot));
  store(pki_add_dot(s, a, b), AT(add_dot));
  put3(pki_cross(a, b), AT(cross));
  put3(pki_add_cross(c, a, b), AT(add_cross));
  put9(pki_m3_identity(), AT(identity));
  put3(pki_m3_apply_plain(A, plain + PLAIN_p), AT(apply_plain));
  put3(pki_m3_apply(A, b), AT(apply));
  put3(pki_m3_apply_t(A, b), AT(apply_t));
  put9(pki_m3_from_cols(pki_m3_col(&A, 0), pki_m3_col(&A, 1), pki_m3_col(&A, 2)), AT(cols));
  put9(pki_m3_mul_plain(A, plain + PLAIN_P), AT(mul_plain));
  put9(pki_m3_mul(A, B), AT(mul));
  put9(pki_m3_from_quat(n + IN_q), AT(from_quat));
  put3(pki_s3_apply(S, b), AT(sym_apply));
  const pki_s3 R = pki_s3_rotate(A, S);
  const pk_r entries[6] = {R.xx, R.xy, R.xz, R.yy, R.yz, R.zz};
  for (int i = 0; i < 6; i++) {
    store(entries[i], AT(sym_rotate) + i * PKI_LANES);
  }
  const pki_s3 heavy = {S.xx + 4.0, S.xy, S.xz, S.yy + 4.0, S.yz, S.zz + 4.0};
  put3(pki_s3_solve(heavy, b), AT(solve));
  const pk_i less = pki_less(a.x, b.x);
  put3(pki_v3_select(less, a, b), AT(choose));
  put3(pki_v3_where(less, a), AT(choose) + 3 * PKI_LANES);
  put6(pki_v6_zero(), AT(v6_zero));
  put6(pki_v6_add(f, g), AT(v6_add));
  store(pki_v6_dot(f, g), AT(v6_dot));
  put6(pki_v6_add_scaled(f, s, g), AT(v6_add_scaled));
  put6(pki_force_to_foot(f, a), AT(to_foot));
  put6(pki_motion_to_tip(f, a), AT(to_tip));
#undef AT
}

extern const lane_probe PKI_NAME(lane_probe);
const lane_probe PKI_NAME(lane_probe) = {.isa = PKI_ISA_NAME,
                                         .lanes = PKI_LANES,
                                         .basics = basics,
                                         .sincos = sincos_of,
                                         .exp = exp_of,
                                         .atan2 = atan2_of,
                                         .operations = operations};
