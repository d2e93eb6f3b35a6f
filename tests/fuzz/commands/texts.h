// Shaders that streams bind: a few of every stage, and one for each form of texture and image access.
#pragma once

#include <string>
#include <vector>

#include "virgl/protocol.h"

namespace tgsi2spv::fuzz {

struct Text {
    virgl::Stage stage;
    std::string text;
};

/// No loop depends on the contents of memory, so every shader ends.
std::vector<Text> shader_texts();

}  // namespace tgsi2spv::fuzz
