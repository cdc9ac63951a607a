/* Pronk: dynamics of legged robots. This header includes the whole public API. */
#ifndef PRONK_H
#define PRONK_H

#include "actuation.h"
#include "actuators.h"
#include "base_estimator.h"
#include "batch.h"
#include "builder.h"
#include "code.h"
#include "codegen.h"
#include "collision.h"
#include "contact.h"
#include "contact_file.h"
#include "control.h"
#include "convert.h"
#include "dynamics.h"
#include "energy.h"
#include "floquet.h"
#include "gait.h"
#include "heights.h"
#include "layout.h"
#include "lcp.h"
#include "legs.h"
#include "model.h"
#include "record.h"
#include "reduced.h"
#include "sensing.h"
#include "sensors.h"
#include "sim.h"
#include "status.h"
#include "terrain.h"

#endif
