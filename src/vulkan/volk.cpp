// The translation unit that contains volk's implementation.
#define VOLK_IMPLEMENTATION
#include <volk.h>
