// `MUL_SAT TEMP[0].xy, IN[0], -IMM[0].xxxx`, `TEX …, SAMP[0], 2D, IMM[1].xyz`, `IF TEMP[0].xxxx :5`.
#include <algorithm>
#include <charconv>
#include <utility>

#include "tgsi/formats.h"
#include "tgsi/names.h"
#include "tgsi/nearest.h"
#include "tgsi/parser.h"
#include "tgsi/words.h"

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
bool parse_opcode(Parser& s, std::string_view word, Instruction& i) {
    std::string_view stem = word;
    for (;;) {
        // A mnemonic may end like a suffix, so the whole word is tried first.
        if (const auto op = opcode_from_word(stem, s.end)) {
            i.op = *op;
            return true;
        }
        if (stem == kQueryOfLevelZero) {
            i.op = Opcode::TXQ;
            return true;
        }
        if (!i.saturate && ends_with(stem, "_SATNV")) {
            i.saturate = i.saturate_signed = true;
            stem.remove_suffix(6);
        } else if (!i.saturate && ends_with(stem, "_SAT")) {
            i.saturate = true;
            stem.remove_suffix(4);
        } else if (!i.precise && ends_with(stem, "_PRECISE")) {
            i.precise = true;
            stem.remove_suffix(8);
        } else {
            break;
        }
    }
    if (stage_from_name(word)) {
        s.p = s.end;  // the rest does not have this form
        return s.fail(s.offset(word.data()), word.size(), "second-shader",
                      "a second shader starts here, but a text may contain only one",
                      "use --extract to split a log into shaders");
    }
    File file{};
    if (file_of_word(word, s.end, file) && s.peek() == '[')
        return s.fail(s.offset(word.data()), word.size(), "stray-operand",
                      "expected a statement, found the operand " + quoted(word), "a ',' may be missing before it");
    Nearest nearest(stem);
    for (std::string_view keyword : {"DCL", "IMM", "PROPERTY"}) nearest.offer(keyword);
    nearest.offer(nearest_mnemonic(stem));
    return s.fail(s.offset(word.data()), word.size(), "unknown-opcode", "unknown opcode " + quoted(stem),
                  did_you_mean(nearest.word));
}

std::string count_of(int n, const char* one) {
    return (n == 0 ? "no" : std::to_string(n)) + " " + one + (n == 1 ? "" : "s");
}

/// Writes `ADD takes 1 destination and 2 sources`.
std::string operands_of(const OpcodeInfo& o, Opcode op) {
    const int least = min_sources(op), most = max_sources(op);
    std::string text = std::string(o.mnemonic) + " takes ";
    if (o.num_dst == 0 && most == 0) return text + "no operands";
    if (o.num_dst > 0) text += count_of(o.num_dst, "destination") + " and ";
    if (least != most) text += std::to_string(least) + " to ";
    return text + count_of(most, "source");
}

bool set_target(Parser& s, Instruction& i, const OpcodeInfo& o, Target target, std::string_view word) {
    const uint32_t at = s.offset(word.data());
    if (o.form == Form::plain || o.form == Form::branch)
        return s.fail(at, word.size(), "unexpected-target", std::string(o.mnemonic) + " takes no target");
    if (i.target != Target::None) return s.fail(at, word.size(), "repeated-target", "duplicate target " + quoted(word));
    i.target = target;
    return true;
}

