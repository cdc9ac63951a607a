#include "scenario/gear_entry.h"

#include <stdio.h>

#define GEAR(member, unit, preset, least, most, doc) \
  { \
#member, offsetof(pki_gear, member), PK_FIELD_REAL, unit, preset, least, most, NULL, doc \
  }

const pk_field pki_gear_fields[] = {
    {"name", offsetof(pki_gear, name), PK_FIELD_TEXT, "", 0, 0, sizeof((pki_gear *)0)->name - 1, NULL,
     "what it is called, with the order number"},
    GEAR(ratio, "", 0, 0, 1e6, "turns of the rotor for one of the output; needed unless from and to are"),
    GEAR(from, "", 0, 0, 1e6, "the least of ratios from which the best is taken, instead of ratio"),
    GEAR(to, "", 0, 0, 1e6, "the largest of them"),
    GEAR(efficiency, "", 1, 0.501, 1, "when the motor drives"),
    GEAR(inertia, "kg m^2", 0, 0, 1e6, "at its input"),
    GEAR(mass, "kg", 0, 0, 1e4, "0: not known"),
    GEAR(price, "EUR", 0, 0, 1e9, "of one; 0: not known"),
    GEAR(torque, "N m", 0, 0, 1e9, "at the output, for long; 0: no limit"),
    GEAR(peak_torque, "N m", 0, 0, 1e9, "at the output, for a short time; 0: no limit"),
    GEAR(speed, "rad/s", 0, 0, 1e6, "of its input, largest; 0: no limit"),
};
const int pki_gear_field_count = (int)(sizeof pki_gear_fields / sizeof pki_gear_fields[0]);

pki_gear pki_gear_of_ratio(double ratio)
{
  pki_gear gear = {0};
  pki_fields_preset(pki_gear_fields, pki_gear_field_count, &gear);
  gear.ratio = ratio;
  return gear;
}

/* A ratio, or a range of ratios, and not both. */
static void check_gear(const pki_node *node, const pki_gear *gear, pki_problems *problems)
{
  const bool ranged = gear->from > 0 || gear->to > 0;
  if (gear->ratio > 0 && ranged) {
    pki_problem(problems, node, "a gear has a ratio, or from and to, not both");
  } else if (ranged && !(gear->from > 0 && gear->to > gear->from)) {
    pki_problem(problems, node, "from is %g and to is %g, expected 0 < from < to", gear->from, gear->to);
  } else if (!ranged && !(gear->ratio > 0)) {
    pki_problem(problems, node, "a gear needs a ratio above 0, or from and to");
  } else if (gear->torque > 0 && gear->peak_torque > 0 && gear->peak_torque < gear->torque) {
    pki_problem(problems, node, "peak_torque is %g N m, expected at least torque, which is %g N m",
                gear->peak_torque, gear->torque);
  }
}

static void read_gear(const pki_node *node, pki_gear *gear, pki_problems *problems)
{
  pk_error err = {0};
  *gear = pki_gear_of_ratio(0);
  if (node->kind == PKI_NODE_MAP) {
    const pki_binding binding = {pki_gear_fields, pki_gear_field_count, gear};
    if (pki_read_map(node, &binding, 1, problems) == PK_OK) {
      check_gear(node, gear, problems);
    }
  } else if (pki_problems_note(problems, pki_read_real(node, &gear->ratio, &err), &err) == PK_OK &&
             !(gear->ratio > 0 && gear->ratio <= 1e6)) {
    pki_problem(problems, node, "the ratio is %g, expected more than 0 and at most 1e6", gear->ratio);
  }
  if (gear->name[0] == '\0' && gear->ratio > 0) {
    snprintf(gear->name, sizeof gear->name, "%g:1", gear->ratio);
  }
}

void pki_gears_read(const pki_node *list, pki_gear *out, int most, int *count, pki_problems *problems)
{
  *count = 0;
  if (list == NULL || pki_expect_kind(list, PKI_NODE_LIST, problems) != PK_OK) {
    return;
  }
  if (list->count > most) {
    pki_problem(problems, list, "%d gears, expected at most %d", list->count, most);
    return;
  }
  for (const pki_node *n = list->first; n != NULL; n = n->next) {
    read_gear(n, &out[(*count)++], problems);
  }
}
