#include "ir/parse.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>
#include <unordered_map>

#include "ir/constants.h"
#include "ir/names.h"
#include "ir/text_fields.h"

namespace tgsi2spv::ir {
namespace {

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::optional<Op> op_from_name(std::string_view text) {
    for (int i = 0; i < kOpCount; i++)
        if (info(static_cast<Op>(i)).name == text) return static_cast<Op>(i);
    return std::nullopt;
}

template <class Enum>
std::optional<Enum> from_name(std::string_view text) {
    const auto all = names<Enum>();
    for (size_t i = 0; i < all.size(); i++)
        if (all[i] == text) return static_cast<Enum>(i);
    return std::nullopt;
}

std::optional<Type> type_from_name(std::string_view text) {
    for (uint8_t scalar = 0; scalar <= static_cast<uint8_t>(Scalar::F64); scalar++)
        for (uint8_t n = 0; n <= 4; n++)
            if (const Type type{static_cast<Scalar>(scalar), n}; type_name(type) == text) return type;
    return std::nullopt;
}

/// One line, read from left to right. The first error is kept; later ones have no effect.
struct Line {
    std::string_view rest{};
    std::string error{};

    void fail(std::string text) {
        if (error.empty()) error = std::move(text);
        rest = {};
    }
    void space() {
        while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r')) rest.remove_prefix(1);
    }
    bool at_end() {
        space();
        return rest.empty();
    }
    bool take(std::string_view token) {
        space();
        if (!rest.starts_with(token)) return false;
        if (is_word(token.back()) && rest.size() > token.size() && is_word(rest[token.size()])) return false;
        rest.remove_prefix(token.size());
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) fail(fmt::format("expected '{}' before '{}'", token, rest));
    }
    /// Takes the letters, digits and underscores after `prefix`.
    std::string_view word(std::string_view prefix = {}) {
        space();
        size_t n = prefix.size();
        if (rest.starts_with(prefix))
            while (n < rest.size() && is_word(rest[n])) n++;
        if (n == prefix.size()) {
            fail(fmt::format("expected a name{}{} before '{}'", prefix.empty() ? "" : " starting with ", prefix, rest));
            return {};
        }
        const std::string_view result = rest.substr(prefix.size(), n - prefix.size());
        rest.remove_prefix(n);
        return result;
    }
    template <class T>
    T number(std::string_view prefix = {}) {
        space();
        T value{};
        if (rest.starts_with(prefix)) {
            rest.remove_prefix(prefix.size());
            const bool hex = rest.starts_with("0x");
            const char* first = rest.data() + (hex ? 2 : 0);
            const auto [end, code] = std::from_chars(first, rest.data() + rest.size(), value, hex ? 16 : 10);
            if (code == std::errc{}) {
                rest.remove_prefix(static_cast<size_t>(end - rest.data()));
                return value;
            }
        }
        fail(fmt::format("expected a number{}{} before '{}'", prefix.empty() ? "" : " after ", prefix, rest));
        return value;
    }
    template <class Float, class Bits>
    Bits float_bits() {
        space();
        if (rest.starts_with("0x")) return number<Bits>();
        Float value{};
        const auto [end, code] = fast_float::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (code != std::errc{} || std::isinf(value))
            fail(fmt::format("expected a number before '{}'", rest));
        else
            rest.remove_prefix(static_cast<size_t>(end - rest.data()));
        return std::bit_cast<Bits>(value);
    }
    template <class Enum>
    Enum enumerator() {
        const std::string_view text = word();
        const auto value = from_name<Enum>(text);
        if (!value) fail(fmt::format("unknown name '{}'", text));
        return value.value_or(Enum{});
    }
    Type type() {
        const std::string_view text = word();
        const auto value = type_from_name(text);
        if (!value) fail(fmt::format("unknown type '{}'", text));
        return value.value_or(Type{});
    }
    Name name() {
        expect("\"");
        std::string result;
        while (!rest.empty() && rest[0] != '"') {
            if (rest.starts_with("\\x") && rest.size() >= 4) {
                uint8_t byte = 0;
                std::from_chars(rest.data() + 2, rest.data() + 4, byte, 16);
                result += static_cast<char>(byte);
                rest.remove_prefix(4);
            } else {
                result += rest[0];
                rest.remove_prefix(1);
            }
        }
        expect("\"");
        if (result.size() > Name::kMax) fail(fmt::format("a name can have at most {} bytes", Name::kMax));
        return result;
    }
    template <class T>
    void fields(T& thing) {
        while (!at_end()) {
            const std::string_view name = word();
            bool found = false;
            visit_fields(thing, [&](const char* field, auto& value) {
                if (name != field) return;
                found = true;
                read_field(value);
            });
            if (!found) return fail(fmt::format("unknown field '{}'", name));
        }
    }
    template <class T>
    void read_field(T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            value = true;
        } else {
            expect("=");
            if constexpr (std::is_same_v<T, Name>)
                value = name();
            else if constexpr (std::is_enum_v<T>)
                value = enumerator<T>();
            else
                value = number<T>();
        }
    }
};

