// Checks instructions that name variables: access indices, types of loaded and stored values, operands of image
// instructions.
#include <fmt/format.h>

#include <algorithm>

#include "ir/names.h"
#include "ir/text_fields.h"
#include "ir/verify_rules.h"

namespace tgsi2spv::ir {
namespace {

Verdict expect(const char* what, Type is, Type expected) {
    if (is == expected) return {};
    return broken("access-type", fmt::format("{} is {}, expected {}", what, type_name(is), type_name(expected)));
}

bool is_resource_kind(VariableKind k) {
    return k >= VariableKind::CombinedImage && k <= VariableKind::InputAttachment;
}

Verdict permitted(const Variable& variable, const Instruction& instruction) {
    const VariableKind k = variable.kind;
    const bool shared_words =
        k == VariableKind::StorageBuffer || k == VariableKind::IoBuffer || k == VariableKind::Shared;
    bool good = true;
    switch (instruction.op) {
        case Op::Load:
            good = !variable.non_readable;
            break;
        case Op::Store:
            good = !variable.non_writable && (k == VariableKind::Output || k == VariableKind::Private ||
                                              k == VariableKind::Local || shared_words);
            break;
        case Op::ArrayLength:
            good = k == VariableKind::StorageBuffer || k == VariableKind::IoBuffer;
            break;
        case Op::Atomic:
            good = shared_words && !variable.non_writable;
            break;
        default:
            good = k == VariableKind::Input;
            break;
    }
    if (good && !is_resource_kind(k)) return {};
    return broken("access-kind",
                  fmt::format("{} is not allowed for a variable of kind {}", info(instruction.op).name, name(k)));
}

/// Whether `v` is a known constant below `limit`; a specialization constant may have any value.
bool is_below(const Module& module, Value v, uint32_t limit) {
    if (!is_constant(v) || (v & ~kConstantBit) >= module.constants.size()) return false;
    const Constant& c = module.constant(v);
    return c.spec_id < 0 && c.words[0] < limit;
}

/// A computed component must be masked: the element then has it, for any value that the passes compute. They make a
/// selection of two components of a masked selection of constants (peepholes.cpp, over_select).
bool is_masked(const Module& module, const Function& function, Value v, uint32_t components) {
    if (is_constant(v)) return module.constant(v).spec_id >= 0;
    const Instruction& i = function.instructions[v];
    if (i.first_arg > function.args.size() || i.num_args > function.args.size() - i.first_arg) return false;
    const auto args = function.args_of(i);
    const auto below = [&](Value a) { return is_below(module, a, components); };
    if (i.op == Op::Select && args.size() == 3) return below(args[1]) && below(args[2]);
    return i.op == Op::And && std::any_of(args.begin(), args.end(), below);
}

}  // namespace

Verdict verify_access(const Module& module, uint32_t function, uint32_t index) {
    const Function& f = module.functions[function];
    const Instruction& i = f.instructions[index];
    const Variable& v = module.variables[i.aux];
    const auto args = f.args_of(i);
    auto type = [&](size_t n) { return type_of(module, f, args[n]); };
    if (Verdict bad = permitted(v, i)) return bad;
    if (v.kind == VariableKind::Local && v.function != function)
        return broken("variable-function", fmt::format("${} belongs to function {}", i.aux, v.function));

    size_t indices = index_count(i);
    const auto operands = static_cast<uint32_t>(atomic_operands(static_cast<AtomicOp>(i.sub)));
    const size_t after = i.op == Op::Store || i.op == Op::InterpSample || i.op == Op::InterpOffset ? 1
                         : i.op == Op::Atomic                                                      ? operands
                                                                                                   : 0;
    if (args.size() < after) return broken("access-indices", "an operand is missing");
    for (size_t n = 0; n < indices; n++)
        if (type(n) != u32())
            return broken("access-indices", fmt::format("index {} is {}, expected u32", n, type_name(type(n))));
    const auto levels = static_cast<size_t>(access_levels(v));
    if (i.op == Op::ArrayLength) {
        if (indices != levels - 1) return broken("access-indices", fmt::format("expected {} indices", levels - 1));
        return expect("the result", i.type, u32());
    }
    const bool component = indices == levels + 1 && v.element.components > 1;
    if (indices != levels && !component)
        return broken("access-indices", fmt::format("${} takes {} indices, found {}", i.aux, levels, indices));
    const Type element = component ? v.element.with(1) : v.element;
    const uint32_t components = v.element.components;
    if (component && !is_below(module, args[levels], components) && !is_masked(module, f, args[levels], components))
        return broken("access-indices", fmt::format("the component may be outside {}", type_name(v.element)));
    switch (i.op) {
        case Op::Store:
            return expect("the value", type(indices), element);
        case Op::Atomic:
            for (size_t n = indices; n < args.size(); n++)
                if (Verdict bad = expect("an operand", type(n), i.type)) return bad;
            if (static_cast<AtomicOp>(i.sub) == AtomicOp::FAdd)
                if (Verdict bad = expect("the result", i.type, f32())) return bad;
            return expect("the result", i.type, element);
        case Op::InterpSample:
            if (Verdict bad = expect("the sample", type(indices), u32())) return bad;
            return expect("the result", i.type, element);
        case Op::InterpOffset:
            if (Verdict bad = expect("the offset", type(indices), f32(2))) return bad;
            return expect("the result", i.type, element);
        default:
            return expect("the result", i.type, element);
    }
}

namespace {

/// The number of coordinate components inside one layer.
int plane_components(ImageDim dim) {
    switch (dim) {
        case ImageDim::D1:
        case ImageDim::Buffer:
            return 1;
        case ImageDim::D2:
        case ImageDim::SubpassData:
            return 2;
        case ImageDim::D3:
        case ImageDim::Cube:
            return 3;
    }
    return 0;
}

struct Image {
    const Module& m;
    const Function& f;
    const Instruction& i;
    const ImageOp& op;
    ImageArguments at;
    std::span<const uint32_t> args;
    Verdict verdict{};

