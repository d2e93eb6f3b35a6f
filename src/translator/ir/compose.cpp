#include "ir/compose.h"

#include <algorithm>

namespace tgsi2spv::ir {
namespace {

struct Reader {
    const Module& module;
    const Function& function;

    Type type_of(Value v) const { return ir::type_of(module, function, v); }
    bool is_plain_constant(Value v) const { return is_constant(v) && module.constant(v).spec_id < 0; }
    Component look_through(Component component) const {
        if (is_constant(component.value)) return component;
        const Instruction& i = function.instructions[component.value];
        if (i.op != Op::Compose) return component;
        return {function.args_of(i)[component.component], static_cast<uint8_t>(i.aux >> 2 * component.component & 3)};
    }

    /// Whether the parts are all components of one value, in order.
    bool is_whole(std::span<const Component> parts) const {
        for (size_t i = 0; i < parts.size(); i++)
            if (parts[i].value != parts[0].value || parts[i].component != i) return false;
        return type_of(parts[0].value).components == parts.size();
    }

    /// The number of SPIR-V instructions for the Compose: none for an unchanged value; one shuffle of at most two
    /// vectors; or an extract for each component of a vector, and a construct.
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
    void set(Composition& composition, std::span<const Component> parts) const {
        composition.constant = true;
        composition.selector = 0;
        for (size_t i = 0; i < parts.size(); i++) {
            composition.values[i] = parts[i].value;
            composition.selector |= uint32_t{parts[i].component} << 2 * i;
            composition.constant = composition.constant && is_plain_constant(parts[i].value);
        }
    }
    /// If components come from a Compose, uses that Compose's sources instead, if this costs no more.
    void look_through(Composition& composition, std::span<const Component> components) const {
        std::array<Component, 4> sources;
        for (size_t i = 0; i < components.size(); i++) sources[i] = look_through(components[i]);
        const std::span<const Component> parts(sources.data(), components.size());
        if (cost(parts) > cost(components)) return;
        set(composition, parts);
        if (!composition.constant && is_whole(parts)) composition.single = parts[0].value;
    }
};

}  // namespace

Composition resolve(const Module& module, const Function& function, std::span<const Component> components) {
    const Reader read{module, function};
    const Value first = components[0].value;
    const Type type = read.type_of(first);
    Composition result{.type = type.with(static_cast<int>(components.size())), .constant = true};
    bool whole = type.components == components.size(), composed = false;
    for (size_t i = 0; i < components.size(); i++) {
        const Component& c = components[i];
        whole &= c.value == first && c.component == i;
        composed |= !is_constant(c.value) && function.instructions[c.value].op == Op::Compose;
        result.values[i] = c.value;
        result.selector |= uint32_t{c.component} << 2 * i;
        result.constant &= read.is_plain_constant(c.value);
    }
    if (whole) {
        result.single = first;
        result.constant = false;
    } else if (composed) {
        read.look_through(result, components);
    }
    return result;
}

Constant constant_words(const Module& module, const Composition& composition) {
    Constant result{.type = composition.type};
    const size_t width = composition.type.is_wide() ? 2 : 1;
    for (size_t i = 0; i < composition.type.components; i++) {
        const Constant& from = module.constants[composition.values[i] & ~kConstantBit];
        const size_t component = composition.selector >> 2 * i & 3;
        for (size_t w = 0; w < width; w++) result.words[i * width + w] = from.words[component * width + w];
    }
    return result;
}

}  // namespace tgsi2spv::ir
