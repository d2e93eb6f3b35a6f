// Operand and result types: the letters and the result rule of instructions.def, and the further rules in its doc
// column.
#include <fmt/format.h>

#include "ir/names.h"
#include "ir/verify_rules.h"

namespace tgsi2spv::ir {
namespace {

struct Types {
    const Module& m;
    const Function& f;
    const Instruction& i;
    std::span<const uint32_t> args;

    Type arg(size_t n) const { return type_of(m, f, args[n]); }

    Verdict count(size_t n) const {
        if (args.size() == n) return {};
        return broken("argument-count", fmt::format("expected {} arguments, found {}", n, args.size()));
    }
    Verdict operand(size_t n, Type expected) const {
        if (arg(n) == expected) return {};
        return broken("operand-type",
                      fmt::format("argument {} is {}, expected {}", n, type_name(arg(n)), type_name(expected)));
    }
    Verdict wrong(size_t n, const char* expected) const {
        return broken("operand-type", fmt::format("argument {} is {}, expected {}", n, type_name(arg(n)), expected));
    }
    Verdict result(Type expected) const {
        if (i.type == expected) return {};
        return broken("result-type",
                      fmt::format("the result is {}, expected {}", type_name(i.type), type_name(expected)));
    }
    Verdict wrong_result(const char* expected) const {
        return broken("result-type", fmt::format("the result is {}, expected {}", type_name(i.type), expected));
    }

    // ---- the table
    static bool fits(char letter, Type type) {
        switch (letter) {
            case 'f':
                return type.is_float();
            case 'i':
                return type.is_int();
            case 'u':
                return type.scalar == Scalar::U32;
            case 'b':
                return type.scalar == Scalar::Bool;
            default:
                return !type.is_void();
        }
    }
    Verdict table() const {
        const OpInfo& row = info(i.op);
        const std::string_view letters = row.operands;
        const bool open = letters.ends_with('*');
        const size_t fixed = letters.size() - open;
        if (args.size() < fixed || (!open && args.size() > fixed)) return count(fixed);
        for (size_t n = 0; n < fixed; n++) {
            if (fits(letters[n], arg(n))) continue;
            return wrong(n, letters[n] == 'f'   ? "a float"
                            : letters[n] == 'i' ? "an integer"
                            : letters[n] == 'u' ? "u32"
                                                : "a bool");
        }
        switch (row.result) {
            case ResultRule::same:
                return result(arg(0));
            case ResultRule::rel:
                return result(boolean(arg(0).components));
            case ResultRule::red:
                return result(boolean());
            case ResultRule::sca:
                return result(arg(0).with(1));
            case ResultRule::none:
                return i.type.is_void() ? Verdict{} : result(kVoid);
            case ResultRule::own:
                break;
        }
        return {};
    }
    /// Operands of letter f, i, v, b have the type of operand 0; those of letter u are u32 with the same number of
    /// components.
    Verdict alike() const {
        const std::string_view letters = info(i.op).operands;
        for (size_t n = 1; n < letters.size() && letters[n] != '*'; n++)
            if (Verdict v = operand(n, letters[n] == 'u' ? arg(0).of(Scalar::U32) : arg(0))) return v;
        return {};
    }
    Verdict only(Scalar scalar) const { return arg(0).scalar == scalar ? Verdict{} : operand(0, arg(0).of(scalar)); }

    // ---- instructions with rules of their own
    Verdict phi() const {
        if (i.type.is_void()) return wrong_result("a value");
        for (size_t n = 0; n < args.size(); n += 2)
            if (Verdict v = operand(n, i.type)) return v;
        return {};
    }
    Verdict compose() const {
        if (i.type.is_void()) return wrong_result("a value");
        if (Verdict v = count(i.type.components)) return v;
        for (size_t n = 0; n < args.size(); n++) {
            if (arg(n).scalar != i.type.scalar) return operand(n, i.type.with(arg(n).components));
            if ((i.aux >> 2 * n & 3) >= arg(n).components)
                return broken("component", fmt::format("argument {} is {}", n, type_name(arg(n))));
        }
        return {};
    }
    Verdict second() const {
        if (is_constant(args[0])) return wrong(0, "a two-result instruction");
        const Instruction& from = f.instructions[args[0]];
        switch (from.op) {
            case Op::UMulExt:
            case Op::SMulExt:
                return result(from.type);
            default:
                if (is_image_op(from.op) && m.image_ops[from.aux].sparse) return result(u32());
                return wrong(0, "a two-result instruction");
        }
    }
    Verdict select() const {
        if (Verdict v = result(arg(1))) return v;
        if (Verdict v = operand(2, arg(1))) return v;
        if (arg(0).components != 1) return operand(0, boolean(arg(1).components));
        return {};
    }
    Verdict bitcast() const {
        const Type from = arg(0), to = i.type;
        const int small = from.is_wide() ? 2 : 1, large = to.is_wide() ? 2 : 1;
        const bool bits = from.scalar != Scalar::Bool && to.scalar != Scalar::Bool && !to.is_void();
        if (bits && from != to && from.components * small == to.components * large) return {};
        return broken("result-type", fmt::format("casts {} to {}", type_name(from), type_name(to)));
    }
    Verdict convert() const {
        const Type from = arg(0), to = i.type;
        if (from.components != to.components) return result(to.with(from.components));
        switch (i.op) {
            case Op::FToS:
            case Op::FToU:
                return to.is_int() ? Verdict{} : wrong_result("an integer");
            case Op::SToF:
            case Op::UToF:
                return to.is_float() ? Verdict{} : wrong_result("a float");
            case Op::FConvert:
                return result(from.of(from.is_wide() ? Scalar::F32 : Scalar::F64));
            default:
                return result(from.of(from.is_wide() ? Scalar::U32 : Scalar::U64));
        }
    }
    Verdict call() const {
        const Function& callee = m.functions[i.aux];
        if (Verdict v = count(callee.params.size())) return v;
        for (size_t n = 0; n < args.size(); n++)
            if (Verdict v = operand(n, callee.params[n])) return v;
        return result(callee.result);
    }
    Verdict returned() const {
        if (Verdict v = count(f.result.is_void() ? 0 : 1)) return v;
        return args.empty() ? Verdict{} : operand(0, f.result);
    }

