#include "model/compile.h"

#include <math.h>
#include <stdlib.h>

pki_where pki_link_where(const pki_draft *d, int link)
{
  const pki_link *l = &d->b->links[link];
  return (pki_where){.file = d->b->robots[l->robot].desc.file, .line = l->desc.line, .field = l->desc.name};
}

pki_where pki_joint_where(const pki_draft *d, int joint)
{
  const pki_joint *j = &d->b->joints[joint];
  return (pki_where){.file = d->b->robots[j->robot].desc.file, .line = j->desc.line, .field = j->desc.name};
}

void pki_free_names(char **names, int count)
{
  for (int i = 0; names != NULL && i < count; i++) {
    free(names[i]);
  }
  free(names);
}

void pki_draft_free(pki_draft *d)
{
  pki_free_names(d->link_name, d->b->nlink);
  pki_free_names(d->joint_name, d->b->njoint);
  free(d->links.slot), free(d->joints.slot);
  free(d->joint_parent), free(d->joint_child), free(d->link_joint), free(d->robot_root), free(d->order);
  free(d->shape_link);
  free(d->joint_leader), free(d->joint_multiplier), free(d->joint_offset);
  free(d->robot_kind), free(d->robot_reason), free(d->bodies), free(d->link_body), free(d->link_pose);
  free(d->joint_body), free(d->joint_q), free(d->joint_u);
  free(d->q0), free(d->dof), free(d->dof_joint), free(d->dof_q), free(d->M_row), free(d->M_col);
  free(d->joint_cut), free(d->constraints), free(d->plan_u);
  pki_free_equipment(d);
}

/* Run the steps until one finds errors; false: out of memory. */
static bool run_steps(pki_draft *d, pk_model **out)
{
  const pk_builder *b = d->b;
  const int before = b->nerror;
  if (!pki_compile_tree(d)) {
    return false;
  }
  pki_check_joints(d);
  if (b->nerror == before && d->tree != NULL && !pki_compile_cuts(d)) {
    return false;
  }
  if (b->nerror > before) {
    return true;
  }
  if (!pki_compile_bodies(d)) {
    return false;
  }
  pki_check_links(d);
  pki_check_ground_shapes(d);
  if (b->nerror > before) {
    return true;
  }
  if (!pki_compile_equipment(d) || !pki_compile_plan(d)) {
    return false;
  }
  if (b->nerror > before) {
    return true;
  }
  if (!pki_check_masses(d)) {
    return false;
  }
  if (b->nerror > before) {
    return true;
  }
  *out = pki_compile_layout(d);
  return *out != NULL;
}

pk_status pk_builder_compile(pk_builder *b, pk_model **out, pk_error *err)
{
  *out = NULL;
  const int before = b->nerror;
  if (b->nlink == 0) {
    pki_builder_error(b, PK_ERROR_MODEL, (pki_where){0},
                      "there is no link: a world needs at least one robot");
    return pki_builder_verdict(b, before, err);
  }
  if (!isfinite(b->gravity[0]) || !isfinite(b->gravity[1]) || !isfinite(b->gravity[2])) {
    pki_builder_error(b, PK_ERROR_ARGUMENT, (pki_where){.field = "gravity"}, "gravity is not finite");
    return pki_builder_verdict(b, before, err);
  }
  pk_model *tree = NULL;
  bool had_memory = true;
  for (int pass = b->cut_all || b->ncut > 0 ? 0 : 1; pass < 2 && had_memory && b->nerror == before; pass++) {
    /* with cuts the first pass makes the tree, the second the world that is cut */
    pki_draft draft = {.b = b, .tree = tree};
    had_memory = run_steps(&draft, pass == 0 ? &tree : out);
    pki_draft_free(&draft);
  }
  if (*out == NULL) {
    pk_model_destroy(tree);
  }
  if (!had_memory) {
    return pki_fail(err, PK_ERROR_MEMORY, (pki_where){0}, "out of memory while the model is compiled");
  }
  return pki_builder_verdict(b, before, err);
}
