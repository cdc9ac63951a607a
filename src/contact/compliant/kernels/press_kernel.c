/* Forces of a patch's elements (patch.h has the equations), eight elements in lanes. */
#include "contact/compliant/press_kernels.h"
#include "math/lane.h"

/* What elements add up to. */
typedef struct sums {
  pk_r force[3], moment[3];
  pk_r linear[6], mixed[9], angular[6]; /* blocks of C: symmetric ones as xx xy xz yy yz zz */
  pk_r energy, power, normal;
} sums;

/* Eight elements. */
typedef struct vectors {
  pk_r arm[3], normal[3], depth, stiffness, load;
} vectors;

/* What is the same for all elements; constants of the code where it is inlined. */
typedef struct manner {
  pk_compliance_friction friction;
  bool hertz, slope;
} manner;

/* A friction curve at the slip u: mu/u, and the slope of mu where it rises, else 0. */
typedef struct curve {
  pk_r ratio, rise;
} curve;

/* s5(x) = 10 x^3 - 15 x^4 + 6 x^5 by x^2, and its slope 30 x^2 (1 - x)^2. */
PKI_INLINE pk_r step_by_square(pk_r x)
{
  return x * (10 + x * (6 * x - 15));
}

PKI_INLINE pk_r step_slope(pk_r x)
{
  const pk_r y = x * (1 - x);
  return 30 * y * y;
}

/* With w = u/v_t: mu = mu_s s5(w) up to 1, mu_s - (mu_s - mu_d) s5((w-1)/2) up to 3, mu_d beyond. */
PKI_INLINE curve stribeck_curve(const pki_patch_law *law, pk_r u)
{
  const double per_speed = 1 / law->transition, fall = law->mu_static - law->mu_dynamic;
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const pk_r w = u * per_speed, x = pki_min(w, one), y = pki_clamp(0.5 * (w - 1), zero, one);
  const pk_r fallen = fall * (y * y * step_by_square(y));
  const pk_r below = law->mu_static * per_speed * (x * step_by_square(x));
  const pk_r ratio =
      pki_select(pki_less(w, one), below, (law->mu_static - fallen) / pki_max(u, pki_splat(law->transition)));
  const pk_r slope = per_speed * (law->mu_static * step_slope(x) - 0.5 * fall * step_slope(y));
  return (curve){ratio + law->mu_viscous, pki_max(slope + law->mu_viscous, zero)};
}

/* mu = min(w, 1) (mu_d + 2 (mu_s - mu_d)/(1 + w^2)). */
PKI_INLINE curve hollars_curve(const pki_patch_law *law, pk_r u)
{
  const double per_speed = 1 / law->transition, fall = law->mu_static - law->mu_dynamic;
  const pk_r zero = pki_splat(0), one = pki_splat(1);
  const pk_r w = u * per_speed, x = pki_min(w, one), part = 1 / (1 + w * w);
  const pk_r level = law->mu_dynamic + 2 * fall * part;
  const pk_r growing = pki_where_set(pki_less(w, one), level);
  const pk_r slope = per_speed * (growing - x * (4 * fall * w * part * part));
  return (curve){level / pki_max(u, pki_splat(law->transition)) + law->mu_viscous,
                 pki_max(slope + law->mu_viscous, zero)};
}

/* mu = mu_d u/sqrt(u^2 + v_c^2). */
PKI_INLINE curve convex_curve(const pki_patch_law *law, pk_r square)
{
  const double creep = law->creep * law->creep;
  const pk_r total = square + creep, ratio = law->mu_dynamic / pki_sqrt(total);
  return (curve){ratio + law->mu_viscous, ratio * (creep / total) + law->mu_viscous};
}

