#include "size/size_report.h"

#include <math.h>
#include <stdio.h>

/* A table into the report; it is freed. */
static void put_table(pki_report *r, pki_table *table)
{
  pki_report_table(r, table);
  r->html.failed |= table->failed;
  pki_table_free(table);
}

static void put_motions(const pki_sizing *z, pki_report *r)
{
  pki_table table;
  pki_table_begin(&table, (const char *const[]){"motion", "share", "s", "samples", "joints"}, 5);
  for (int i = 0; i < z->duty.count; i++) {
    const pki_duty_motion *m = &z->duty.motions[i];
    char share[32], length[32], n[32], joints[32];
    snprintf(share, sizeof share, "%.0f %%", 100 * pki_duty_share(&z->duty, i));
    snprintf(length, sizeof length, "%.4g", pki_duty_motion_length(m));
    snprintf(n, sizeof n, "%d", m->n);
    snprintf(joints, sizeof joints, "%d", m->njoint);
    pki_table_row(&table, (const char *const[]){m->name, share, length, n, joints});
  }
  pki_report_section(r, "motions", "Motions");
  put_table(r, &table);
}

static void put_choice(const pki_size_result *result, pki_report *r)
{
  pki_table table;
  pki_report_section(r, "choice", "The choice");
  if (!pki_sizing_is_complete(&result->sizing)) {
    pki_report_paragraph(r, "Not every group has a drive: the tables of the groups below say why.");
  }
  pki_size_choice_table(&result->sizing, &table);
  put_table(r, &table);
  pki_report_note(
      r, "Lines as parts that are used: rms torque of what the motor does for long, largest torque of the "
         "largest current, largest voltage, rise of the winding above the air.");
  pki_size_supply_table(&result->sizing, &table);
  pki_report_facts(r, &table);
  pki_table_free(&table);
  pki_report_section(r, "parts", "Parts list");
  pki_size_parts_table(&result->sizing, &table);
  put_table(r, &table);
}

static void put_rounds(const pki_size_result *result, pki_report *r)
{
  pki_table table;
  if (result->nround < 2) {
    return;
  }
  pki_report_section(r, "rounds", "Rounds");
  pki_report_paragraph(
      r, result->agreed        ? "In the last round the robot carried the drives that were then chosen: "
                                 "choice and motion agree."
         : result->swings >= 0 ? "The choice swings: that of an earlier round has come back, and more rounds "
                                 "would repeat what is below."
                               : "Choice and motion do not agree yet: more rounds may bring them together.");
  pki_size_round_table(result, &table);
  put_table(r, &table);
  if (result->nreplaced > 0) {
    pki_report_subheading(r, "What is replaced");
    pki_report_paragraph(r,
                         "From round 1 on the chosen drives stand in the place of these parts of the model "
                         "and of its scenarios.");
    pki_size_replaced_table(result, &table);
    put_table(r, &table);
  } else {
    pki_report_note(r,
                    "The model has no rotors or actuators at these joints, and `present` of the study names "
                    "no drives in its links: the chosen ones are added to it.");
  }
  for (int i = 0; i < result->nround; i++) {
    const pki_size_round *round = &result->rounds[i];
    char title[64];
    snprintf(title, sizeof title, "Round %d", i);
    pki_report_subheading(r, title);
    pki_table_begin(&table, (const char *const[]){"joint", "drive", "mass, kg", "armature, kg m²"}, 4);
    for (int k = 0; k < round->njoint; k++) {
      const pki_size_carried *c = &round->chosen[k];
      char mass[32], armature[32];
      snprintf(mass, sizeof mass, "%.4g", c->mass);
      snprintf(armature, sizeof armature, "%.4g", c->armature);
      pki_table_row(&table, (const char *const[]){c->joint, c->drive[0] != '\0' ? c->drive : "none fits",
                                                  mass, armature});
    }
    put_table(r, &table);
  }
}

/* A table under a title, where it has rows. */
static void put_titled(pki_report *r, const char *title, pki_table *table)
{
  if (table->nrow > 1) {
    pki_report_subheading(r, title);
    pki_report_table(r, table);
  }
  r->html.failed |= table->failed;
  pki_table_free(table);
}

void pki_size_put_candidates(const pki_size_group *g, int most, pki_report *r)
{
  pki_table table;
  pki_size_fitting_table(g, most, &table);
  put_titled(r, "What fits", &table);
  pki_size_failing_table(g, most, &table);
  put_titled(r, "What fails, and why", &table);
}

static void put_group(const pki_sizing *z, int index, pki_report *r)
{
  enum { SHOWN = 60 };
  const pki_size_group *g = &z->groups[index];
  char id[40], text[200];
  snprintf(id, sizeof id, "group-%d", index);
  pki_report_section(r, id, g->name);
  for (int k = 0; k < g->njoint; k++) {
    snprintf(id, sizeof id, "cloud-%d-%d", index, k);
    pki_size_plot_cloud(z, g, k, NULL, id, NULL, r, NULL);
  }
  snprintf(id, sizeof id, "front-%d", index);
  pki_size_plot_front(g, id, r);
  pki_size_put_candidates(g, SHOWN, r);
  if (g->ncandidate > SHOWN) {
    snprintf(text, sizeof text, "%d more candidates are in candidates.csv.", g->ncandidate - SHOWN);
    pki_report_note(r, text);
  }
}

pk_status pki_size_report_save(const pki_size_study *study, const pki_size_result *result, const char *path,
                               pk_error *err)
{
  const pki_sizing *z = &result->sizing;
  pki_report r = {0};
  pki_table table;
  char title[96];
  snprintf(title, sizeof title, "Drives of %s", study->name);
  pki_report_begin(&r, title, study->description);
  pki_report_contents(&r);
  put_choice(result, &r);
  put_rounds(result, &r);
  put_motions(z, &r);
  const int rows = pki_size_bearing_table(z, &table);
  if (rows > 0) {
    pki_report_section(&r, "bearings", "Bearing loads");
    pki_report_table(&r, &table);
    pki_report_note(
        &r,
        "Largest of what each joint carries, in the axes of the link that it moves; the cubic mean of the "
        "force is what the life of a ball bearing goes by.");
  }
  pki_table_free(&table);
  for (int i = 0; i < z->ngroup; i++) {
    put_group(z, i, &r);
  }
  const pk_status status = pki_report_save(&r, path, err);
  pki_report_free(&r);
  return status;
}
