/* MJCF from descriptions: bodies (writer_mjcf.c), what they look like (writer_mjcf_shapes.c), and what stands beside them
 * (writer_mjcf_parts.c). */
#ifndef PKI_MODEL_CONVERT_WRITER_MJCF_H
#define PKI_MODEL_CONVERT_WRITER_MJCF_H

#include "model/convert/writer.h"

/* pos and quat of a pose, each where it is not neutral. */
void pki_put_mjcf_pose(pki_text *text, const pk_pose *pose);

/* The inertia of each link as it is written (w->inertia). */
void pki_choose_mjcf_masses(pki_writer *w);

/* <asset> and <default>: meshes, height fields, how shapes to look at differ from those that collide. */
void pki_put_mjcf_assets(pki_writer *w);

/* Geoms and sites of a link, whose frame lies at `pose` in the body that they are written in. */
void pki_put_mjcf_shapes(pki_writer *w, int link, const pk_pose *pose, int depth);
void pki_put_mjcf_sites(pki_writer *w, int link, const pk_pose *pose, int depth);

/* <contact>, <equality>, <actuator>, <sensor>, <keyframe>. */
void pki_put_mjcf_parts(pki_writer *w);

/* A name of a robot's thing with the robot's prefix, as an attribute. */
void pki_put_mjcf_name(pki_writer *w, const char *attribute, int robot, const char *name);

/* The name of a link's body: a fixed root called "world" is the world. */
bool pki_is_mjcf_world(const pki_writer *w, int link);

#endif
