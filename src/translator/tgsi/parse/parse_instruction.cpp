// `MUL_SAT TEMP[0].xy, IN[0], -IMM[0].xxxx`, `TEX …, SAMP[0], 2D, IMM[1].xyz`, `IF TEMP[0].xxxx :5`.
#include <algorithm>
#include <charconv>
#include <utility>

#include "tgsi/parse/parser.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/nearest.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

constexpr int kMaxOffsets = 4;

constexpr WordTable<3, 4, 8> kQualifiers({{{"COHERENT", qualifier::kCoherent},
                                           {"RESTRICT", qualifier::kRestrict},
                                           {"VOLATILE", qualifier::kVolatile},
                                           {"STREAM_CACHE_POLICY", qualifier::kStreamCachePolicy}}});
constexpr std::string_view kQualifierWords[] = {"COHERENT", "RESTRICT", "VOLATILE", "STREAM_CACHE_POLICY"};

/// TXQ without a level, of Mesa 17 to 20: the level is 0.
constexpr std::string_view kQueryOfLevelZero = "TXQ_LZ";

bool ends_with(std::string_view word, std::string_view suffix) {
    if (word.size() <= suffix.size()) return false;
    const std::string_view tail = word.substr(word.size() - suffix.size());
    return fold<1>(tail) == fold<1>(suffix);
}

/// Parses the opcode of a word with its suffixes.
bool parse_opcode(Parser& parser, std::string_view word, Instruction& instruction) {
    std::string_view stem = word;
    for (;;) {
        // A mnemonic may end like a suffix, so the whole word is tried first.
        if (const auto op = opcode_from_word(stem, parser.end)) {
            instruction.op = *op;
            return true;
        }
        if (stem == kQueryOfLevelZero) {
            instruction.op = Opcode::TXQ;
            return true;
        }
        if (!instruction.saturate && ends_with(stem, "_SATNV")) {
            instruction.saturate = instruction.saturate_signed = true;
            stem.remove_suffix(6);
        } else if (!instruction.saturate && ends_with(stem, "_SAT")) {
            instruction.saturate = true;
            stem.remove_suffix(4);
        } else if (!instruction.precise && ends_with(stem, "_PRECISE")) {
            instruction.precise = true;
            stem.remove_suffix(8);
        } else {
            break;
        }
    }
    if (stage_from_name(word)) {
        parser.p = parser.end;  // the rest does not have this form
        return parser.fail(parser.offset(word.data()), word.size(), "second-shader",
                           "a second shader starts here, but a text may contain only one",
                           "use --extract to split a log into shaders");
    }
    File file{};
    if (file_of_word(word, parser.end, file) && parser.peek() == '[')
        return parser.fail(parser.offset(word.data()), word.size(), "stray-operand",
                           "expected a statement, found the operand " + quoted(word), "a ',' may be missing before it");
    Nearest nearest(stem);
    for (std::string_view keyword : {"DCL", "IMM", "PROPERTY"}) nearest.offer(keyword);
    nearest.offer(nearest_mnemonic(stem));
    return parser.fail(parser.offset(word.data()), word.size(), "unknown-opcode", "unknown opcode " + quoted(stem),
                       did_you_mean(nearest.word));
}

std::string count_of(int n, const char* one) {
    return (n == 0 ? "no" : std::to_string(n)) + " " + one + (n == 1 ? "" : "s");
}

/// Writes `ADD takes 1 destination and 2 sources`.
std::string operands_of(const OpcodeInfo& info, Opcode op) {
    const int least = min_sources(op), most = max_sources(op);
    std::string text = std::string(info.mnemonic) + " takes ";
    if (info.num_dst == 0 && most == 0) return text + "no operands";
    if (info.num_dst > 0) text += count_of(info.num_dst, "destination") + " and ";
    if (least != most) text += std::to_string(least) + " to ";
    return text + count_of(most, "source");
}

bool set_target(Parser& parser, Instruction& instruction, const OpcodeInfo& info, Target target,
                std::string_view word) {
    const uint32_t at = parser.offset(word.data());
    if (info.form == Form::plain || info.form == Form::branch)
        return parser.fail(at, word.size(), "unexpected-target", std::string(info.mnemonic) + " takes no target");
    if (instruction.target != Target::None)
        return parser.fail(at, word.size(), "repeated-target", "duplicate target " + quoted(word));
    instruction.target = target;
    return true;
}

