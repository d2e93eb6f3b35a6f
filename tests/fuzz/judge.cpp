#include "judge.h"

#include <array>
#include <spirv-tools/libspirv.hpp>

#include "spirv/patch_locations.h"
#include "tgsi/check.h"
#include "tgsi/parse.h"
#include "tgsi/print.h"

namespace fuzz {

using namespace tgsi2spv;

struct Judge::State {
    api::Context context;
    tgsi::Program again;
    Tally tally;
    std::array<spvtools::SpirvTools, 4> validators{
        spvtools::SpirvTools(SPV_ENV_VULKAN_1_0), spvtools::SpirvTools(SPV_ENV_VULKAN_1_1_SPIRV_1_4),
        spvtools::SpirvTools(SPV_ENV_VULKAN_1_2), spvtools::SpirvTools(SPV_ENV_VULKAN_1_3)};
    std::string said;
};

namespace {

api::Options options_of(uint64_t variant) {
    api::Options options;
    options.emit.env = variant % 8 == 1   ? spirv::TargetEnv::Vulkan10
                       : variant % 8 == 2 ? spirv::TargetEnv::Vulkan11
                       : variant % 8 == 3 ? spirv::TargetEnv::Vulkan13
                                          : spirv::TargetEnv::Vulkan12;
    options.lower.exact = variant / 8 % 4 == 1;
    options.lower.io_buffers = variant / 32 % 4 == 1;
    options.lower.max_iterations = variant / 128 % 4 == 1 ? 1000 : 0;
    options.lower.dialect = static_cast<tgsi::Dialect>(variant / 512 % 4);
    options.emit.debug_names = options.emit.debug_lines = variant / 2048 % 8 == 1;
    options.optimise = variant / 16384 % 4 != 1;
    return options;
}

/// Returns the mistake in the diagnostics of a refused text: one without a message, with a place outside the text, of
/// an internal error or without a rendering, or no error at all. Empty if nothing is wrong.
std::string bad_diagnostic(const std::vector<tgsi::Diagnostic>& diagnostics, std::string_view text) {
    bool error = false;
    for (const tgsi::Diagnostic& d : diagnostics) {
        error |= d.severity == tgsi::Severity::Error;
        if (d.message.empty()) return "a diagnostic without a message";
        if (d.offset > text.size()) return "a diagnostic outside the text: " + d.message;
        if (d.code == "internal-error") return "internal error: " + d.message;
        if (tgsi::render(d, "f", text).empty() || tgsi::render_json(d, "f", text).empty()) return "an empty rendering";
    }
    return error ? std::string() : "refused without an error";
}

}  // namespace

Judge::Judge() : state_(new State) {
    for (spvtools::SpirvTools& v : state_->validators)
        v.SetMessageConsumer([this](spv_message_level_t, const char*, const spv_position_t&, const char* message) {
            state_->said += message;
        });
}
Judge::~Judge() {
    delete state_;
}
const Tally& Judge::tally() const {
    return state_->tally;
}

std::string Judge::judge(std::string_view text, uint64_t variant) {
    State& s = *state_;
    api::Context& c = s.context;
    ++s.tally.texts;
    const api::Options options = options_of(variant);
    if (!api::parse(c, text, options)) return bad_diagnostic(c.diagnostics, text);
    ++s.tally.parsed;

    std::vector<tgsi::Diagnostic> more;
    const std::string printed = tgsi::print(c.program);
    if (!tgsi::parse(printed, options.limits, s.again, more))
        return "the printed text does not parse: " + more[0].message + "\n" + printed;
    // The operands that check() made NULL leave index registers in the list, so the programs themselves differ.
    if (tgsi::print(s.again) != printed) return "the printed text is another program:\n" + printed;

    if (!api::lower(c, options) || !api::optimise(c, options) || !api::emit(c, options)) {
        const std::string bad = bad_diagnostic(c.diagnostics, text);
        for (const tgsi::Diagnostic& d : c.diagnostics)
            if (d.severity == tgsi::Severity::Error) ++s.tally.refusals[std::string(d.code.name())];
        return bad;
    }
    ++s.tally.converted;
    s.said.clear();
    if (!s.validators[static_cast<size_t>(options.emit.env)].Validate(spirv::with_patch_locations_apart(c.words)))
        return "spirv-val: " + s.said;
    return {};
}

}  // namespace fuzz
