// The codes of diagnostics: one table, with the cause of each. A code that is not in it does not compile.
#pragma once

#include <cstdint>
#include <string_view>

namespace tgsi2spv::tgsi {

/// The cause of a refusal, from which the library's status follows.
enum class Cause : uint8_t {
    Program,      ///< the program: invalid if parsing refuses it, unsupported if a later step does
    Unsupported,  ///< the program: valid, but it cannot be translated
    Argument,     ///< the call
    Limit,        ///< a limit of the caller, of SPIR-V or of the implementation
    Internal,     ///< a bug in the library
};

struct CodeRow {
    std::string_view name;  ///< kebab-case; it never changes, since users select by it
    Cause cause;
};

inline constexpr CodeRow kCodes[] = {
    {"bad-patch", Cause::Argument},
    {"bad-stream-output", Cause::Argument},
    {"invalid-argument", Cause::Argument},
    {"not-a-pipeline", Cause::Argument},
    {"internal-error", Cause::Internal},
    {"invalid-module", Cause::Internal},
    {"call-depth", Cause::Limit},
    {"id-limit", Cause::Limit},
    {"inlined-size", Cause::Limit},
    {"instruction-limit", Cause::Limit},
    {"nesting-limit", Cause::Limit},
    {"operation-limit", Cause::Limit},
    {"parameter-limit", Cause::Limit},
    {"register-limit", Cause::Limit},
    {"switch-limit", Cause::Limit},
    {"text-limit", Cause::Limit},
    {"variable-limit", Cause::Limit},
    {"bad-array-id", Cause::Program},
    {"bad-component", Cause::Program},
    {"bad-declaration", Cause::Program},
    {"bad-dimension", Cause::Program},
    {"bad-entry", Cause::Program},
    {"bad-index", Cause::Program},
    {"bad-index-register", Cause::Program},
    {"bad-label", Cause::Program},
    {"bad-mask", Cause::Program},
    {"bad-number", Cause::Program},
    {"bad-operand", Cause::Program},
    {"bad-predicate", Cause::Program},
    {"bad-range", Cause::Program},
    {"bad-register-file", Cause::Program},
    {"bad-semantic", Cause::Program},
    {"bad-statement", Cause::Program},
    {"bad-stream", Cause::Program},
    {"bad-swizzle", Cause::Program},
    {"bad-target", Cause::Program},
    {"bad-version", Cause::Program},
    {"beyond-locations", Cause::Program},
    {"built-in-locations", Cause::Program},
    {"compared-integers", Cause::Program},
    {"cylwrap", Cause::Program},
    {"driver-value", Cause::Unsupported},
    {"empty-call", Cause::Program},
    {"empty-text", Cause::Program},
    {"float-range", Cause::Program},
    {"index-out-of-range", Cause::Program},
    {"link-the-stages", Cause::Program},
    {"misplaced-negation", Cause::Program},
    {"misplaced-subroutine", Cause::Program},
    {"misplaced-swizzle", Cause::Program},
    {"missing-attribute", Cause::Program},
    {"missing-comma", Cause::Program},
    {"missing-end", Cause::Program},
    {"missing-index", Cause::Program},
    {"missing-label", Cause::Program},
    {"missing-operand", Cause::Program},
    {"missing-property", Cause::Program},
    {"missing-semantic", Cause::Program},
    {"missing-stage", Cause::Program},
    {"missing-target", Cause::Program},
    {"missing-type", Cause::Program},
    {"mixed-declarations", Cause::Program},
    {"modifier-on-destination", Cause::Program},
    {"modifier-on-resource", Cause::Program},
    {"negative-index", Cause::Program},
    {"nested-index", Cause::Program},
    {"no-effect", Cause::Program},
    {"no-patch-data", Cause::Program},
    {"no-such-input", Cause::Program},
    {"not-readable", Cause::Program},
    {"not-writable", Cause::Program},
    {"note", Cause::Program},
    {"number-overflow", Cause::Program},
    {"offset-count", Cause::Program},
    {"operand-count", Cause::Program},
    {"property-value", Cause::Program},
    {"range-in-operand", Cause::Program},
    {"recursion", Cause::Program},
    {"repeated-attribute", Cause::Program},
    {"repeated-end", Cause::Program},
    {"repeated-immediate", Cause::Program},
    {"repeated-semantic", Cause::Program},
    {"repeated-target", Cause::Program},
    {"saturate-integer", Cause::Program},
    {"saturate-on-integer", Cause::Program},
    {"saturate-without-result", Cause::Program},
    {"second-shader", Cause::Program},
    {"state-buffer-taken", Cause::Program},
    {"stray-operand", Cause::Program},
    {"syntax", Cause::Program},
    {"too-many-buffers", Cause::Program},
    {"too-many-errors", Cause::Program},
    {"too-many-offsets", Cause::Program},
    {"too-many-ranges", Cause::Program},
    {"too-many-registers", Cause::Program},
    {"too-many-varyings", Cause::Program},
    {"two-declarations", Cause::Program},
    {"two-descriptors", Cause::Program},
    {"two-interpolations", Cause::Program},
    {"two-semantics", Cause::Program},
    {"type-count", Cause::Program},
    {"unbalanced-flow", Cause::Program},
    {"undeclared-register", Cause::Program},
    {"unexpected-attribute", Cause::Program},
    {"unexpected-format", Cause::Program},
    {"unexpected-label", Cause::Program},
    {"unexpected-offset", Cause::Program},
    {"unexpected-predicate", Cause::Program},
    {"unexpected-qualifier", Cause::Program},
    {"unexpected-target", Cause::Program},
    {"unknown-array", Cause::Program},
    {"unknown-attribute", Cause::Program},
    {"unknown-format", Cause::Program},
    {"unknown-opcode", Cause::Program},
    {"unknown-property", Cause::Program},
    {"unknown-qualifier", Cause::Program},
    {"unknown-register-file", Cause::Program},
    {"unknown-semantic", Cause::Program},
    {"unknown-target", Cause::Program},
    {"unknown-type", Cause::Program},
    {"unsupported-atomic", Cause::Program},
    {"unsupported-by-device", Cause::Program},
    {"unsupported-capability", Cause::Program},
    {"unsupported-file", Cause::Program},
    {"unsupported-flow", Cause::Program},
    {"unsupported-format", Cause::Unsupported},
    {"unsupported-instruction", Cause::Program},
    {"unsupported-memory", Cause::Program},
    {"unsupported-operand", Cause::Program},
    {"unsupported-property", Cause::Program},
    {"unsupported-semantic", Cause::Program},
    {"unsupported-stream", Cause::Program},
    {"unsupported-subgroup", Cause::Program},
    {"unsupported-texture", Cause::Program},
    {"unwritten-input", Cause::Program},
    {"value-count", Cause::Program},
    {"view-shape", Cause::Program},
    {"wide-address", Cause::Program},
    {"wrong-stage", Cause::Program},
};

static_assert(std::size(kCodes) < 256);

/// The row with this name, or the number of rows.
constexpr uint8_t code_row(std::string_view name) {
    uint8_t row = 0;
    while (row < std::size(kCodes) && kCodes[row].name != name) ++row;
    return row;
}

/// A row of kCodes. Converts from a literal: `d.code = "unknown-opcode"`.
class Code {
  public:
    consteval Code(const char* name) : row_(code_row(name)) {
        if (row_ == std::size(kCodes)) throw "a code that kCodes does not have";
    }
    /// The code with this name; internal-error if there is none.
    static Code named(std::string_view name) {
        Code code = "internal-error";
        if (const uint8_t row = code_row(name); row < std::size(kCodes)) code.row_ = row;
        return code;
    }

    constexpr std::string_view name() const { return kCodes[row_].name; }
    constexpr Cause cause() const { return kCodes[row_].cause; }
    constexpr operator std::string_view() const { return name(); }
    friend constexpr bool operator==(Code a, std::string_view b) { return a.name() == b; }

  private:
    uint8_t row_;
};

}  // namespace tgsi2spv::tgsi
