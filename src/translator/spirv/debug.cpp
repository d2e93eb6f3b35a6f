// Names and lines, on request.
#include <algorithm>

#include "spirv/emitter.h"

namespace tgsi2spv::spirv {

void Emitter::name(Id target, std::string_view text) {
    if (!options.debug_names || text.empty()) return;
    put_string(w.names, spv::Op::OpName, target, text.substr(0, kMaxStringBytes));
}

namespace {

/// The text, so that a debugger can show it without the file: a first piece and OpSourceContinued for those that
/// follow.
void put_source(Emitter& emitter, std::string_view text) {
    WordBuffer& out = emitter.w.names;
    const auto put_piece = [&](spv::Op op, std::initializer_list<uint32_t> operands) {
        const std::string_view piece = text.substr(0, kMaxStringBytes);
        const auto words = static_cast<uint32_t>(1 + operands.size() + piece.size() / 4 + 1);
        out.push(words << 16 | static_cast<uint32_t>(op));
        for (uint32_t word : operands) out.push(word);
        push_string(out, piece);
        text.remove_prefix(piece.size());
    };
    put_piece(spv::Op::OpSource, {static_cast<uint32_t>(spv::SourceLanguage::Unknown), 0, emitter.file_name});
    while (!text.empty()) put_piece(spv::Op::OpSourceContinued, {});
}

}  // namespace

void begin_lines(Emitter& emitter) {
    const std::string_view file = std::string_view(emitter.options.source_name).substr(0, kMaxStringBytes);
    emitter.file_name = emitter.new_id();
    // OpString comes before every OpName: this is the section's first instruction.
    put_string(emitter.w.names, spv::Op::OpString, emitter.file_name, file);
    const std::string_view text = emitter.options.source;
    put_source(emitter, text.substr(0, text.find('\0')));  // a string ends there
    emitter.w.line_starts.clear();
    emitter.w.line_starts.push_back(0);
    for (size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') emitter.w.line_starts.push_back(static_cast<uint32_t>(i + 1));
}

void emit_line(Emitter& emitter, uint32_t offset_plus_one) {
    const uint32_t offset = offset_plus_one - 1;
    const auto& starts = emitter.w.line_starts;
    const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
    const auto row = static_cast<uint32_t>(after - starts.begin());
    const uint32_t column = offset - *(after - 1) + 1;
    put(emitter.w.code, spv::Op::OpLine, {emitter.file_name, row, column});
    emitter.offset_plus_one = offset_plus_one;
}

}  // namespace tgsi2spv::spirv
