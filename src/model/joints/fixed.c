/* No motion: parent and child become one body. */
#include "model/joint_type.h"

const pki_joint_type pki_joint_fixed = {
    .name = "fixed",
    .doc = "no motion; the links become one body",
    .urdf = {"fixed"},
};