/// Parses a target, a format or a memory qualifier. So far there were `count` operands; at least `least` are required.
bool parse_attribute(Parser& parser, Instruction& instruction, const OpcodeInfo& info, int count, int least) {
    const std::string_view word = parser.look_word();
    if (word.empty()) return parser.fail_expected("missing-operand", "an operand after ','");
    const uint32_t at = parser.here();
    if (const auto target = target_from_name(word)) {
        parser.word();
        parser.token_end = parser.p;
        if (count < least && (info.form == Form::tex || info.form == Form::sample))
            return parser.fail(at, word.size(), "operand-count",
                               "too few operands before the target: " + operands_of(info, instruction.op) + ", found " +
                                   count_of(std::max(count - info.num_dst, 0), "source"));
        return set_target(parser, instruction, info, *target, word);
    }
    if (word.size() > 12 && (fold<2>(word.substr(0, 12)) == fold<2>("PIPE_FORMAT_"))) {
        parser.word();
        parser.token_end = parser.p;
        if (info.form != Form::memory && instruction.op != Opcode::IMG2HND)
            return parser.fail(at, word.size(), "unexpected-format", std::string(info.mnemonic) + " takes no format");
        return parse_format(parser, word, instruction.format);
    }
    if (const uint16_t bit = kQualifiers.find(word); bit != kQualifiers.kNone) {
        parser.word();
        parser.token_end = parser.p;
        if (info.form != Form::memory)
            return parser.fail(at, word.size(), "unexpected-qualifier",
                               std::string(info.mnemonic) + " takes no memory qualifier");
        instruction.qualifiers |= static_cast<uint8_t>(bit);
        return true;
    }
    // The word may be the next statement, after a surplus comma.
    if (parser.line_ended()) return parser.fail_expected("missing-operand", "an operand after ','");
    if (count < least || info.form == Form::plain || info.form == Form::branch) return fail_no_register(parser);
    parser.word();
    Nearest nearest(word);
    for (int t = 0; t < kTargetCount; ++t) nearest.offer(name(static_cast<Target>(t)));
    if (info.form == Form::memory) {
        for (std::string_view q2 : kQualifierWords) nearest.offer(q2);
        return parser.fail(at, word.size(), "unknown-qualifier", "unknown qualifier or target " + quoted(word),
                           did_you_mean(nearest.word));
    }
    return parser.fail(at, word.size(), "unknown-target", "unknown texture target " + quoted(word),
                       did_you_mean(nearest.word));
}

/// Parses operands, targets, formats, qualifiers and offsets, with the commas between. `without_level`: the first
/// source is not written (kQueryOfLevelZero).
bool parse_operands(Parser& parser, Instruction& instruction, const OpcodeInfo& info, bool without_level) {
    const int most = info.num_dst + max_sources(instruction.op);
    const int least = info.num_dst + min_sources(instruction.op);
    int count = 0;
    // An opcode that may have no operands must not take the next statement for one.
    bool more = least > 0 || (most > 0 && starts_optional_register(parser));
    while (more) {
        if (without_level && count == info.num_dst) {
            parser.program.operands.push_back({.file = File::Null, .swizzle_letters = 0, .position = parser.here()});
            ++count;
        }
        parser.skip();
        if (starts_register(parser)) {
            const bool is_offset = count == most || (count >= least && instruction.target != Target::None);
            // Semantics, Operand counts: texture offsets always follow the target.
            if (is_offset && instruction.target == Target::None && info.form == Form::tex)
                return parser.fail(parser.here(), parser.look_word().size(), "operand-count",
                                   "too many operands before the target", operands_of(info, instruction.op));
            if (is_offset &&
                ((info.form != Form::tex && info.form != Form::sample) || instruction.num_offsets == kMaxOffsets)) {
                if (info.form == Form::tex || info.form == Form::sample)
                    return parser.fail(parser.here(), 1, "too-many-offsets", "more than four texture offsets");
                return parser.fail(parser.here(), parser.look_word().size(), "operand-count", "too many operands",
                                   operands_of(info, instruction.op));
            }
            Operand& operand = parser.program.operands.emplace_back();
            if (!parse_operand(parser, count < info.num_dst, operand)) return false;
            if (is_offset)
                ++instruction.num_offsets;
            else
                ++count;
        } else if (count == 0) {
            return fail_no_register(parser);
        } else if (!parse_attribute(parser, instruction, info, count, least)) {
            return false;
        }
        more = parser.take(',');
    }
    if (count < least) {
        // `MOV TEMP[0] TEMP[1]`: the comma is missing.
        const char* before = parser.token_end;
        bool same_line = starts_register(parser);
        for (const char* q = before; q < parser.p; ++q) same_line &= *q != '\n';
        if (same_line && count > 0)
            return parser.fail(parser.here(), std::max<size_t>(parser.look_word().size(), 1), "missing-comma",
                               "expected ',' between operands");
        const int sources = std::max(count - info.num_dst, 0);
        return parser.fail(
            parser.offset(before), 0, "operand-count",
            "too few operands: " + operands_of(info, instruction.op) + ", found " + count_of(sources, "source"));
    }
    instruction.num_dst = info.num_dst;
    instruction.num_src = static_cast<uint8_t>(count - info.num_dst);
    return true;
}

/// Parses `:12`.
bool parse_branch_label(Parser& parser, Instruction& instruction, const OpcodeInfo& info) {
    const uint32_t colon = parser.here() - 1;
    if (info.family != Family::flow)
        return parser.fail(colon, 1, "unexpected-label", std::string(info.mnemonic) + " takes no label");
    int32_t value = 0;
    if (!parse_number(parser, "label", value)) return false;
    instruction.label = static_cast<uint32_t>(value);
    instruction.has_label = true;
    return true;
}

