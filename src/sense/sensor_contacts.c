/* Who touches what, and how hard: contacts of the last step. */
#include <string.h>

#include "sense/sensors.h"

enum { EACH = 12 }; /* link, other link, point, normal, gap, impulse */

static int read_contacts(const pk_observation *seen, double *out)
{
  for (int i = 0; i < seen->ncontact && out != NULL; i++) {
    const pk_sim_contact *c = &seen->contacts[i];
    double *to = out + (size_t)i * EACH;
    to[0] = c->link;
    to[1] = c->other_link;
    memcpy(to + 2, c->point, sizeof c->point);
    memcpy(to + 5, c->normal, sizeof c->normal);
    to[8] = c->gap;
    memcpy(to + 9, c->impulse, sizeof c->impulse);
  }
  return seen->ncontact * EACH;
}

const pki_sensor_row pki_sensor_contacts = {
    .name = "contacts",
    .doc = "link, other link (-1: ground), point, normal, gap and impulse of each contact",
    .unit = "m, N s",
    .width = "12 for each of the last step",
    .read = read_contacts};