/// Parses a target, a format or a memory qualifier. So far there were `count` operands; at least `least` are required.
bool parse_attribute(Parser& s, Instruction& i, const OpcodeInfo& o, int count, int least) {
    const std::string_view word = s.look_word();
    if (word.empty()) return s.fail_expected("missing-operand", "an operand after ','");
    const uint32_t at = s.here();
    if (const auto target = target_from_name(word)) {
        s.word();
        s.token_end = s.p;
        if (count < least && (o.form == Form::tex || o.form == Form::sample))
            return s.fail(at, word.size(), "operand-count",
                          "too few operands before the target: " + operands_of(o, i.op) + ", found " +
                              count_of(std::max(count - o.num_dst, 0), "source"));
        return set_target(s, i, o, *target, word);
    }
    if (word.size() > 12 && (fold<2>(word.substr(0, 12)) == fold<2>("PIPE_FORMAT_"))) {
        s.word();
        s.token_end = s.p;
        if (o.form != Form::memory && i.op != Opcode::IMG2HND)
            return s.fail(at, word.size(), "unexpected-format", std::string(o.mnemonic) + " takes no format");
        return parse_format(s, word, i.format);
    }
    if (const uint16_t bit = kQualifiers.find(word); bit != kQualifiers.kNone) {
        s.word();
        s.token_end = s.p;
        if (o.form != Form::memory)
            return s.fail(at, word.size(), "unexpected-qualifier",
                          std::string(o.mnemonic) + " takes no memory qualifier");
        i.qualifiers |= static_cast<uint8_t>(bit);
        return true;
    }
    // The word may be the next statement, after a surplus comma.
    if (s.line_ended()) return s.fail_expected("missing-operand", "an operand after ','");
    if (count < least || o.form == Form::plain || o.form == Form::branch) return fail_no_register(s);
    s.word();
    Nearest nearest(word);
    for (int t = 0; t < kTargetCount; ++t) nearest.offer(name(static_cast<Target>(t)));
    if (o.form == Form::memory) {
        for (std::string_view q2 : kQualifierWords) nearest.offer(q2);
        return s.fail(at, word.size(), "unknown-qualifier", "unknown qualifier or target " + quoted(word),
                      did_you_mean(nearest.word));
    }
    return s.fail(at, word.size(), "unknown-target", "unknown texture target " + quoted(word),
                  did_you_mean(nearest.word));
}

/// Parses operands, targets, formats, qualifiers and offsets, with the commas between. `without_level`: the first
/// source is not written (kQueryOfLevelZero).
bool parse_operands(Parser& s, Instruction& i, const OpcodeInfo& o, bool without_level) {
    const int most = o.num_dst + max_sources(i.op);
    const int least = o.num_dst + min_sources(i.op);
    int count = 0;
    // An opcode that may have no operands must not take the next statement for one.
    bool more = least > 0 || (most > 0 && starts_optional_register(s));
    while (more) {
        if (without_level && count == o.num_dst) {
            s.program.operands.push_back({.file = File::Null, .swizzle_letters = 0, .position = s.here()});
            ++count;
        }
        s.skip();
        if (starts_register(s)) {
            const bool is_offset = count == most || (count >= least && i.target != Target::None);
            // Semantics, Operand counts: texture offsets always follow the target.
            if (is_offset && i.target == Target::None && o.form == Form::tex)
                return s.fail(s.here(), s.look_word().size(), "operand-count", "too many operands before the target",
                              operands_of(o, i.op));
            if (is_offset && ((o.form != Form::tex && o.form != Form::sample) || i.num_offsets == kMaxOffsets)) {
                if (o.form == Form::tex || o.form == Form::sample)
                    return s.fail(s.here(), 1, "too-many-offsets", "more than four texture offsets");
                return s.fail(s.here(), s.look_word().size(), "operand-count", "too many operands",
                              operands_of(o, i.op));
            }
            Operand& operand = s.program.operands.emplace_back();
            if (!parse_operand(s, count < o.num_dst, operand)) return false;
            if (is_offset)
                ++i.num_offsets;
            else
                ++count;
        } else if (count == 0) {
            return fail_no_register(s);
        } else if (!parse_attribute(s, i, o, count, least)) {
            return false;
        }
        more = s.take(',');
    }
    if (count < least) {
        // `MOV TEMP[0] TEMP[1]`: the comma is missing.
        const char* before = s.token_end;
        bool same_line = starts_register(s);
        for (const char* q = before; q < s.p; ++q) same_line &= *q != '\n';
        if (same_line && count > 0)
            return s.fail(s.here(), std::max<size_t>(s.look_word().size(), 1), "missing-comma",
                          "expected ',' between operands");
        const int sources = std::max(count - o.num_dst, 0);
        return s.fail(s.offset(before), 0, "operand-count",
                      "too few operands: " + operands_of(o, i.op) + ", found " + count_of(sources, "source"));
    }
    i.num_dst = o.num_dst;
    i.num_src = static_cast<uint8_t>(count - o.num_dst);
    return true;
}

