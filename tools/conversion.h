// One shader file to what --emit asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/convert.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tools {

enum class Emit : uint8_t { Spv, SpvAsm, Ir, Tgsi, Reflect, Sampling };

/// What OUT's files are called: `.spv`, `.json`, …
const char* extension(Emit emit);

struct Settings {
    Emit emit = Emit::Spv;
    bool validate = false;
    bool json_diagnostics = false;
    uint32_t passthrough_vertices = 0;           ///< not 0: the pass-through TESS_CTRL of a TESS_EVAL shader instead
    std::optional<tgsi2spv_device_caps> device;  ///< what modules must keep to, beside `options.capabilities`
    tgsi2spv::api::Options options;
};

enum class Outcome : uint8_t { Done, Refused, Invalid };

struct Converted {
    Outcome outcome = Outcome::Done;
    std::string output;    ///< bytes of what was asked for; empty unless Done
    std::string messages;  ///< rendered diagnostics
};

/// `name`: of the file, for messages and debug lines. One context a thread.
Converted convert(tgsi2spv::api::Context& context, const std::string& name, const std::string& text,
                  const Settings& settings);

}  // namespace tools