struct Parser {
    Module& module;
    ConstantTable constants{};
    Line line{};
    Function* function = nullptr;
    // Names in the open function, and the places where they are used: an index in args, instructions or blocks.
    std::unordered_map<std::string_view, uint32_t> values{}, blocks{};
    struct Use {
        enum class Where : uint8_t { Arg, BlockArg, Aux, Aux2, Merge, Continue } where;
        uint32_t at;
        std::string_view name;
        uint32_t line;
    };
    std::vector<Use> uses{};
    uint32_t line_number = 0;

    // ---- values
    void use_block(Use::Where where, uint32_t at) { uses.push_back({where, at, line.word("b"), line_number}); }
    void use_block_arg() {
        function->args.push_back(0);
        use_block(Use::Where::BlockArg, static_cast<uint32_t>(function->args.size() - 1));
    }
    void value() {
        line.space();
        if (line.take("%none")) {
            function->args.push_back(kNone);
        } else if (line.rest.starts_with('%')) {
            function->args.push_back(0);
            uses.push_back(
                {Use::Where::Arg, static_cast<uint32_t>(function->args.size() - 1), line.word("%"), line_number});
        } else {
            function->args.push_back(constants.find_or_add(module, constant()));
        }
    }
    Constant constant() {
        Constant c;
        if (line.take("spec")) {
            line.expect("(");
            c.spec_id = line.number<int32_t>();
            line.expect(")");
        }
        c.type = line.type();
        line.expect("(");
        for (size_t i = 0; i < c.type.components; i++) {
            if (i != 0) line.expect(",");
            uint64_t wide = 0;
            switch (c.type.scalar) {
                case Scalar::Bool:
                    c.words[i] = line.word() == "true";
                    continue;
                case Scalar::U32:
                    c.words[i] = line.number<uint32_t>();
                    continue;
                case Scalar::F32:
                    c.words[i] = line.float_bits<float, uint32_t>();
                    continue;
                case Scalar::U64:
                    wide = line.number<uint64_t>();
                    break;
                case Scalar::F64:
                    wide = line.float_bits<double, uint64_t>();
                    break;
                case Scalar::Void:
                    break;
            }
            c.words[2 * i] = static_cast<uint32_t>(wide);
            c.words[2 * i + 1] = static_cast<uint32_t>(wide >> 32);
        }
        line.expect(")");
        return c;
    }
    /// Parses values between commas, up to the end of the line, a flag, or `stop`.
    void value_list(char stop = '!') {
        if (line.at_end() || line.rest[0] == '!' || line.rest[0] == stop) return;
        do value();
        while (line.take(","));
    }

