/* What the surfaces of a contact do to each other. */
#include "step/contact.h"

int pki_find_pair(const pki_scene *c, int surface, int material, int with)
{
  int i = 0;
  while (i < c->npair &&
         (c->pairs[i].surface != surface || c->pairs[i].material != material || c->pairs[i].with != with)) {
    i++;
  }
  return i;
}

/* What the surfaces of two shapes of the model do to each other. */
static const pk_material *between_shapes(const pki_scene *c, int shape_a, int shape_b)
{
  const int a = c->surfaces[shape_a], b = c->surfaces[shape_b];
  const int pair = pki_find_pair(c, a < b ? a : b, -1, a < b ? b : a);
  return pair < c->npair ? &c->pairs[pair].law : &c->body_material;
}

const pk_material *pki_contact_material(const pki_scene *c, const pki_contact *f)
{
  if (f->material < 0) {
    return between_shapes(c, f->geom[0], f->geom[1]);
  }
  const int pair = c->npair > 0 ? pki_find_pair(c, c->surfaces[f->geom[0]], f->material, -1) : 0;
  return pair < c->npair ? &c->pairs[pair].law
                         : &c->materials[f->material < c->nmaterial ? f->material : c->nmaterial - 1];
}
