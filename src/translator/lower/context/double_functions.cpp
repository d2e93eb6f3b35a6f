#include "lower/context/double_functions.h"

#include "lower/doubles/make.h"

namespace tgsi2spv::lower {
namespace {

struct DoubleFunctionRow {
    std::string_view name;
    ir::Type result;
    int doubles;  ///< parameters of two words
    int words;    ///< then of one
};

/// A row for each DoubleFunction.
constexpr DoubleFunctionRow kDoubleFunctionRows[] = {
#define DOUBLE_FUNCTION(function, operation, name, result, doubles, words, body) {name, result, doubles, words},
#include "lower/doubles/functions.def"
#undef DOUBLE_FUNCTION
};

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

ir::Value value_of(const doubles::Word& word) {
    return word.v;
}
template <size_t N>
ir::Value value_of(const doubles::Wide<N>& words) {
    ir::Component components[N];
    for (size_t i = 0; i < N; ++i) components[i] = {words[i].v, 0};
    return words[0].b->compose(std::span<const ir::Component>(components));
}

ir::Value make(DoubleFunction made, const Parameters& p) {
    const auto& [x, y, z] = p.wide;
    const doubles::Word& word = p.word;
    switch (made) {
#define DOUBLE_FUNCTION(function, operation, name, result, num_doubles, num_words, ...) \
    case DoubleFunction::function:                                                      \
        return value_of(__VA_ARGS__);
#include "lower/doubles/functions.def"
#undef DOUBLE_FUNCTION
    }
    return ir::kNone;
}

}  // namespace

void prepare_double_functions(Context& context) {
    context.double_functions.ir_functions.fill(kNoIndex);
}

ir::Value call_double(Context& context, DoubleFunction function, std::span<const ir::Value> args) {
    constexpr size_t kOperations = 32;  // of a call: drivers put the function's hundreds of instructions in its place
    context.operations_before += kOperations;
    uint32_t& index = context.double_functions.ir_functions[static_cast<size_t>(function)];
    if (index == kNoIndex) {
        const DoubleFunctionRow& row = kDoubleFunctionRows[static_cast<size_t>(function)];
        const ir::Type types[] = {ir::u32(row.doubles > 0 ? 2 : 1), ir::u32(row.doubles > 1 ? 2 : 1), ir::u32(2)};
        const auto count = static_cast<size_t>(row.doubles + row.words);
        index = context.b.declare_function(row.result, std::span(types, count), row.name);
    }
    return context.b.call(index, args);
}

void fill_double_functions(Context& context) {
    constexpr size_t kRoom = 512;
    ir::Builder& b = context.b;
    b.set_offset(ir::kNone);
    for (size_t i = 0; i < kDoubleFunctions; ++i) {
        if (context.double_functions.ir_functions[i] == kNoIndex) continue;
        b.begin_function(context.double_functions.ir_functions[i], kRoom);
        b.ret(make(static_cast<DoubleFunction>(i), parameters_of(b, kDoubleFunctionRows[i])));
        context.operations_before += b.function().instructions.size();
        b.end_function();
    }
}

}  // namespace tgsi2spv::lower
