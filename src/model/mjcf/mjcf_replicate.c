/* <replicate> and <attach>: copies of parts of the tree, with their names changed. Both are done before anything is read
 * from the bodies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mjcf/mjcf.h"
#include "model/pose.h"

/* ---- replicate ---- */

enum { COPIES_MAX = 100000 };

/* Copies are numbered with as many digits as the last one needs. */
static int digits(int count)
{
  int width = 1;
  for (int n = count - 1; n >= 10; n /= 10) {
    width++;
  }
  return width;
}

/* Put `made`, a list of siblings, in the place of `node`. */
static void replace_node(pki_mjcf_node *node, pki_mjcf_node *made)
{
  pki_mjcf_node *parent = node->parent, **at = &parent->first;
  while (*at != node) {
    at = &(*at)->next;
  }
  *at = made;
  pki_mjcf_node *last = made;
  while (last != NULL && last->next != NULL) {
    last = last->next;
  }
  if (last != NULL) {
    last->next = node->next;
  } else {
    *at = node->next;
  }
  parent->last = NULL;
  for (pki_mjcf_node *child = parent->first; child != NULL; child = child->next) {
    child->parent = parent;
    parent->last = child;
  }
}

/* One frame for each copy, moved and turned once more than the one before. */
static void expand_replicate(pki_mjcf *m, pki_mjcf_node *node)
{
  const int count = pki_mjcf_int(m, node, "count", 0);
  if (count < 0 || count > COPIES_MAX) {
    pki_mjcf_error(m, node, "count", PK_ERROR_LIMIT, "count is %d, expected 0 to %d", count, COPIES_MAX);
    replace_node(node, NULL);
    return;
  }
  double offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
  pki_mjcf_reals(m, node, "offset", 3, offset);
  pki_mjcf_reals(m, node, "euler", 3, euler);
  const pk_pose step = pki_mjcf_replicate_step(node->settings, offset, euler);
  const char *separator = pki_mjcf_own(node, "sep"), *class = pki_mjcf_own(node, "childclass");
  pki_mjcf_node holder = {.settings = node->settings};
  pk_pose pose = pk_pose_identity();
  for (int i = 0; i < count; i++) {
    char suffix[32];
    snprintf(suffix, sizeof suffix, "%.15s%0*d", separator != NULL ? separator : "", digits(count), i);
    pki_mjcf_node *frame = pki_mjcf_add_node(m, &holder, "frame", node);
    pk_pose *kept = pki_mjcf_alloc(m, sizeof *kept);
    if (frame == NULL || kept == NULL) {
      break;
    }
    *kept = pose;
    frame->pose = kept;
    if (class != NULL) {
      pki_mjcf_set(m, frame, "childclass", class);
    }
    for (const pki_mjcf_node *child = node->first; child != NULL; child = child->next) {
      if (pki_mjcf_copy(m, frame, child, "", suffix) == NULL) {
        break;
      }
    }
    pose = pki_pose_mul(&pose, &step);
  }
  replace_node(node, holder.first);
}

/* ---- the whole tree ---- */

/* Inner ones first. */
static void expand_children(pki_mjcf *m, pki_mjcf_node *node)
{
  for (pki_mjcf_node *child = node->first; child != NULL && !m->no_memory;) {
    pki_mjcf_node *next = child->next;
    expand_children(m, child);
    if (pki_mjcf_is(child, "replicate")) {
      expand_replicate(m, child);
    } else if (pki_mjcf_is(child, "attach")) {
      replace_node(child, pki_mjcf_attach(m, child));
    }
    child = next;
  }
}

void pki_mjcf_expand(pki_mjcf *m, pki_mjcf_node *root)
{
  for (pki_mjcf_node *node = root->first; node != NULL; node = node->next) {
    if (pki_mjcf_is(node, "worldbody")) {
      expand_children(m, node);
    }
  }
}