    // ---- instructions
    void instruction() {
        Instruction i;
        const auto index = static_cast<uint32_t>(function->instructions.size());
        line.space();
        if (line.rest.starts_with('%')) {
            const std::string_view name = line.word("%");
            if (!values.emplace(name, index).second) line.fail(fmt::format("duplicate value %{}", name));
            line.expect("=");
        }
        const std::string_view text = line.word();
        const auto op = op_from_name(text);
        if (!op) return line.fail(fmt::format("unknown instruction '{}'", text));
        i.op = *op;
        if (info(i.op).result != ResultRule::none) i.type = line.type();
        i.first_arg = static_cast<uint32_t>(function->args.size());
        operands(i, index);
        i.num_args = static_cast<uint32_t>(function->args.size()) - i.first_arg;
        if (line.take("!precise")) i.precise = true;
        if (line.take("!nonuniform")) i.aux2 = 1;
        if (line.take("!line")) {
            line.expect("(");
            i.offset_plus_one = line.number<uint32_t>();
            line.expect(")");
        }
        function->instructions.push_back(i);
        if (!function->blocks.empty()) function->blocks.back().count++;
    }
    void operands(Instruction& instruction, uint32_t index) {
        if (instruction.op == Op::Atomic || instruction.op == Op::ImageAtomic)
            instruction.sub = static_cast<uint8_t>(line.enumerator<AtomicOp>());
        if (names_variable(instruction.op)) {
            instruction.aux = line.number<uint32_t>("$");
            if (line.take("[")) {
                value_list(']');
                line.expect("]");
            }
            if (line.take(",")) value_list();
            return;
        }
        if (is_image_op(instruction.op)) {
            instruction.aux = line.number<uint32_t>("#");
            return value_list();
        }
        switch (instruction.op) {
            case Op::Param:
            case Op::EmitVertex:
            case Op::EndPrimitive:
            case Op::ControlBarrier:
                instruction.aux = line.number<uint32_t>();
                break;
            case Op::MemoryBarrier:
                instruction.sub = line.number<uint8_t>();
                instruction.aux = line.number<uint32_t>();
                break;
            case Op::Phi:
                if (line.at_end()) break;
                do {
                    line.expect("[");
                    value();
                    line.expect(",");
                    use_block_arg();
                    line.expect("]");
                } while (line.take(","));
                break;
            case Op::Compose: {
                uint32_t a = 0;
                do {
                    value();
                    line.expect(".");
                    const size_t component = std::string_view("xyzw").find(line.rest.empty() ? '?' : line.rest[0]);
                    if (component > 3 || a > 3) return line.fail("expected one to four components x, y, z or w");
                    line.rest.remove_prefix(1);
                    instruction.aux |= static_cast<uint32_t>(component) << 2 * a++;
                } while (line.take(","));
                break;
            }
            case Op::Call:
                instruction.aux = line.number<uint32_t>("f");
                line.expect("(");
                value_list(')');
                line.expect(")");
                break;
            case Op::Branch:
                use_block(Use::Where::Aux, index);
                break;
            case Op::BranchIf:
                value();
                line.expect(",");
                use_block(Use::Where::Aux, index);
                line.expect(",");
                use_block(Use::Where::Aux2, index);
                break;
            case Op::Switch:
                value();
                line.expect(",");
                use_block(Use::Where::Aux, index);
                while (line.take(",")) {
                    function->args.push_back(line.number<uint32_t>());
                    line.expect(":");
                    use_block_arg();
                }
                break;
            default:
                value_list();
                break;
        }
    }
    void block_label() {
        const std::string_view name = line.word("b");
        line.expect(":");
        const auto index = static_cast<uint32_t>(function->blocks.size());
        if (!blocks.emplace(name, index).second) line.fail(fmt::format("duplicate block b{}", name));
        Block b{.first = static_cast<uint32_t>(function->instructions.size())};
        if (line.take("merge")) {
            b.merge = Merge::Selection;
            use_block(Use::Where::Merge, index);
        } else if (line.take("loop")) {
            b.merge = Merge::Loop;
            use_block(Use::Where::Merge, index);
            line.expect("continue");
            use_block(Use::Where::Continue, index);
        }
        function->blocks.push_back(b);
    }

