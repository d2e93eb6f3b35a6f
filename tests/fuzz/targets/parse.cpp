// Text to Program: an accepted text can be printed, and the print parses to the same program; a refused text has a
// reason and a place.
#include "tgsi/parse/parse.h"
#include "texts.h"
#include "tgsi/check/check.h"
#include "tgsi/prepare.h"
#include "tgsi/print.h"
#include "tgsi/text/diagnostic.h"
#include "tgsi2spv/log_shaders.h"

using namespace tgsi2spv;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    return fuzz::change_text(data, size, most, seed, 0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    (void)tools::shaders_of_log(text);
    tgsi::Program program, again;
    tgsi::Survey survey;
    std::vector<tgsi::Diagnostic> diagnostics;
    const tgsi::Limits limits;
    bool ok = tgsi::parse(text, limits, program, survey, diagnostics);
    if (ok) {
        const std::string printed = tgsi::print(program);
        std::vector<tgsi::Diagnostic> more;
        fuzz::require(tgsi::parse(printed, limits, again, more), "what is printed does not parse");
        fuzz::require(again == program, "what is printed is another program");
        tgsi::Registers registers;
        tgsi::prepare(program, survey, registers);
        ok = tgsi::check(program, registers, survey, limits, diagnostics);
        // Operands that check() made NULL leave index registers in the list: only the texts are the same.
        const std::string checked = tgsi::print(program);
        fuzz::require(!ok || (tgsi::parse(checked, limits, again, more) && tgsi::print(again) == checked),
                      "a checked program is printed as another one");
    }
    fuzz::require(ok || !diagnostics.empty(), "refused without a reason");
    for (const tgsi::Diagnostic& d : diagnostics) {
        fuzz::require(d.offset <= size && !d.message.empty(), "a diagnostic without a place or a text");
        fuzz::require(!tgsi::render(d, "f", text).empty() && !tgsi::render_json(d, "f", text).empty(), "no rendering");
    }
    return 0;
}
