/* StarLETH on flat ground in each of the configurations. */
#include <math.h>
#include <string.h>

#include "model/named.h"
#include "study/starleth/starleth.h"

const char pki_starleth_left_out[] = "left out by --quick";
const char *const pki_starleth_set_names[PKI_STARLETH_SETS] = {"minimal", "extended", "maximal"};

#define MIN PKI_STARLETH_MINIMAL
#define EXT PKI_STARLETH_EXTENDED
#define MAX PKI_STARLETH_MAXIMAL

/* Gehring et al. 2014, Table 1, and Pronk's default. */
const pki_starleth_config pki_starleth_configs[PKI_STARLETH_CONFIGS] = {
    {"Cm", MIN, false, false, false, 0, 8900, 11.5},  {"HmJ", MIN, true, false, false, 0.6, 5400, 13.5},
    {"HmS", MIN, true, true, false, 0.6, 4700, 11.8}, {"HEJD", EXT, true, false, false, 0.6, 2700, 6.8},
    {"HEJP", EXT, true, false, true, 0.5, 2900, 7.1}, {"HESD", EXT, true, true, false, 0.6, 2500, 6.1},
    {"HESP", EXT, true, true, true, 0.6, 2400, 6.0},  {"HMJD", MAX, true, false, false, 1.0, 1600, 4.1},
    {"HMJP", MAX, true, false, true, 0.4, 600, 1.5},  {"HMSD", MAX, true, true, false, 1.0, 1600, 3.9},
    {"HMSP", MAX, true, true, true, 0.6, 800, 2.0},   {"default", MIN, true, false, false, 0, NAN, NAN},
};

pk_sim_options pki_starleth_options(const pki_starleth_config *c)
{
  pk_sim_options o;
  if (c == &pki_starleth_configs[PKI_STARLETH_DEFAULT]) {
    o = pk_sim_options_default();
    o.dt = 2.5e-3;
    return o;
  }
  o = pk_sim_options_preset(PK_SIM_PRESET_GEHRING_2014);
  if (!c->hard) {
    o.law = PK_CONTACT_LAW_COMPLIANT;
    o.dt /= 2;
    return o;
  }
  o.solver = c->sor ? PK_SOLVER_SOR_VELOCITY : PK_SOLVER_JOR_VELOCITY;
  o.alpha = c->alpha;
  o.bilateral = c->prox ? PK_BILATERAL_METHOD_PROX : PK_BILATERAL_METHOD_SWEEP;
  return o;
}

bool pki_starleth_has_form(const pki_starleth_config *c, pki_starleth_form form)
{
  const bool iterates = c->hard && c != &pki_starleth_configs[PKI_STARLETH_DEFAULT];
  const bool eliminates = iterates && !c->prox && c->set != PKI_STARLETH_MINIMAL;
  return form == PKI_STARLETH_PUBLISHED || (form == PKI_STARLETH_ELIMINATED ? eliminates : iterates);
}

pk_sim_options pki_starleth_form_options(const pki_starleth_config *c, pki_starleth_form form)
{
  pk_sim_options o = pki_starleth_options(c);
  switch (form) {
  case PKI_STARLETH_IMPULSES: o.solver = c->sor ? PK_SOLVER_SOR : PK_SOLVER_JOR; break;
  case PKI_STARLETH_FINE: o.succession = PK_SOLVER_SUCCESSION_FINE; break;
  case PKI_STARLETH_ELIMINATED: o.bilateral = PK_BILATERAL_METHOD_DIRECT; break;
  default: break;
  }
  return o;
}

/* --- models and ground ----------------------------------------------------------------- */

static pk_status make_model(pki_starleth_set set, bool points, pk_model **out, pk_error *err)
{
  static const char *const hips[4] = {"LF_HAA", "RF_HAA", "LH_HAA", "RH_HAA"};
  char path[PKI_PATH_MAX];
  pk_builder *b;
  pk_builder_create(&b, NULL);
  if (b == NULL) {
    return pki_fail_memory(err, NULL);
  }
  const pk_load_options options = pk_load_options_default();
  pk_status status = pki_builder_add_named(b, points ? "starleth_points" : "starleth", &options, path, err);
  for (int i = 0; i < 4 && set == PKI_STARLETH_EXTENDED && status == PK_OK; i++) {
    status = pk_builder_cut_joint(b, hips[i], err);
  }
  if (set == PKI_STARLETH_MAXIMAL && status == PK_OK) {
    status = pk_builder_cut_joint(b, NULL, err);
  }
  status = status == PK_OK ? pk_builder_compile(b, out, err) : status;
  pk_builder_destroy(b);
  return status;
}

/* The paper's sizes: 18, 38 and 78 velocities with 0, 20 and 60 bilateral rows. */
static pk_status check_model(const pk_model *m, pki_starleth_set set, pk_error *err)
{
  static const int nu[PKI_STARLETH_SETS] = {18, 38, 78}, rows[PKI_STARLETH_SETS] = {0, 20, 60};
  const pk_model *joints = m->tree != NULL ? m->tree : m;
  if (m->nu != nu[set] || m->nbilateral != rows[set] || joints->nq != PKI_STARLETH_NQ ||
      joints->nu != PKI_STARLETH_NU) {
    return pki_fail(
        err, PK_ERROR_UNSUPPORTED, (pki_where){0},
        "starleth in %s coordinates has %d velocities and %d bilateral rows, the paper's has %d and %d",
        pki_starleth_set_names[set], m->nu, m->nbilateral, nu[set], rows[set]);
  }
  return PK_OK;
}