    const Variable& image() const { return m.variables[op.image]; }

    void check(bool good, const char* rule, const char* text) {
        if (!good && !verdict) verdict = broken(rule, text);
    }
    void operand(const char* what, int n, Type expected) {
        if (n < 0 || verdict) return;
        const Type is = type_of(m, f, args[static_cast<size_t>(n)]);
        if (is == expected) return;
        verdict =
            broken("image-operand", fmt::format("the {} is {}, expected {}", what, type_name(is), type_name(expected)));
    }
    void constant_operand(const char* what, int n, Type expected) {
        operand(what, n, expected);
        if (n >= 0) check(is_constant(args[static_cast<size_t>(n)]), "image-constant", "an offset is not a constant");
    }

    bool sampled_op() const { return i.op == Op::ImageSample || i.op == Op::ImageSampleLod || i.op == Op::ImageGather; }

    void operands() {
        const ImageType& t = image().image;
        const bool texels = !sampled_op() && i.op != Op::ImageQueryLod;
        const int plane = plane_components(t.dim);
        const Type offset = u32(plane);
        operand("image index", at.image_index, u32());
        operand("sampler index", at.sampler_index, u32());
        if (at.coordinate >= 0) {
            const Type is = type_of(m, f, args[static_cast<size_t>(at.coordinate)]);
            const bool storage_cube =
                t.dim == ImageDim::Cube && image().kind == VariableKind::StorageImage && i.op != Op::ImageSample;
            const int least = plane + (t.array && !storage_cube && i.op != Op::ImageQueryLod);
            check(is.scalar == (texels ? Scalar::U32 : Scalar::F32) && is.components >= least, "image-coordinate",
                  "the coordinate has too few components, or the wrong type");
        }
        operand("reference", at.dref, f32());
        operand("texel", at.texel, Type{t.sampled, 4});
        operand("bias", at.bias, f32());
        operand("lod", at.lod, texels ? u32() : f32());
        operand("gradient", at.grad, f32(plane));
        if (at.grad >= 0) operand("gradient", at.grad + 1, f32(plane));
        constant_operand("offset", at.const_offset, offset);
        operand("offset", at.offset, offset);
        for (int n = 0; n < 4 && at.const_offsets >= 0; n++) constant_operand("offset", at.const_offsets + n, offset);
        operand("sample", at.sample, u32());
        operand("min lod", at.min_lod, f32());
        if (i.op == Op::ImageAtomic)
            for (auto n = static_cast<size_t>(at.operand); n < args.size(); n++)
                operand("operand", static_cast<int>(n), i.type);
    }
    void mask() {
        check(!(op.lod && op.grad) && !(op.bias && i.op != Op::ImageSample), "image-operands",
              "bias needs implicit LOD, and lod and gradients exclude each other");
        check(i.op != Op::ImageSampleLod || op.lod != op.grad, "image-operands", "explicit LOD needs lod or gradients");
        check(i.op != Op::ImageSample || (!op.lod && !op.grad), "image-operands",
              "implicit LOD takes neither lod nor gradients");
        check(!op.dref || sampled_op(), "image-operands", "only sampling and gathering take a reference");
        check(static_cast<int>(op.const_offset) + op.offset + op.const_offsets <= 1, "image-operands",
              "at most one kind of offset is allowed");
        check((!op.offset && !op.const_offsets) || i.op == Op::ImageGather, "image-operands",
              "only a gather takes offsets that are not constant, or four offsets");
    }
    void kind() {
        const VariableKind k = image().kind;
        const bool storage = k == VariableKind::StorageImage;
        switch (i.op) {
            case Op::ImageRead:
                check(storage || k == VariableKind::InputAttachment, "image-kind",
                      "reads an image that is neither a storage image nor an input attachment");
                break;
            case Op::ImageWrite:
            case Op::ImageAtomic:
                check(storage, "image-kind", "writes an image that is not a storage image");
                break;
            case Op::ImageQuerySize:
            case Op::ImageQuerySamples:
                check(k != VariableKind::InputAttachment, "image-kind", "queries an input attachment");
                break;
            default:
                check(k == VariableKind::CombinedImage || k == VariableKind::SampledImage, "image-kind",
                      "samples an image that is not a sampled image");
                break;
        }
        const bool needs_sampler = sampled_op() || i.op == Op::ImageQueryLod;
        check((op.sampler != kNone) == (needs_sampler && k == VariableKind::SampledImage), "image-sampler",
              "a sampler is needed exactly where a SAMPLE-family image is sampled");
    }
    void result() {
        const ImageType& t = image().image;
        Type expected{t.sampled, 4};
        switch (i.op) {
            case Op::ImageSample:
            case Op::ImageSampleLod:
                if (op.dref) expected = f32();
                break;
            case Op::ImageWrite:
                expected = kVoid;
                break;
            case Op::ImageAtomic:
                expected = {static_cast<AtomicOp>(i.sub) == AtomicOp::FAdd ? Scalar::F32 : t.sampled, 1};
                break;
            case Op::ImageQuerySize: {
                const int plane = t.dim == ImageDim::Cube ? 2 : plane_components(t.dim);
                expected = u32(plane + t.array);
                break;
            }
            case Op::ImageQueryLevels:
            case Op::ImageQuerySamples:
                expected = u32();
                break;
            case Op::ImageQueryLod:
                expected = f32(2);
                break;
            default:
                break;
        }
        if (i.type != expected && !verdict)
            verdict = broken("result-type",
                             fmt::format("the result is {}, expected {}", type_name(i.type), type_name(expected)));
    }
};

}  // namespace

Verdict verify_image(const Module& module, const Function& function, uint32_t index) {
    const Instruction& i = function.instructions[index];
    Image image{module, function, i, module.image_ops[i.aux], image_arguments(module, i), function.args_of(i)};
    if (static_cast<int>(image.args.size()) != image.at.count)
        return broken("argument-count",
                      fmt::format("expected {} arguments, found {}", image.at.count, image.args.size()));
    image.kind();
    image.mask();
    image.operands();
    image.result();
    return image.verdict;
}

}  // namespace tgsi2spv::ir