/// Parses `:12`.
bool parse_branch_label(Parser& s, Instruction& i, const OpcodeInfo& o) {
    const uint32_t colon = s.here() - 1;
    if (o.family != Family::flow)
        return s.fail(colon, 1, "unexpected-label", std::string(o.mnemonic) + " takes no label");
    int32_t value = 0;
    if (!parse_number(s, "label", value)) return false;
    i.label = static_cast<uint32_t>(value);
    i.has_label = true;
    return true;
}

}  // namespace

bool parse_format(Parser& s, std::string_view word, uint16_t& format) {
    if (const auto found = format_from_name(word)) {
        format = *found;
        return true;
    }
    const bool exists = is_format_name(word.substr(12));
    Nearest nearest(word.substr(12));
    for (uint16_t f = 0; f < format_count(); ++f) nearest.offer(format_info(f).name);
    return s.fail(s.offset(word.data()), word.size(), exists ? Code("unsupported-format") : Code("unknown-format"),
                  exists ? "format " + quoted(word) + " is not supported" : "unknown format " + quoted(word),
                  nearest.word.empty() ? std::string() : did_you_mean("PIPE_FORMAT_" + std::string(nearest.word)));
}

void name_load(Program& program, Instruction& i) {
    if (i.op != Opcode::LOAD || i.target != Target::None || i.format != 0) return;
    Operand& o = program.operands[i.first_operand + i.num_dst];
    constexpr FileSet kViews = file_set({File::Resource, File::SamplerView});
    if (contains(kViews, program.srcs(i)[1].file) && contains(kReadable, o.file)) {
        i.op = Opcode::SAMPLE_I;
        return;
    }
    if (o.file != File::Const || !o.has_dim || o.index_is_relative || o.index != 0) return;
    o.file = File::ConstBuf;
    o.index = std::exchange(o.dim, 0);
    o.index_is_relative = std::exchange(o.dim_is_relative, false);
    o.array_id = std::exchange(o.dim_array_id, uint16_t{0});
    o.has_dim = false;
}

bool parse_instruction(Parser& s, std::string_view word, const Operand* predicate, bool inverted) {
    Program& program = s.program;
    Instruction i;
    i.position = s.offset(word.data());
    i.first_operand = static_cast<uint32_t>(program.operands.size());
    const size_t relatives = program.relatives.size();
    const auto drop = [&] {
        program.operands.resize(i.first_operand);
        program.relatives.resize(relatives);
        return false;
    };
    if (!parse_opcode(s, word, i)) return false;
    if (program.instructions.size() >= s.limits.instructions) {
        s.fail(i.position, word.size(), "instruction-limit",
               "more instructions than the limit of " + std::to_string(s.limits.instructions));
        s.stop = true;
        return false;
    }
    const OpcodeInfo& o = info(i.op);
    if (!parse_operands(s, i, o, word == kQueryOfLevelZero)) return drop();
    if (o.num_dst == 0 && max_sources(i.op) == 0 && starts_optional_register(s) && !s.line_ended()) {
        s.fail(s.here(), s.look_word().size(), "operand-count", "too many operands", operands_of(o, i.op));
        return drop();
    }
    s.skip();
    if (s.peek() == ':') {
        s.token_end = ++s.p;
        if (!parse_branch_label(s, i, o)) return drop();
        s.skip();
    }
    if (s.peek() == ',') {
        s.fail(s.here(), 1, "operand-count", "too many operands", operands_of(o, i.op));
        return drop();
    }
    if (predicate != nullptr) {
        i.has_predicate = true;
        i.predicate_inverted = inverted;
        program.operands.push_back(*predicate);
    }
    name_load(program, i);
    const auto n = static_cast<uint32_t>(program.instructions.size());
    s.survey.others.push_back(n);
    if (o.family == Family::flow) s.survey.flow.push_back(n);
    program.instructions.push_back(i);
    return true;
}

}  // namespace tgsi2spv::tgsi
