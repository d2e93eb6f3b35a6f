// Converts one shader file to the output of --emit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/convert.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tools {

enum class Emit : uint8_t { Spv, SpvAsm, Ir, Tgsi, Reflect, Sampling };

/// The extension of OUT's files: `.spv`, `.json`, …
const char* extension(Emit emit);

struct Settings {
    Emit emit = Emit::Spv;
    bool validate = false;
    bool json_diagnostics = false;
    uint32_t passthrough_vertices = 0;           ///< patch vertices of the pass-through TESS_CTRL to make; 0: none
    std::optional<tgsi2spv_device_caps> device;  ///< the device of the modules, besides `options.capabilities`
    tgsi2spv::api::Options options;
};

enum class Outcome : uint8_t { Done, Refused, Invalid };

struct Converted {
    Outcome outcome = Outcome::Done;
    std::string output;    ///< bytes of the output; empty unless Done
    std::string messages;  ///< rendered diagnostics
};

/// `name`: the file's name, for messages and debug lines. One context per thread.
Converted convert(tgsi2spv::api::Context& context, const std::string& name, const std::string& text,
                  const Settings& settings);

}  // namespace tools
