/* MuJoCo's table of the interface "contact/3". */
#ifndef BENCH_MUJOCO_CONTACT_H
#define BENCH_MUJOCO_CONTACT_H

#include "bench/contact_peer.h"

const pki_contact_peer *mujoco_contact();

#endif
