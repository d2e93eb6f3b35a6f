#include "api/listing.h"

#include "sampling/message.h"
#include "tgsi/print.h"

namespace tgsi2spv::api {

std::string list_messages(const tgsi::Program& program) {
    sampling::Views views;
    sampling::gather_views(program, views);
    std::string out;
    for (size_t n = 0; n < program.instructions.size(); ++n) {
        const tgsi::Instruction& i = program.instructions[n];
        if (tgsi::info(i.op).family != tgsi::Family::texture) continue;
        // Handles are values, not messages.
        if (i.op == tgsi::Opcode::SAMP2HND || i.op == tgsi::Opcode::IMG2HND) continue;
        out += std::to_string(n) + ": " + tgsi::print(program, i) + "\n    ";
        sampling::Refusal refusal;
        const auto message = sampling::message_of(program, views, i, refusal);
        out += message ? sampling::print(*message) : "no message: " + refusal.reason;
        out += '\n';
    }
    return out;
}

}  // namespace tgsi2spv::api
