// The numbers of specialization constants (lower::spec), for who sets them; the same are named in the reflection.
#pragma once

#include "lower/locations.h"
