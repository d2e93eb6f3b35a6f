// The numbers of specialization constants (lower::spec), for code that sets them; the reflection lists the same
// constants by name.
#pragma once

#include "lower/state/spec_constants.h"
