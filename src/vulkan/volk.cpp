// The one translation unit that holds volk's code.
#define VOLK_IMPLEMENTATION
#include <volk.h>
