// What a caller of `io=buffers` must know of a stage beside the reflection: arrays over vertices, records of vertices,
// and the numbers of specialization constants.
#pragma once

#include "lower/locations.h"
#include "lower/stage.h"
