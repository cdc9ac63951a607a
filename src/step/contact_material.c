/* What the surfaces of a contact do to each other. */
#include "step/contact.h"
#include "step/soft.h"

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

/* The coefficient that a description gives: -1 is ice. */
static double coefficient_of(double friction)
{
  return friction < 0 ? 0 : friction;
}

double pki_contact_coefficient(const pki_scene *c, const pki_contact *f)
{
  double soft;
  if (c->soft != NULL && pki_soft_friction(c, f, &soft)) {
    return soft;
  }
  if (f->material >= 0) { /* what the world says of its ground counts for every robot */
    return pki_contact_material(c, f)->friction;
  }
  const pk_model_shape *a = &c->colliders.model->shapes[f->geom[0]];
  const pk_model_shape *b = &c->colliders.model->shapes[f->geom[1]];
  const pki_shape_rule *rule = pki_filter_shapes(&c->colliders.filter, f->geom[0], f->geom[1]);
  if (rule != NULL && rule->friction != 0) {
    return coefficient_of(rule->friction);
  }
  if (a->friction == 0 && b->friction == 0) {
    return pki_contact_material(c, f)->friction;
  }
  if (a->friction == 0 || b->friction == 0) {
    return coefficient_of(a->friction != 0 ? a->friction : b->friction);
  }
  const double x = coefficient_of(a->friction), y = coefficient_of(b->friction);
  return a->priority != b->priority ? (a->priority > b->priority ? x : y) : x > y ? x : y;
}
