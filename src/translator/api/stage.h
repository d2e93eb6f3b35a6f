// The numbers of specialization constants (lower::spec), for code that sets them; the reflection lists the same
// constants by name.
#pragma once

#include "lower/spec_constants.h"
