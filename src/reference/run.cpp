#include "reference/run.h"
