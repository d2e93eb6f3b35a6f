#include "api/convert.h"