pk_status pki_starleth_lab_create(pki_starleth_lab *lab, bool points, pk_error *err)
{
  static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1}, hips = 0.41, ball = 0.025,
                      point = 1e-6; /* m */
  *lab = (pki_starleth_lab){.height = hips + (points ? point : ball)};
  pk_status status = pk_terrain_create(&lab->ground, err);
  status = status == PK_OK ? pk_terrain_add_plane(lab->ground, origin, up, 0, err) : status;
  for (int set = 0; set < PKI_STARLETH_SETS && status == PK_OK; set++) {
    status = make_model((pki_starleth_set)set, points, &lab->models[set], err);
    status = status == PK_OK ? check_model(lab->models[set], (pki_starleth_set)set, err) : status;
  }
  return status;
}

void pki_starleth_lab_free(pki_starleth_lab *lab)
{
  for (int set = 0; set < PKI_STARLETH_SETS; set++) {
    pk_model_destroy(lab->models[set]);
  }
  pk_terrain_destroy(lab->ground);
  *lab = (pki_starleth_lab){0};
}

/* --- worlds ---------------------------------------------------------------------------- */

/* The stance of models/starleth/README.md, hips 0.41 m above the foot points, and the feet 10 um deep: at a gap of zero
 * the last bit would decide which contacts are closed. */
static void set_stance(double height, double q[PKI_STARLETH_NQ])
{
  memset(q, 0, PKI_STARLETH_NQ * sizeof *q);
  q[2] = height - 1e-5, q[3] = 1;
  for (int leg = 0; leg < 4; leg++) {
    const double side = leg < 2 ? 1 : -1;
    q[7 + 3 * leg + 1] = side * 0.7343101344764329;
    q[7 + 3 * leg + 2] = -side * 1.3411529067300831;
  }
}

/* The one tuning: 400 Hz, a cycle of 0.8 s. */
static pk_locomotion_options trot_tuning(double start, double forward)
{
  pk_locomotion_options o = pk_locomotion_options_default();
  o.period = 2.5e-3;
  o.cycle = 0.8;
  if (isfinite(start)) {
    o.gait = PK_GAIT_TROT;
    o.start = start;
    o.forward = forward;
  }
  return o;
}

pk_status pki_starleth_start(const pki_starleth_lab *lab, pki_starleth_set set, const pk_sim_options *options,
                             double start, double forward, pki_starleth_world *w, pk_error *err)
{
  static const char *const feet[4] = {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
  const pk_locomotion_options gait = trot_tuning(start, forward);
  *w = (pki_starleth_world){.trunk = pk_model_find_link(lab->models[set], "base"), .height = lab->height};
  for (int i = 0; i < 4; i++) {
    w->feet[i] = pk_model_find_link(lab->models[set], feet[i]);
    if (w->feet[i] < 0 || w->trunk < 0) {
      return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){0}, "starleth has no link base or %s", feet[i]);
    }
  }
  pk_status status = pk_sim_create(lab->models[set], options, &w->sim, err);
  status = status == PK_OK ? pk_sim_set_terrain(w->sim, lab->ground, NULL, 0, err) : status;
  status =
      status == PK_OK ? pk_locomotion_create(pk_sim_joint_model(w->sim), &gait, &w->controller, err) : status;
  status = status == PK_OK ? pk_sim_set_controller(w->sim, w->controller, err) : status;
  if (status == PK_OK) {
    set_stance(lab->height, w->q);
    pk_sim_set_joints(w->sim, w->q, w->u);
  } else {
    pki_starleth_stop(w);
  }
  return status;
}

void pki_starleth_stop(pki_starleth_world *w)
{
  pk_sim_destroy(w->sim);
  pk_locomotion_destroy(w->controller);
  w->sim = NULL;
  w->controller = NULL;
}

pk_status pki_starleth_step(pki_starleth_world *w, pk_step_info *info)
{
  const pk_status status = pk_sim_step(w->sim, info);
  if (status == PK_OK) {
    pk_sim_get_joints(w->sim, w->q, w->u);
  }
  return status;
}

void pki_starleth_feet(pki_starleth_world *w, double z[4])
{
  pk_workspace *work = pk_sim_workspace(w->sim);
  pk_kinematics_compute(work, pk_sim_q(w->sim), NULL);
  for (int i = 0; i < 4; i++) {
    z[i] = pk_link_pose(work, w->feet[i]).pos[2];
  }
}

double pki_starleth_normal_force(const pki_starleth_world *w, int foot)
{
  enum { MOST = 128 };
  pk_sim_contact contacts[MOST];
  const int count = pk_sim_contacts(w->sim, contacts, MOST);
  double force = 0;
  for (int i = 0; i < count && i < MOST; i++) {
    double impulse[3], n[3];
    if (pk_sim_contact_carries(&contacts[i], pk_sim_model(w->sim), w->feet[foot], impulse, n)) {
      force += impulse[0] * n[0] + impulse[1] * n[1] + impulse[2] * n[2];
    }
  }
  return force;
}

bool pki_starleth_fallen(const pki_starleth_world *w)
{
  const double *p = w->q + 3, upright = 1 - 2 * (p[1] * p[1] + p[2] * p[2]);
  return upright < 0.5 || w->q[2] < 0.5 * w->height;
}