/* C += X' B X, B = b n n' + q (1 - n n') + along u u'. */
PKI_INLINE void add_slope(sums *s, const vectors *e, const pk_r u[3], pk_r b, pk_r q, pk_r along)
{
  const pk_r *r = e->arm, *n = e->normal;
  const pk_r nx = (b - q) * n[0], ny = (b - q) * n[1], nz = (b - q) * n[2];
  const pk_r ux = along * u[0], uy = along * u[1], uz = along * u[2];
  const pk_r xx = q + nx * n[0] + ux * u[0], xy = nx * n[1] + ux * u[1], xz = nx * n[2] + ux * u[2];
  const pk_r yy = q + ny * n[1] + uy * u[1], yz = ny * n[2] + uy * u[2], zz = q + nz * n[2] + uz * u[2];
  s->linear[0] += xx, s->linear[1] += xy, s->linear[2] += xz;
  s->linear[3] += yy, s->linear[4] += yz, s->linear[5] += zz;
  /* D = r~ B, its rows d */
  const pk_r d0[3] = {r[1] * xz - r[2] * xy, r[1] * yz - r[2] * yy, r[1] * zz - r[2] * yz};
  const pk_r d1[3] = {r[2] * xx - r[0] * xz, r[2] * xy - r[0] * yz, r[2] * xz - r[0] * zz};
  const pk_r d2[3] = {r[0] * xy - r[1] * xx, r[0] * yy - r[1] * xy, r[0] * yz - r[1] * xz};
  PKI_UNROLL
  for (int k = 0; k < 3; k++) {
    s->mixed[k] += d0[k], s->mixed[3 + k] += d1[k], s->mixed[6 + k] += d2[k];
  }
  /* -D r~ has the rows r x d */
  s->angular[0] += r[1] * d0[2] - r[2] * d0[1];
  s->angular[1] += r[2] * d0[0] - r[0] * d0[2];
  s->angular[2] += r[0] * d0[1] - r[1] * d0[0];
  s->angular[3] += r[2] * d1[0] - r[0] * d1[2];
  s->angular[4] += r[0] * d1[1] - r[1] * d1[0];
  s->angular[5] += r[0] * d2[1] - r[1] * d2[0];
}

/* Eight elements at the twist; their forces in F. */
PKI_INLINE void press_vector(const vectors *e, const pki_patch_law *law, const double V[6], double dt,
                             bool keeps_pulled, manner how, sums *s, pk_r F[3])
{
  const pk_r zero = pki_splat(0), *r = e->arm, *n = e->normal;
  /* v = V_lin + V_ang x r, approach -n'v, slip */
  const pk_r v[3] = {V[3] + (V[1] * r[2] - V[2] * r[1]), V[4] + (V[2] * r[0] - V[0] * r[2]),
                     V[5] + (V[0] * r[1] - V[1] * r[0])};
  const pk_r approach = -(n[0] * v[0] + n[1] * v[1] + n[2] * v[2]);
  const pk_r u[3] = {v[0] + approach * n[0], v[1] + approach * n[1], v[2] + approach * n[2]};
  /* the spring */
  const pk_r x = pki_max(e->depth + dt * approach, zero), root = how.hertz ? pki_sqrt(x) : pki_splat(1);
  const pk_r stiffness = e->stiffness * root, spring = stiffness * x;
  /* dissipation; surfaces do not pull */
  const pk_r hold = pki_max(1 + law->dissipation * approach, zero), f = spring * hold;
  const pk_i presses = pki_less(zero, f);
  const pk_r load = how.friction == PK_COMPLIANCE_FRICTION_CONVEX && dt > 0 ? e->load : f;
  const pk_r square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const curve mu = how.friction == PK_COMPLIANCE_FRICTION_CONVEX    ? convex_curve(law, square)
                   : how.friction == PK_COMPLIANCE_FRICTION_HOLLARS ? hollars_curve(law, pki_sqrt(square))
                                                                    : stribeck_curve(law, pki_sqrt(square));
  const pk_r q = load * mu.ratio;
  PKI_UNROLL
  for (int k = 0; k < 3; k++) {
    F[k] = f * n[k] - q * u[k];
    s->force[k] += F[k];
  }
  s->moment[0] += r[1] * F[2] - r[2] * F[1];
  s->moment[1] += r[2] * F[0] - r[0] * F[2];
  s->moment[2] += r[0] * F[1] - r[1] * F[0];
  /* what is stored, and what is lost: f s + F_t'u less the rate of what is stored */
  const pk_r stored = (how.hertz ? 0.4 : 0.5) * spring * x;
  s->energy += keeps_pulled ? stored : pki_where_set(presses, stored);
  s->power += spring * (hold - 1) * approach + q * square;
  s->normal += f;
  if (how.slope) {
    const pk_r rate = dt * (how.hertz ? 1.5 * stiffness : stiffness);
    const pk_r b = pki_where_set(presses, rate * hold + law->dissipation * spring);
    const pk_r along = load * (mu.rise - mu.ratio) / pki_max(square, pki_splat(1e-300));
    add_slope(s, e, u, b, q, along);
  }
}

