#include "sampling/message.h"
