#include "ir/compose.h"

#include <algorithm>

namespace tgsi2spv::ir {
namespace {

struct Reader {
    const Module& module;
    const Function& function;

    Type type_of(Value v) const {
        return is_constant(v) ? module.constants[v & ~kConstantBit].type : function.instructions[v].type;
    }
    bool is_plain_constant(Value v) const { return is_constant(v) && module.constants[v & ~kConstantBit].spec_id < 0; }
    Component look_through(Component c) const {
        if (is_constant(c.value)) return c;
        const Instruction& i = function.instructions[c.value];
        if (i.op != Op::Compose) return c;
        return {function.args_of(i)[c.component], static_cast<uint8_t>(i.aux >> 2 * c.component & 3)};
    }

    /// All components of one value, in their order.
    bool is_whole(std::span<const Component> parts) const {
        for (size_t i = 0; i < parts.size(); i++)
            if (parts[i].value != parts[0].value || parts[i].component != i) return false;
        return type_of(parts[0].value).components == parts.size();
    }

    /// SPIR-V instructions that the Compose takes: none for a value as it is, one shuffle of at most two vectors, or
    /// an extract for each component of a vector and a construct.
    int cost(std::span<const Component> parts) const {
        bool constant = true;
        int extracts = 0;
        Value vectors[2] = {kNone, kNone};
        bool shuffle = parts.size() > 1;
        for (const Component& p : parts) {
            const bool plain = is_plain_constant(p.value);
            const bool vector = type_of(p.value).components > 1;
            constant = constant && plain;
            extracts += vector && !plain;
            if (!vector) {
                shuffle = false;
            } else if (p.value != vectors[0] && p.value != vectors[1]) {
                if (vectors[1] != kNone) shuffle = false;
                vectors[vectors[0] != kNone] = p.value;
            }
        }
        if (constant || is_whole(parts)) return 0;
        return shuffle ? 1 : extracts + (parts.size() > 1);
    }
};

}  // namespace

uint32_t Composition::selector() const {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < type.components; i++) bits |= uint32_t{components[i].component} << 2 * i;
    return bits;
}

Composition resolve(const Module& module, const Function& function, std::span<const Component> components) {
    const Reader read{module, function};
    const size_t n = components.size();
    Composition result;
    result.type = {read.type_of(components[0].value).scalar, static_cast<uint8_t>(n)};
    if (read.is_whole(components)) {
        result.single = components[0].value;
        return result;
    }
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        result.components[i] = read.look_through(components[i]);
        same = same && result.components[i] == components[i];
    }
    const std::span<const Component> parts(result.components.data(), n);
    if (!same && read.cost(parts) > read.cost(components)) {
        std::copy(components.begin(), components.end(), result.components.begin());
        same = true;
    }

    if (std::all_of(parts.begin(), parts.end(), [&](const Component& c) { return read.is_plain_constant(c.value); })) {
        result.constant = true;
        result.words.type = result.type;
        const size_t width = result.type.is_wide() ? 2 : 1;
        for (size_t i = 0; i < n; i++) {
            const Constant& from = module.constants[parts[i].value & ~kConstantBit];
            for (size_t w = 0; w < width; w++)
                result.words.words[i * width + w] = from.words[parts[i].component * width + w];
        }
        return result;
    }
    if (!same && read.is_whole(parts)) result.single = parts[0].value;
    return result;
}

}  // namespace tgsi2spv::ir