/// Records the register that an operand names; false if a simple instruction cannot have it.
bool note_operand(Parser& parser, const Operand& operand, FileSet files) {
    const bool is_direct = !operand.index_is_relative && !operand.dim_is_relative && operand.index >= 0 &&
                           operand.array_id == 0 && operand.dim_array_id == 0;
    if (!is_direct || !contains(files, operand.file)) return false;
    const int space = Survey::space_of(operand);
    if (space < 0 || static_cast<uint32_t>(operand.dim) >= parser.most_registers()) return false;
    parser.survey.beyond_files |= space >= kFileCount;
    parser.survey.used[static_cast<size_t>(space)].add(operand.index);
    return true;
}

/// Records the registers of an instruction that is simple (Survey); false if it is not.
bool note_simple(Parser& parser, const Instruction& i, const OpcodeInfo& o) {
    constexpr FileSet kNull = file_set({File::Null});
    const bool takes_values = o.family != Family::texture && o.family != Family::memory && o.family != Family::io;
    const bool is_fixed = o.min_src == o.max_src && i.num_src == o.num_src && i.num_offsets == 0;
    const bool has_stage = (o.stages >> static_cast<int>(parser.program.stage) & 1) != 0;
    if (!takes_values || !is_fixed || !has_stage || i.has_predicate || (i.saturate && !o.can_saturate)) return false;
    bool is_simple = true;
    for (const Operand& d : parser.program.dsts(i)) is_simple &= note_operand(parser, d, kWritable & ~kNull);
    for (const Operand& s : parser.program.srcs(i)) is_simple &= note_operand(parser, s, kReadable & ~kNull);
    return is_simple;
}

}  // namespace

bool parse_format(Parser& parser, std::string_view word, uint16_t& format) {
    if (const auto found = format_from_name(word)) {
        format = *found;
        return true;
    }
    const bool exists = is_format_name(word.substr(12));
    Nearest nearest(word.substr(12));
    for (uint16_t f = 0; f < format_count(); ++f) nearest.offer(format_info(f).name);
    return parser.fail(parser.offset(word.data()), word.size(),
                       exists ? Code("unsupported-format") : Code("unknown-format"),
                       exists ? "format " + quoted(word) + " is not supported" : "unknown format " + quoted(word),
                       nearest.word.empty() ? std::string() : did_you_mean("PIPE_FORMAT_" + std::string(nearest.word)));
}

void name_load(Program& program, Instruction& instruction) {
    if (instruction.op != Opcode::LOAD || instruction.target != Target::None || instruction.format != 0) return;
    Operand& o = program.operands[instruction.first_operand + instruction.num_dst];
    constexpr FileSet kViews = file_set({File::Resource, File::SamplerView});
    if (contains(kViews, program.srcs(instruction)[1].file) && contains(kReadable, o.file)) {
        instruction.op = Opcode::SAMPLE_I;
        return;
    }
    if (o.file != File::Const || !o.has_dim || o.index_is_relative || o.index != 0) return;
    o.file = File::ConstBuf;
    o.index = std::exchange(o.dim, 0);
    o.index_is_relative = std::exchange(o.dim_is_relative, false);
    o.array_id = std::exchange(o.dim_array_id, uint16_t{0});
    o.has_dim = false;
}

bool parse_instruction(Parser& parser, std::string_view word, const Operand* predicate, bool inverted) {
    Program& program = parser.program;
    Instruction i;
    i.position = parser.offset(word.data());
    i.first_operand = static_cast<uint32_t>(program.operands.size());
    const size_t relatives = program.relatives.size();
    const auto drop = [&] {
        program.operands.resize(i.first_operand);
        program.relatives.resize(relatives);
        return false;
    };
    if (!parse_opcode(parser, word, i)) return false;
    if (program.instructions.size() >= parser.limits.instructions) {
        parser.fail(i.position, word.size(), "instruction-limit",
                    "more instructions than the limit of " + std::to_string(parser.limits.instructions));
        parser.stop = true;
        return false;
    }
    const OpcodeInfo& o = info(i.op);
    if (!parse_operands(parser, i, o, word == kQueryOfLevelZero)) return drop();
    if (o.num_dst == 0 && max_sources(i.op) == 0 && starts_optional_register(parser) && !parser.line_ended()) {
        parser.fail(parser.here(), parser.look_word().size(), "operand-count", "too many operands",
                    operands_of(o, i.op));
        return drop();
    }
    parser.skip();
    if (parser.peek() == ':') {
        parser.token_end = ++parser.p;
        if (!parse_branch_label(parser, i, o)) return drop();
        parser.skip();
    }
    if (parser.peek() == ',') {
        parser.fail(parser.here(), 1, "operand-count", "too many operands", operands_of(o, i.op));
        return drop();
    }
    if (predicate != nullptr) {
        i.has_predicate = true;
        i.predicate_inverted = inverted;
        program.operands.push_back(*predicate);
    }
    name_load(program, i);
    const auto n = static_cast<uint32_t>(program.instructions.size());
    if (!note_simple(parser, i, o)) parser.survey.others.push_back(n);
    if (o.family == Family::flow) parser.survey.flow.push_back(n);
    program.instructions.push_back(i);
    return true;
}

}  // namespace tgsi2spv::tgsi
