/* What limits cost a robot under whole-body control: counted in the summary, recorded as the channel `tasks`. */
#include <math.h>

#include "pronk/gait.h"
#include "run/channel_columns.h"

static const char *const task_names[PK_WHOLE_BODY_TASK_COUNT] = {
    [PK_WHOLE_BODY_STANCE] = "stance",     [PK_WHOLE_BODY_SWING] = "swing", [PK_WHOLE_BODY_MASS] = "mass",
    [PK_WHOLE_BODY_MOMENTUM] = "momentum", [PK_WHOLE_BODY_TRUNK] = "trunk", [PK_WHOLE_BODY_PLACE] = "place",
    [PK_WHOLE_BODY_POSTURE] = "posture"};

void pki_watch_tasks(const pki_watch *w, pki_run_result *r)
{
  pk_whole_body_report report;
  if (pk_whole_body_get_report(w->world->sim, &report, NULL) == PK_OK) {
    r->task_steps++;
    r->held_steps += report.held;
    r->mass_missed = fmax(r->mass_missed, report.missed[PK_WHOLE_BODY_MASS]);
  }
}

void pki_describe_tasks(pki_channel_reader *t, int channel)
{
  pk_whole_body_report report;
  if (pk_whole_body_get_report(t->watch->world->sim, &report, NULL) != PK_OK) {
    return;
  }
  for (int k = 0; k < PK_WHOLE_BODY_TASK_COUNT; k++) {
    const bool length = k == PK_WHOLE_BODY_MASS || k == PK_WHOLE_BODY_PLACE;
    const bool mixed = k == PK_WHOLE_BODY_STANCE || k == PK_WHOLE_BODY_SWING || k == PK_WHOLE_BODY_POSTURE;
    pki_add_column(t, channel, length ? "m/s^2" : mixed ? "" : "rad/s^2", "%s", task_names[k]);
  }
  PKI_COLUMNS(t, channel, {"held", ""}, {"torques", ""}, {"forces", ""}, {"standing", ""}, {"rounds", ""},
              {"residual", ""});
}

int pki_read_tasks(pki_channel_reader *t, int robot, double *out)
{
  (void)robot;
  pk_whole_body_report report;
  pk_whole_body_get_report(t->watch->world->sim, &report, NULL);
  for (int k = 0; k < PK_WHOLE_BODY_TASK_COUNT; k++) {
    out[k] = report.missed[k];
  }
  double *const rest = out + PK_WHOLE_BODY_TASK_COUNT;
  rest[0] = report.held, rest[1] = report.torques, rest[2] = report.forces, rest[3] = report.standing,
  rest[4] = report.rounds, rest[5] = report.residual;
  return 1;
}
