// Joins the packets of a shader's text: long texts arrive in several, which may be in different buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "virgl/commands.h"

namespace tgsi2spv::virgl {

enum class TextProblem : uint8_t {
    None,
    NoFirst,        ///< a continuation without its first packet: another handle or stage, or nothing was begun
    WrongOffset,    ///< a continuation that does not continue
    TooLong,        ///< more text than was announced
    NotTerminated,  ///< the text does not end with a zero byte
};

/// A shader whose text is arriving. One for each sub-context.
struct ShaderText {
    uint32_t handle = 0;  ///< 0: nothing was begun
    Stage stage{};
    uint32_t length = 0;  ///< announced, bytes, with the zero
    uint32_t shared_bytes = 0;
    std::array<uint32_t, 4> so_strides{};
    std::vector<StreamOutput> so_outputs;
    std::string bytes;

    bool complete() const { return handle != 0 && bytes.size() == length; }
    /// The text without its zero byte; valid once complete.
    std::string_view text() const { return std::string_view(bytes).substr(0, bytes.size() - 1); }
};

/// Adds a packet. A first packet drops an unfinished text. After a problem, no text is pending.
TextProblem add_packet(ShaderText& shader, const CreateShader& packet);

}  // namespace tgsi2spv::virgl
