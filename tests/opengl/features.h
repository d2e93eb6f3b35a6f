// The functions of features.def.
#pragma once

#include "scene.h"

namespace scenes {

#define FEATURE(name, group, needs, excludes) void add_##name(Scene& scene);
#include "features.def"
#undef FEATURE

}  // namespace scenes
