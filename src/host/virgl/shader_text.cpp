#include "virgl/shader_text.h"

#include <algorithm>
#include <bit>

#include "virgl/decode.h"

namespace tgsi2spv::virgl {
namespace {

void begin(ShaderText& shader, const CreateShader& packet) {
    shader = {};
    shader.handle = packet.handle;
    shader.stage = packet.stage;
    shader.length = packet.length_or_offset;
    shader.shared_bytes = packet.shared_bytes;
    shader.so_strides = packet.so_strides;
    for (size_t i = 0; i < packet.so_outputs.size() / 2; i++) shader.so_outputs.push_back(stream_output(packet, i));
}

TextProblem append(ShaderText& shader, const CreateShader& packet) {
    // Words are little endian, and the last one may have bytes after the end of the text.
    static_assert(std::endian::native == std::endian::little);
    const size_t missing = shader.length - shader.bytes.size();
    if (packet.text.size() > (missing + 3) / 4) return TextProblem::TooLong;
    shader.bytes.append(reinterpret_cast<const char*>(packet.text.data()), std::min(missing, packet.text.size_bytes()));
    if (!shader.complete()) return TextProblem::None;
    // A zero in the middle ends the text, as it does for C.
    const size_t end = shader.bytes.find('\0');
    if (end == std::string::npos) return TextProblem::NotTerminated;
    shader.bytes.resize(end + 1);
    shader.length = static_cast<uint32_t>(end + 1);
    return TextProblem::None;
}

}  // namespace

TextProblem add_packet(ShaderText& shader, const CreateShader& packet) {
    TextProblem problem = TextProblem::None;
    if (packet.first)
        begin(shader, packet);
    else if (shader.handle != packet.handle || shader.stage != packet.stage || shader.complete())
        problem = TextProblem::NoFirst;
    else if (packet.length_or_offset != shader.bytes.size())
        problem = TextProblem::WrongOffset;
    if (problem == TextProblem::None) problem = append(shader, packet);
    if (problem != TextProblem::None) shader = {};
    return problem;
}

}  // namespace tgsi2spv::virgl