/* Lanes are summed in a fixed order. */
PKI_INLINE double sum_lanes(pk_r x)
{
  return ((pki_lane(x, 0) + pki_lane(x, 4)) + (pki_lane(x, 1) + pki_lane(x, 5))) +
         ((pki_lane(x, 2) + pki_lane(x, 6)) + (pki_lane(x, 3) + pki_lane(x, 7)));
}

PKI_INLINE vectors load_vectors(const pki_patch *p, size_t i)
{
  vectors e;
  PKI_UNROLL
  for (int k = 0; k < 3; k++) {
    e.arm[k] = *(const pk_r *)(const void *)(p->arm[k] + i);
    e.normal[k] = *(const pk_r *)(const void *)(p->normal[k] + i);
  }
  e.depth = *(const pk_r *)(const void *)(p->depth + i);
  e.stiffness = *(const pk_r *)(const void *)(p->stiffness + i);
  e.load = *(const pk_r *)(const void *)(p->load + i);
  return e;
}

/* Elements from <= i < to press, the others of their vectors do not. */
PKI_INLINE void keep_lanes(vectors *e, int i, int from, int to)
{
  for (int l = 0; l < PKI_LANES; l++) {
    if (i + l < from || i + l >= to) {
      pki_set_lane(&e->stiffness, l, 0);
      pki_set_lane(&e->load, l, 0);
    }
  }
}

PKI_INLINE void press_range(const pki_patch *p, int side, int from, int to, const double V[6], double dt,
                            manner how, sums *s, double (*forces)[3])
{
  const pki_patch_law law = p->law[side];
  for (int i = from / PKI_LANES * PKI_LANES; i < to; i += PKI_LANES) {
    vectors e = load_vectors(p, (size_t)i);
    if (i < from || i + PKI_LANES > to) {
      keep_lanes(&e, i, from, to);
    }
    pk_r F[3];
    press_vector(&e, &law, V, dt, p->keeps_pulled, how, s, F);
    if (forces != NULL) {
      const int first = i < from ? from : i, last = i + PKI_LANES < to ? i + PKI_LANES : to;
      for (int l = first; l < last; l++) {
        for (int k = 0; k < 3; k++) {
          forces[l][k] = pki_lane(F[k], l - i);
        }
      }
    }
  }
}

static void store_slope(const sums *s, double C[36])
{
  static const int symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      C[6 * i + k] = sum_lanes(s->angular[symmetric[i][k]]);
      C[6 * (3 + i) + 3 + k] = sum_lanes(s->linear[symmetric[i][k]]);
      C[6 * i + 3 + k] = C[6 * (3 + k) + i] = sum_lanes(s->mixed[3 * i + k]);
    }
  }
}

/* Both sides' elements in one manner. */
PKI_INLINE void press_sides(const pki_patch *p, const double V[6], double dt, bool slope, bool hertz,
                            const pk_compliance_friction friction, sums *s, double (*forces)[3])
{
  for (int side = 0; side < 2; side++) {
    const int from = side == 0 ? 0 : p->first_of_second, to = side == 0 ? p->first_of_second : p->n;
    if (from == to || p->law[side].friction != friction) {
      continue;
    }
    if (hertz) {
      press_range(p, side, from, to, V, dt, (manner){friction, true, true}, s, forces);
    } else if (slope) {
      press_range(p, side, from, to, V, dt, (manner){friction, false, true}, s, forces);
    } else {
      press_range(p, side, from, to, V, dt, (manner){friction, false, false}, s, forces);
    }
  }
}

static void press_patch(const pki_patch *p, const double twist[6], double dt, bool wants_slope,
                        pki_press *out, double (*forces)[3])
{
  sums s;
  memset(&s, 0, sizeof s);
  press_sides(p, twist, dt, wants_slope, p->hertz, PK_COMPLIANCE_FRICTION_STRIBECK, &s, forces);
  press_sides(p, twist, dt, wants_slope, p->hertz, PK_COMPLIANCE_FRICTION_CONVEX, &s, forces);
  press_sides(p, twist, dt, wants_slope, p->hertz, PK_COMPLIANCE_FRICTION_HOLLARS, &s, forces);
  for (int k = 0; k < 3; k++) {
    out->wrench[k] = sum_lanes(s.moment[k]);
    out->wrench[3 + k] = sum_lanes(s.force[k]);
  }
  out->energy = sum_lanes(s.energy);
  out->power = sum_lanes(s.power);
  out->normal_force = sum_lanes(s.normal);
  if (wants_slope) {
    store_slope(&s, out->slope);
  }
}

const pki_press_kernels PKI_NAME(press_kernels) = {PKI_ISA_NAME, press_patch};