    // ---- module
    void ordinal(std::string_view prefix, size_t expected) {
        if (line.number<uint32_t>(prefix) != expected) line.fail(fmt::format("expected {}{} here", prefix, expected));
    }
    void header() {
        ordinal("f", module.functions.size());
        Function& f = module.functions.emplace_back(module.memory());
        function = &f;
        line.space();
        if (line.rest.starts_with('"')) f.name = line.name();
        line.expect("(");
        if (!line.take(")")) {
            do f.params.push_back(line.type());
            while (line.take(","));
            line.expect(")");
        }
        line.expect("->");
        f.result = line.type();
        line.expect("{");
    }
    bool close() {
        Function& f = *function;
        for (const Use& u : uses) {
            const bool is_value = u.where == Use::Where::Arg;
            const auto& names = is_value ? values : blocks;
            const auto found = names.find(u.name);
            if (found == names.end()) {
                line_number = u.line;
                line.fail(fmt::format("{}{} does not exist in this function", is_value ? '%' : 'b', u.name));
                return false;
            }
            switch (u.where) {
                case Use::Where::Arg:
                case Use::Where::BlockArg:
                    f.args[u.at] = found->second;
                    break;
                case Use::Where::Aux:
                    f.instructions[u.at].aux = found->second;
                    break;
                case Use::Where::Aux2:
                    f.instructions[u.at].aux2 = found->second;
                    break;
                case Use::Where::Merge:
                    f.blocks[u.at].merge_block = found->second;
                    break;
                case Use::Where::Continue:
                    f.blocks[u.at].continue_block = found->second;
                    break;
            }
        }
        for (const Instruction& i : f.instructions)
            if (i.op == Op::Second && i.num_args == 1 && f.args[i.first_arg] < f.instructions.size())
                f.instructions[f.args[i.first_arg]].second = true;
        values.clear();
        blocks.clear();
        uses.clear();
        function = nullptr;
        return true;
    }
    void statement() {
        if (line.at_end()) return;
        if (function != nullptr) {
            if (line.take("}")) {
                if (!close()) return;
            } else if (line.rest.starts_with('b') && line.rest.find(':') < line.rest.find(' ')) {
                block_label();
            } else {
                instruction();
            }
        } else if (line.take("entry")) {
            module.entry.stage = line.enumerator<Stage>();
            module.entry.function = line.number<uint32_t>("f");
            line.fields(module.entry);
        } else if (line.take("function")) {
            header();
        } else if (line.rest.starts_with('$')) {
            ordinal("$", module.variables.size());
            line.expect("=");
            Variable& v = module.variables.emplace_back();
            v.kind = line.enumerator<VariableKind>();
            v.element = line.type();
            line.fields(v);
        } else if (line.rest.starts_with('#')) {
            ordinal("#", module.image_ops.size());
            line.expect("=");
            line.expect("image");
            ImageOp& i = module.image_ops.emplace_back();
            i.image = line.number<uint32_t>("$");
            if (line.take("sampler")) i.sampler = line.number<uint32_t>("$");
            line.fields(i);
        }
        if (!line.at_end()) line.fail(fmt::format("unexpected '{}'", line.rest));
    }
};

}  // namespace

std::optional<TextError> parse(std::string_view text, Module& module) {
    module = {};
    Parser parser{module};
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view here = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        parser.line_number++;
        here = here.substr(0, here.find(';'));
        parser.line.rest = here;
        parser.statement();
        if (!parser.line.error.empty()) return TextError{parser.line_number, parser.line.error};
    }
    if (parser.function != nullptr) return TextError{parser.line_number, "expected '}' at the end of the function"};
    return std::nullopt;
}

}  // namespace tgsi2spv::ir
