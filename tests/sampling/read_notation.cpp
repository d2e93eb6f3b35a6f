#include "sampling/read_notation.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "sampling/ops.h"
#include "tgsi/names.h"

namespace tgsi2spv::sampling {
namespace {

using tgsi::Target;

bool is_separator(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\n' || c == '\r' || c == '\0';
}

std::string lower(std::string_view word) {
    std::string s(word);
    for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
}

/// The words between blanks and commas, one after another.
struct Words {
    std::string_view rest;

    std::string_view peek() {
        while (!rest.empty() && is_separator(rest.front())) rest.remove_prefix(1);
        size_t n = 0;
        while (n < rest.size() && !is_separator(rest[n])) ++n;
        return rest.substr(0, n);
    }
    std::string_view take() {
        const std::string_view word = peek();
        rest.remove_prefix(word.size());
        return word;
    }
};

/// The parts of a word between its dots.
struct Pieces {
    std::string_view rest;

    bool done() const { return rest.empty(); }
    std::string_view take() {
        const size_t dot = std::min(rest.find('.'), rest.size());
        const std::string_view piece = rest.substr(0, dot);
        rest.remove_prefix(std::min(dot + 1, rest.size()));
        return piece;
    }
};

/// Decimal or hexadecimal, with or without `#` before it.
std::optional<uint32_t> number(std::string_view word) {
    if (word.starts_with('#')) word.remove_prefix(1);
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    if (hex) word.remove_prefix(2);
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

/// A register or variable: one letter, then a number.
bool is_register(std::string_view word, char letter) {
    return word.size() > 1 && std::toupper(static_cast<unsigned char>(word[0])) == letter &&
           std::isdigit(static_cast<unsigned char>(word[1])) != 0;
}

/// The index of a variable, a byte; -1: not a variable.
int32_t variable(std::string_view word, char letter) {
    if (!is_register(word, letter)) return -1;
    const auto index = number(word.substr(1));
    return index && *index <= 0xff ? static_cast<int32_t>(*index) : -1;
}

std::nullopt_t refuse(std::string& reason, std::string why) {
    reason = std::move(why);
    return std::nullopt;
}

// ---- TLD4

struct Shape {
    std::string_view name;
    Target plain, shadow;
};
constexpr Shape kShapes[] = {{"2D", Target::T2D, Target::Shadow2D},
                             {"CUBE", Target::Cube, Target::ShadowCube},
                             {"ARRAY_2D", Target::T2DArray, Target::Shadow2DArray},
                             {"ARRAY_CUBE", Target::CubeArray, Target::ShadowCubeArray}};

/// `TLD4.comp{.B}{.toff}{.DC}{.NDV}{.NODEP}{.phase}`, in this order: .B after the component means bindless.
bool read_tld4_name(std::string_view word, Message& message, bool& compares, std::string& reason) {
    Pieces pieces{word};
    if (lower(pieces.take()) != "tld4") return refuse(reason, "expected TLD4"), false;
    const std::string component = lower(pieces.take());
    const size_t which = component.size() == 1 ? std::string_view("rgba").find(component[0]) : std::string_view::npos;
    if (which == std::string_view::npos)
        return refuse(reason, "expected the component of TLD4: .R, .G, .B or .A"), false;
    message.immediate_component = static_cast<int8_t>(which);
    while (!pieces.done()) {
        const std::string piece = lower(pieces.take());
        if (piece == "b")
            message.bindless = message.separate = true;
        else if ((piece == "aoffi" || piece == "ptp") && message.offsets != Offsets::None)
            return refuse(reason, "a gather has one .toff: .AOFFI or .PTP"), false;
        else if (piece == "aoffi")
            message.offsets = Offsets::Aoffi;
        else if (piece == "ptp")
            message.offsets = Offsets::Ptp;
        else if (piece == "dc")
            compares = true;
        else if (piece != "ndv" && piece != "nodep" && piece != "t" && piece != "p")
            return refuse(reason, "the TLD4 page has no '." + piece + "'"), false;
    }
    return true;
}

// ---- 3D_SAMPLE

Target with_comparison(Target target) {
    switch (target) {
        case Target::T1D:
            return Target::Shadow1D;
        case Target::T2D:
            return Target::Shadow2D;
        case Target::Rect:
            return Target::ShadowRect;
        case Target::Cube:
            return Target::ShadowCube;
        case Target::T1DArray:
            return Target::Shadow1DArray;
        case Target::T2DArray:
            return Target::Shadow2DArray;
        case Target::CubeArray:
            return Target::ShadowCubeArray;
        default:
            return Target::None;
    }
}

bool read_channels(const std::string& piece, uint8_t& mask) {
    mask = 0;
    for (const char c : piece) {
        const size_t which = std::string_view("rgba").find(c);
        if (which == std::string_view::npos || mask >> which != 0) return false;
        mask |= static_cast<uint8_t>(1u << which);
    }
    return mask != 0;
}

/// `NAME[.pixel_null_mask][.cps][.divS][.divS].Channels`
bool read_sample_name(std::string_view word, Message& message, std::string& reason) {
    Pieces pieces{word};
    const std::string name = lower(pieces.take());
    const auto* row = std::find_if(std::begin(kSampleOps), std::end(kSampleOps), [&](const SampleOpInfo& o) {
        return lower(o.name) == name || (o.op == SampleOp::sample && name == "sample_3d");
    });
    if (row == std::end(kSampleOps)) return refuse(reason, "the 3D_SAMPLE page has no operation '" + name + "'"), false;
    message.sample = row->op;
    bool channels = false;
    while (!pieces.done()) {
        const std::string piece = lower(pieces.take());
        if (piece == "pixel_null_mask")
            message.sparse = true;
        else if (piece == "cps")
            message.cps_compensation = true;
        else if (piece == "divs")
            (message.non_uniform ? message.non_uniform_surface : message.non_uniform) = true;
        else if (!(channels = read_channels(piece, message.channel_mask)) || !pieces.done())
            return refuse(reason, "the 3D_SAMPLE page has no '." + piece + "'"), false;
    }
    if (!channels) return refuse(reason, "at least one channel must be enabled"), false;
    if (message.non_uniform) message.separate = true;
    return true;
}

/// R[3:0] V[7:4] U[11:8], each −8 to 7; bits 15 to 12 are zero.
bool read_aoffimmi(std::string_view word, Message& message) {
    const auto value = number(word.substr(0, word.find(':')));
    if (!value || *value > 0xfff) return false;
    if (*value == 0) return true;
    message.offsets = Offsets::Aoffi;
    message.offsets_are_immediate = true;
    for (int axis = 0; axis < message.surface.offsets; ++axis) {
        const auto field = static_cast<int32_t>(*value >> (8 - 4 * axis) & 0xf);
        message.immediate_offsets[0][axis] = field >= 8 ? field - 16 : field;
    }
    return true;
}

/// The type after the colon of an operand; empty if none is written.
std::string type_of(std::string_view word) {
    const size_t colon = word.find(':');
    return colon == std::string_view::npos ? "" : lower(word.substr(colon + 1));
}

bool read_result(std::string_view word, Message& message) {
    const std::string type = type_of(word);
    message.result = type == "hf"   ? ResultType::Half
                     : type == "w"  ? ResultType::Int16
                     : type == "uw" ? ResultType::Uint16
                                    : ResultType::Word;
    return message.result != ResultType::Word || type.empty() || type == "f" || type == "d" || type == "ud";
}

}  // namespace

std::optional<Call> parse_tld4(std::string_view line, std::string& reason) {
    Words words{line};
    if (words.peek().starts_with('@')) words.take();
    Call call;
    Message& m = call.message;
    m.cls = Class::Tld4;
    bool with_reference = false;
    if (!read_tld4_name(words.take(), m, with_reference, reason)) return std::nullopt;
    if (is_register(words.peek(), 'P')) words.take(), m.sparse = true;
    if (!is_register(words.take(), 'R')) return refuse(reason, "expected Rd");
    if (!is_register(words.take(), 'R')) return refuse(reason, "expected Ra");
    const bool has_rb = is_register(words.peek(), 'R');
    if (has_rb) words.take();
    const bool needs_rb = m.bindless || m.offsets != Offsets::None || with_reference;
    if (has_rb != needs_rb) return refuse(reason, needs_rb ? "expected Rb" : "unexpected Rb: nothing is read from it");
    const auto first = number(words.take());
    if (!first) return refuse(reason, "expected the index of texture and sampler");
    call.texture = call.sampler = static_cast<int32_t>(*first);
    if (const auto second = number(words.peek())) {
        words.take();
        m.separate = true;
        call.sampler = static_cast<int32_t>(*second);
        if (*first > 0xff || *second > 0x1f) return refuse(reason, "#tid has eight bits and #smp five");
    } else if (*first > 0x1fff) {
        return refuse(reason, "#tsPtrIdx has 13 bits");
    }
    const std::string_view shape = words.take();
    const auto* row =
        std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& s) { return s.name == shape; });
    if (row == std::end(kShapes)) return refuse(reason, "expected 2D, CUBE, ARRAY_2D or ARRAY_CUBE as #paramA");
    call.target = with_reference ? row->shadow : row->plain;
    m.surface = surface(call.target);
    if (const auto mask = number(words.peek())) {
        words.take();
        if (*mask > 0xf) return refuse(reason, "#wmsk has four bits");
        m.channel_mask = static_cast<uint8_t>(*mask);
    }
    for (std::string_view word = words.take(); !word.empty(); word = words.take())
        if (word[0] != '&' && word[0] != '?' && !word.starts_with("{&"))
            return refuse(reason, "unexpected '" + std::string(word.substr(0, 32)) + "'");
    place_parameters(m, m.offsets != Offsets::None);
    if (reason = why_illegal(m); !reason.empty()) return std::nullopt;
    return call;
}

