#include "spirv/layout.h"