    /// Instructions whose operands are numbers.
    Verdict numbers() const {
        switch (i.op) {
            case Op::FDot:
                if (arg(0).components == 1) return wrong(0, "a vector");
                return alike();
            case Op::FExp2:
            case Op::FLog2:
            case Op::FSin:
            case Op::FCos:
            case Op::FPow:
            case Op::DPdx:
            case Op::DPdy:
            case Op::DPdxFine:
            case Op::DPdyFine:
                if (Verdict v = only(Scalar::F32)) return v;
                return alike();
            case Op::BitInsert:
                if (Verdict v = only(Scalar::U32)) return v;
                if (Verdict v = operand(1, arg(0))) return v;
                if (Verdict v = operand(2, u32())) return v;
                return operand(3, u32());
            case Op::SBitExtract:
            case Op::UBitExtract:
                if (Verdict v = only(Scalar::U32)) return v;
                if (Verdict v = operand(1, u32())) return v;
                return operand(2, u32());
            case Op::BitReverse:
            case Op::BitCount:
            case Op::FindLsb:
            case Op::FindSMsb:
            case Op::FindUMsb:
                return only(Scalar::U32);
            case Op::UMulExt:
            case Op::SMulExt:
                if (Verdict v = only(Scalar::U32)) return v;
                return alike();
            case Op::Any:
            case Op::All:
                return arg(0).components == 1 ? wrong(0, "a vector") : Verdict{};
            case Op::FToS:
            case Op::FToU:
            case Op::SToF:
            case Op::UToF:
            case Op::FConvert:
            case Op::UConvert:
            case Op::SConvert:
                return convert();
            case Op::PackHalf:
                if (Verdict v = operand(0, f32(2))) return v;
                return result(u32());
            case Op::UnpackHalf:
                if (Verdict v = operand(0, u32())) return v;
                return result(f32(2));
            case Op::SparseResident:
                if (Verdict v = operand(0, u32())) return v;
                return result(boolean());
            default:
                return alike();
        }
    }

    Verdict all() const {
        if (Verdict v = table()) return v;
        if (names_variable(i.op) || is_image_op(i.op)) return {};  // see verify_access, verify_image
        switch (i.op) {
            case Op::Param:
                return result(f.params[i.aux]);
            case Op::Undef:
                return i.type.is_void() ? wrong_result("a value") : Verdict{};
            case Op::Phi:
                return phi();
            case Op::Compose:
                return compose();
            case Op::Second:
                return second();
            case Op::Select:
                return select();
            case Op::Bitcast:
                return bitcast();
            case Op::IsHelper:
                return result(boolean());
            case Op::Clock:
                return result(u32(2));
            case Op::GroupAll:
            case Op::GroupAny:
                return operand(0, boolean());
            case Op::GroupAllEqual:
                return {};
            case Op::GroupBallot:
                if (Verdict v = operand(0, boolean())) return v;
                return result(u32(4));
            case Op::GroupShuffle:
            case Op::GroupBroadcast:
                return operand(1, u32());
            case Op::Call:
                return call();
            case Op::BranchIf:
                return operand(0, boolean());
            case Op::Switch:
                return operand(0, u32());
            case Op::Return:
                return returned();
            default:
                return numbers();
        }
    }
};

}  // namespace

Verdict verify_types(const Module& module, const Function& function, uint32_t index) {
    const Instruction& i = function.instructions[index];
    return Types{module, function, i, function.args_of(i)}.all();
}

}  // namespace tgsi2spv::ir