std::optional<Call> parse_sample_3d(std::string_view line, Target target, std::string& reason) {
    Words words{line};
    if (words.peek().starts_with('(')) words.take();
    Call call;
    Message& m = call.message;
    if (!read_sample_name(words.take(), m, reason)) return std::nullopt;
    call.target = info(m.sample).compares ? with_comparison(target) : target;
    m.surface = surface(call.target == Target::None ? target : call.target);
    m.surface.shadow = info(m.sample).compares;
    if (!words.peek().starts_with('(')) return refuse(reason, "expected the execution size");
    for (bool open = true; open;) {
        const std::string_view word = words.take();
        if (word.empty()) return refuse(reason, "expected ')' after the execution size");
        open = !word.ends_with(')');
    }
    if (!read_aoffimmi(words.take(), m))
        return refuse(reason, "expected aoffimmi as a word whose bits 15 to 12 are zero");
    const std::string_view sampler = words.take(), texture = words.take();
    call.sampler = variable(sampler, 'S');
    call.texture = variable(texture, 'T');
    if (call.sampler < 0 || call.texture < 0) return refuse(reason, "expected a sampler S and a surface T");
    m.separate = m.separate || call.sampler != call.texture;
    const std::string_view dst = words.take();
    if (!is_register(dst, 'V') || !read_result(dst, m))
        return refuse(reason, "expected a destination of type HF, F, W, UW, D or UD");
    int given = 0, halves = 0;
    for (std::string_view word = words.take(); !word.empty(); word = words.take()) {
        if (!is_register(word, 'V')) return refuse(reason, "unexpected '" + std::string(word.substr(0, 32)) + "'");
        const std::string type = type_of(word);
        if (!type.empty() && type != "f" && type != "hf")
            return refuse(reason, "a parameter is of type HF or F, not " + type.substr(0, 32));
        halves += type == "hf";
        ++given;
    }
    const int most = info(m.sample).most_parameters();
    if (given < 1 || given > most) return refuse(reason, "expected 1 to " + std::to_string(most) + " parameters");
    if (halves != 0 && halves != given) return refuse(reason, "all operands must have the same type");
    m.half_parameters = halves != 0;
    place_parameters(m, false, given);
    if (reason = why_illegal(m); !reason.empty()) return std::nullopt;
    if (call.target == Target::None)
        return refuse(reason, "Vulkan has no comparison on " + std::string(tgsi::name(target)));
    return call;
}

}  // namespace tgsi2spv::sampling
