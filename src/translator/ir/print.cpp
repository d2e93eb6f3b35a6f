#include "ir/print.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <type_traits>

#include "ir/names.h"
#include "ir/text_fields.h"

namespace tgsi2spv::ir {
namespace {

struct Printer {
    const Module& module;
    const PrintOptions& options;
    std::string out{};

    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        out += fmt::format(format, std::forward<Args>(args)...);
    }

    // ---- fields
    template <class T>
    void fields(const T& thing) {
        T copy = thing, defaults;
        std::vector<std::string> standard;
        visit_fields(defaults, [&](const char*, auto& value) { standard.push_back(text_of(value)); });
        size_t i = 0;
        visit_fields(copy, [&](const char* field, auto& value) {
            const std::string text = text_of(value);
            if (text == standard[i++]) return;
            if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, bool>)
                put(" {}", field);
            else
                put(" {}={}", field, text);
        });
    }
    template <class T>
    static std::string text_of(const T& value) {
        if constexpr (std::is_same_v<T, Name>)
            return quoted(value);
        else if constexpr (std::is_enum_v<T>)
            return std::string(name(value));
        else
            return fmt::format("{}", static_cast<uint32_t>(value));
    }
    /// Writes bytes that would end or garble the text as \xNN.
    static std::string quoted(std::string_view text) {
        std::string result = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\' || c == ';' || c < ' ' || c > '~')
                result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
            else
                result += c;
        }
        return result + '"';
    }

    // ---- values
    void word_of_float(double value, uint64_t bits, bool wide) {
        if (!std::isfinite(value))
            put("{:#x}", bits);
        else if (wide)
            put("{}", value);
        else
            put("{}", static_cast<float>(value));  // the shortest text that gives the same bits
    }
    void constant(const Constant& c) {
        if (c.spec_id >= 0) put("spec({})", c.spec_id);
        put("{}(", type_name(c.type));
        for (size_t i = 0; i < c.type.components && i < 4; i++) {
            if (i != 0) put(", ");
            const uint64_t wide = c.words[2 * i] | uint64_t{c.words[2 * i + 1]} << 32;
            switch (c.type.scalar) {
                case Scalar::Bool:
                    put("{}", c.words[i] != 0);
                    break;
                case Scalar::F32:
                    word_of_float(std::bit_cast<float>(c.words[i]), c.words[i], false);
                    break;
                case Scalar::U64:
                    put("{}", wide);
                    break;
                case Scalar::F64:
                    word_of_float(std::bit_cast<double>(wide), wide, true);
                    break;
                default:
                    put("{}", c.words[i]);
                    break;
            }
        }
        put(")");
    }
    void value(Value v) {
        if (v == kNone)
            put("%none");
        else if (!is_constant(v))
            put("%{}", v);
        else if ((v & ~kConstantBit) < module.constants.size())
            constant(module.constant(v));
        else
            put("%constant{}", v & ~kConstantBit);
    }
    void values(std::span<const Value> all, const char* before) {
        for (const Value& v : all) {
            put("{}", &v == all.data() ? before : ", ");
            value(v);
        }
    }

    // ---- instructions
    void instruction(const Function& function, uint32_t index) {
        const Instruction& i = function.instructions[index];
        if (static_cast<int>(i.op) >= kOpCount || i.first_arg > function.args.size() ||
            i.num_args > function.args.size() - i.first_arg)
            return put("?");
        const auto args = function.args_of(i);
        if (!i.type.is_void()) put("%{} = ", index);
        put("{}", info(i.op).name);
        if (info(i.op).result != ResultRule::none) put(" {}", type_name(i.type));
        operands(i, args);
        if (i.precise) put(" !precise");
        if ((names_variable(i.op)) && (i.aux2 & 1) != 0) put(" !nonuniform");
        if (options.lines && i.offset_plus_one != 0) put(" !line({})", i.offset_plus_one);
    }
    void operands(const Instruction& instruction, std::span<const uint32_t> args) {
        if (names_variable(instruction.op)) return access(instruction, args);
        if (is_image_op(instruction.op)) {
            if (instruction.op == Op::ImageAtomic) put(" {}", name(static_cast<AtomicOp>(instruction.sub)));
            put(" #{}", instruction.aux);
            return values(args, " ");
        }
        switch (instruction.op) {
            case Op::Param:
            case Op::EmitVertex:
            case Op::EndPrimitive:
            case Op::ControlBarrier:
                put(" {}", instruction.aux);
                break;
            case Op::MemoryBarrier:
                put(" {} {}", instruction.sub, instruction.aux);
                break;
            case Op::Phi:
                for (size_t a = 0; a + 1 < args.size(); a += 2) {
                    put("{}[", a == 0 ? " " : ", ");
                    value(args[a]);
                    put(", b{}]", args[a + 1]);
                }
                break;
            case Op::Compose:
                for (size_t a = 0; a < args.size(); a++) {
                    put("{}", a == 0 ? " " : ", ");
                    value(args[a]);
                    put(".{}", "xyzw"[instruction.aux >> 2 * a & 3]);
                }
                break;
            case Op::Call:
                put(" f{}(", instruction.aux);
                values(args, "");
                put(")");
                break;
            case Op::Branch:
                put(" b{}", instruction.aux);
                break;
            case Op::BranchIf:
                values(args, " ");
                put(", b{}, b{}", instruction.aux, instruction.aux2);
                break;
            case Op::Switch:
                values(args.first(args.empty() ? 0 : 1), " ");
                put(", b{}", instruction.aux);
                for (size_t a = 1; a + 1 < args.size(); a += 2) put(", {}: b{}", args[a], args[a + 1]);
                break;
            default:
                values(args, " ");
                break;
        }
    }
    void access(const Instruction& instruction, std::span<const uint32_t> args) {
        if (instruction.op == Op::Atomic) put(" {}", name(static_cast<AtomicOp>(instruction.sub)));
        put(" ${}", instruction.aux);
        const size_t indices = index_count(instruction);
        if (indices != 0) {
            values(args.first(indices), "[");
            put("]");
        }
        values(args.subspan(indices), ", ");
    }

    // ---- module
    void function(const Function& f, size_t index) {
        put("function f{} {} (", index, quoted(f.name));
        for (size_t p = 0; p < f.params.size(); p++) put("{}{}", p == 0 ? "" : ", ", type_name(f.params[p]));
        put(") -> {} {{\n", type_name(f.result));
        for (size_t n = 0; n < f.blocks.size(); n++) {
            const Block& b = f.blocks[n];
            put("b{}:", n);
            if (b.merge == Merge::Selection) put(" merge b{}", b.merge_block);
            if (b.merge == Merge::Loop) put(" loop b{} continue b{}", b.merge_block, b.continue_block);
            put("\n");
            for (uint32_t i = b.first; i < b.first + b.count && i < f.instructions.size(); i++) {
                put("  ");
                instruction(f, i);
                put("\n");
            }
        }
        put("}}\n");
    }
    void all() {
        put("entry {} f{}", name(module.entry.stage), module.entry.function);
        fields(module.entry);
        put("\n");
        for (size_t i = 0; i < module.variables.size(); i++) {
            put("${} = {} {}", i, name(module.variables[i].kind), type_name(module.variables[i].element));
            fields(module.variables[i]);
            put("\n");
        }
        for (size_t i = 0; i < module.image_ops.size(); i++) {
            put("#{} = image ${}", i, module.image_ops[i].image);
            if (module.image_ops[i].sampler != kNone) put(" sampler ${}", module.image_ops[i].sampler);
            fields(module.image_ops[i]);
            put("\n");
        }
        for (size_t i = 0; i < module.functions.size(); i++) function(module.functions[i], i);
    }
};

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
    Printer printer{module, options};
    printer.all();
    return std::move(printer.out);
}

std::string print(const Module& module, const Function& function, uint32_t instruction) {
    const PrintOptions options;
    Printer printer{module, options};
    printer.instruction(function, instruction);
    return std::move(printer.out);
}

}  // namespace tgsi2spv::ir
