#include "lower/walk/double_functions.h"

#include "lower/doubles/make.h"

namespace tgsi2spv::lower {
namespace {

struct DoubleFunctionRow {
    std::string_view name;
    ir::Type result;
    int doubles = 1;  ///< parameters of two words
    int words = 0;    ///< then of one
};

/// By DoubleFunction.
constexpr DoubleFunctionRow kDoubleFunctionRows[] = {
    {"double_add", ir::u32(2), 2},
    {"double_mul", ir::u32(2), 2},
    {"double_fma", ir::u32(2), 3},
    {"double_div", ir::u32(2), 2},
    {"double_sqrt", ir::u32(2)},
    {"double_min", ir::u32(2), 2},
    {"double_max", ir::u32(2), 2},
    {"double_equal", ir::boolean(), 2},
    {"double_less", ir::boolean(), 2},
    {"double_at_least", ir::boolean(), 2},
    {"double_floor", ir::u32(2)},
    {"double_ceil", ir::u32(2)},
    {"double_trunc", ir::u32(2)},
    {"double_round_even", ir::u32(2)},
    {"double_ldexp", ir::u32(2), 1, 1},
    {"double_frexp", ir::u32(3)},
    {"double_from_float", ir::u32(2), 0, 1},
    {"float_from_double", ir::u32()},
    {"double_from_int", ir::u32(2), 0, 1},
    {"double_from_uint", ir::u32(2), 0, 1},
    {"int_from_double", ir::u32()},
    {"uint_from_double", ir::u32()},
    {"double_from_int64", ir::u32(2)},
    {"double_from_uint64", ir::u32(2)},
    {"int64_from_double", ir::u32(2)},
    {"uint64_from_double", ir::u32(2)},
};
static_assert(std::size(kDoubleFunctionRows) == kDoubleFunctions);

/// The parameters of the open function.
struct Parameters {
    doubles::Wide<2> wide[3];
    doubles::Word word;
};

Parameters parameters_of(ir::Builder& b, const DoubleFunctionRow& row) {
    Parameters p;
    for (int i = 0; i < row.doubles; ++i)
        for (int half = 0; half < 2; ++half)
            p.wide[i][static_cast<size_t>(half)] = {&b, b.extract(static_cast<ir::Value>(i), half)};
    if (row.words != 0) p.word = {&b, static_cast<ir::Value>(row.doubles)};
    return p;
}

template <size_t N>
ir::Value value_of(const doubles::Wide<N>& words) {
    ir::Component components[N];
    for (size_t i = 0; i < N; ++i) components[i] = {words[i].v, 0};
    return words[0].b->compose(std::span<const ir::Component>(components));
}

ir::Value make(DoubleFunction function, const Parameters& p) {
    const auto& [x, y, z] = p.wide;
    switch (function) {
        case DoubleFunction::Add:
            return value_of(doubles::add(x, y));
        case DoubleFunction::Multiply:
            return value_of(doubles::multiply(x, y));
        case DoubleFunction::Fma:
            return value_of(doubles::fma(x, y, z));
        case DoubleFunction::Divide:
            return value_of(doubles::divide(x, y));
        case DoubleFunction::SquareRoot:
            return value_of(doubles::square_root(x));
        case DoubleFunction::Minimum:
            return value_of(doubles::minimum(x, y));
        case DoubleFunction::Maximum:
            return value_of(doubles::maximum(x, y));
        case DoubleFunction::Equal:
            return doubles::equal(x, y).v;
        case DoubleFunction::Less:
            return doubles::less(x, y).v;
        case DoubleFunction::AtLeast:
            return doubles::at_least(x, y).v;
        case DoubleFunction::Floor:
            return value_of(doubles::integral(x, doubles::Rounding::Down));
        case DoubleFunction::Ceiling:
            return value_of(doubles::integral(x, doubles::Rounding::Up));
        case DoubleFunction::Truncate:
            return value_of(doubles::integral(x, doubles::Rounding::TowardsZero));
        case DoubleFunction::RoundEven:
            return value_of(doubles::integral(x, doubles::Rounding::Even));
        case DoubleFunction::LoadExponent:
            return value_of(doubles::load_exponent(x, p.word));
        case DoubleFunction::SplitExponent:
            return value_of(doubles::split_exponent(x));
        case DoubleFunction::FromFloat:
            return value_of(doubles::from_float(p.word));
        case DoubleFunction::ToFloat:
            return doubles::to_float(x).v;
        case DoubleFunction::FromSigned:
        case DoubleFunction::FromUnsigned:
            return value_of(doubles::from_integer<1>({p.word}, function == DoubleFunction::FromSigned));
        case DoubleFunction::ToSigned:
        case DoubleFunction::ToUnsigned:
            return doubles::to_integer<1>(x, function == DoubleFunction::ToSigned)[0].v;
        case DoubleFunction::FromSigned64:
        case DoubleFunction::FromUnsigned64:
            return value_of(doubles::from_integer<2>(x, function == DoubleFunction::FromSigned64));
        case DoubleFunction::ToSigned64:
        case DoubleFunction::ToUnsigned64:
            return value_of(doubles::to_integer<2>(x, function == DoubleFunction::ToSigned64));
    }
    return ir::kNone;
}

}  // namespace

void prepare_double_functions(Walk& walk) {
    walk.double_functions.ir_functions.fill(kNoIndex);
}

ir::Value call_double(Walk& walk, DoubleFunction function, std::span<const ir::Value> args) {
    constexpr size_t kOperations = 32;  // of a call: drivers put the function's hundreds of instructions in its place
    walk.operations_before += kOperations;
    uint32_t& index = walk.double_functions.ir_functions[static_cast<size_t>(function)];
    if (index == kNoIndex) {
        const DoubleFunctionRow& row = kDoubleFunctionRows[static_cast<size_t>(function)];
        const ir::Type types[] = {ir::u32(row.doubles > 0 ? 2 : 1), ir::u32(row.doubles > 1 ? 2 : 1), ir::u32(2)};
        const auto count = static_cast<size_t>(row.doubles + row.words);
        index = walk.b.declare_function(row.result, std::span(types, count), row.name);
    }
    return walk.b.call(index, args);
}

void fill_double_functions(Walk& walk) {
    constexpr size_t kRoom = 512;
    ir::Builder& b = walk.b;
    b.set_offset(ir::kNone);
    for (size_t i = 0; i < kDoubleFunctions; ++i) {
        if (walk.double_functions.ir_functions[i] == kNoIndex) continue;
        b.begin_function(walk.double_functions.ir_functions[i], kRoom);
        b.ret(make(static_cast<DoubleFunction>(i), parameters_of(b, kDoubleFunctionRows[i])));
        walk.operations_before += b.function().instructions.size();
        b.end_function();
    }
}

}  // namespace tgsi2spv::lower
