#include "collision/world/forms.h"

#include <stdlib.h>

#include "base/error.h"
#include "collision/ground/terrain.h"

void pki_forms_free(pki_narrow_form *forms, int n)
{
  for (int i = 0; i < n && forms != NULL; i++) {
    pki_narrow_form_free(&forms[i]);
  }
  free(forms);
}

/* Forms of n geometries; *out NULL where the method needs none. */
static pk_status make_forms(const pki_colliders *c, int n, const pk_geometry *(*geometry)(const void *, int),
                            const void *from, pki_narrow_form **out, pk_error *err)
{
  *out = NULL;
  if (pki_narrows[c->narrow]->prepare == NULL || n == 0) {
    return PK_OK;
  }
  pki_narrow_form *forms = calloc((size_t)n, sizeof *forms);
  pk_status status = forms != NULL ? PK_OK : pki_fail_memory(err, "a narrow method");
  for (int i = 0; i < n && status == PK_OK; i++) {
    status = pki_narrow_form_make(c->narrow, geometry(from, i), &c->form_options, &forms[i], err);
  }
  if (status != PK_OK) {
    pki_forms_free(forms, n);
    return status;
  }
  *out = forms;
  return PK_OK;
}

static const pk_geometry *geometry_of_shape(const void *from, int i)
{
  return ((const pki_geometries *)from)->made[i];
}

static const pk_geometry *geometry_of_solid(const void *from, int i)
{
  return ((const pk_terrain *)from)->solids[i].geometry;
}

pk_status pki_forms_of_shapes(const pki_colliders *c, pki_narrow_form **out, pk_error *err)
{
  return make_forms(c, c->geometries->nmade, geometry_of_shape, c->geometries, out, err);
}

pk_status pki_forms_of_ground(const pki_colliders *c, const pk_terrain *ground, pki_narrow_form **out,
                              pk_error *err)
{
  return make_forms(c, ground != NULL ? ground->nsolid : 0, geometry_of_solid, ground, out, err);
}

const pki_narrow_form *pki_form_of_shape(const pki_colliders *c, int shape)
{
  const pki_geometries *g = c->geometries;
  int i = 0;
  while (i < g->nmade && g->made[i] != g->of[shape]) {
    i++;
  }
  return c->shape_forms != NULL ? &c->shape_forms[i] : NULL;
}
