// A command buffer to typed commands: for any words, the decoder ends, reads only its input, and continues after each
// command.
#include "virgl/decode.h"

#include <cstring>
#include <variant>
#include <vector>

#include "target.h"

using namespace tgsi2spv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // A copy of the exact size: a sanitizer sees reads beyond it.
    std::vector<uint32_t> words(size / 4);
    if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
    for (size_t at = 0; at < words.size();) {
        const size_t before = at;
        const auto command = virgl::decode_command(words, at);
        if (!command) {
            fuzz::require(!virgl::describe(command.error()).empty(), "refused without a reason");
            break;
        }
        fuzz::require(at > before && at <= words.size(), "a command without an end");
        if (const auto* shader = std::get_if<virgl::CreateShader>(&*command))
            for (size_t n = 0; n < shader->so_outputs.size() / 2; n++) (void)virgl::stream_output(*shader, n);
    }
    return 0;
}
