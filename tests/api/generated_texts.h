// Random texts around one instruction or one pipeline. Most operands fit, some do not: whether a text is refused
// depends on its contents and on the options.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/random.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv {

/// A shader with `op` on a texture of this target, whose view returns this type ("FLOAT"), and perhaps with other
/// texture instructions.
std::string texture_text(difftest::Random& random, tgsi::Opcode op, tgsi::Target target, std::string_view type);

/// The operands of memory instructions: registers, the resources of old compute texts, and handles.
inline constexpr std::string_view kMemories[] = {"BUFFER", "IMAGE",   "MEMORY", "HWATOMIC", "CONSTBUF", "RES",
                                                 "handle", "RGLOBAL", "RLOCAL", "RPRIVATE", "RINPUT"};
/// A shader with `op` on one of kMemories, and perhaps with other memory instructions, in flow.
std::string memory_text(difftest::Random& random, tgsi::Opcode op, std::string_view memory);

/// The texts of a pipeline's stages, in pipeline order. Each reads some outputs of the stage before, and others.
std::vector<std::string> pipeline_texts(difftest::Random& random);

/// Adds lines to a text. Draws are statements of their own, never operands or arguments: random.h has the reason.
struct TextWriter {
    difftest::Random& random;
    std::string text{};

    bool chance(uint32_t one_in) { return random.below(one_in) == 0; }
    template <class List>
    std::string any(const List& words) {
        return std::string(words[random.below(std::size(words))]);
    }
    void line(std::string_view words) { (text += words) += '\n'; }
    template <class First, class... Rest>
    void line(fmt::format_string<const First&, const Rest&...> words, const First& first, const Rest&... rest) {
        line(fmt::format(words, first, rest...));
    }
};

}  // namespace tgsi2spv
