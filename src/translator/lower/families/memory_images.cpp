// LOAD, STORE, RESQ and ATOM* on images. Semantics, Memory: where the layer, face and sample come from; STORE writes
// every component of the format; reads outside the image give 0 and writes are dropped, with any robustness of the
// device.
#include "lower/families/memory_images.h"

#include "ir/image_format.h"
#include "lower/context/components.h"
#include "lower/interface/resources.h"
#include "lower/options/facts.h"
#include "lower/registers/addressing.h"
#include "lower/registers/range_tests.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::File;
using tgsi::Numeric;
using tgsi::Opcode;
using tgsi::Target;

namespace {

using Format = spv::ImageFormat;

Format spirv_format(uint16_t pipe_format) {
    return static_cast<Format>(storage_format(pipe_format));
}

const tgsi::Declaration* declaration_of(const Operation& op, const tgsi::Operand& operand) {
    return tgsi::declaration_of(op.program, op.context.registers.naming(operand, operand.file));
}

/// The target as written. If none is written: BUFFER for an IMAGE, otherwise the declaration's.
Target target_of(const Operation& op, const tgsi::Operand& operand, const tgsi::Declaration* d) {
    if (op.instruction.target != Target::None) return op.instruction.target;
    if (operand.file == File::Resource && d != nullptr && d->target != Target::None) return d->target;
    return Target::Buffer;
}

/// The accesses of all instructions to the image; they share one type.
uint8_t uses_of(const Operation& op, const tgsi::Operand& operand) {
    if (!is_memory(operand.file)) return op.context.plan.handle_uses;
    const MemoryUses& uses = op.context.plan.memory_uses[static_cast<size_t>(operand.file)];
    const bool some_indirect = op.context.plan.indirect[static_cast<size_t>(operand.file)].some;
    return some_indirect ? uses.all : uses.of(static_cast<uint32_t>(operand.index));
}

/// Whether the bound format replaces the text's: the module has to name it, and no access depends on the other one.
bool replaces(const Operation& op, const tgsi::Operand& operand, uint16_t given, uint16_t written) {
    const auto type = [](uint16_t format) {
        const Numeric n = tgsi::format_info(format).numeric;
        return tgsi::is_integer(n) ? n : Numeric::Float;
    };
    const Format named = spirv_format(given);
    return type(given) == type(written) && named != Format::Unknown &&
           (ir::is_base_format(named) || op.capabilities.storage_image_extended_formats) &&
           !op.context.plan.indirect[static_cast<size_t>(operand.file)].some &&
           (uses_of(op, operand) & (access::kAtomic | access::kFloatAdd)) == 0;
}

/// The text's format, unless the state knows another one of the same type.
uint16_t format_of(const Operation& op, const tgsi::Operand& operand, const tgsi::Declaration* d) {
    const uint16_t written = op.instruction.format != 0 ? op.instruction.format
                             : d != nullptr             ? d->format
                                                        : uint16_t{0};
    if (!is_memory(operand.file)) return written;
    const auto& all = op.options.image_formats;
    const auto index = static_cast<size_t>(operand.index < 0 ? 0 : operand.index);
    const uint16_t given = index < all.size() ? all[index] : uint16_t{0};
    if (written == 0) return given;
    return given != 0 && operand.file == File::Image && replaces(op, operand, given, written) ? given : written;
}

/// The type of the texels. The state tells it where no format does.
Numeric numeric_of(const Operation& op, const tgsi::Operand& operand, uint16_t format) {
    const auto& given = op.options.state.images;
    const auto index = static_cast<size_t>(operand.index < 0 ? 0 : operand.index);
    if (format == 0 && operand.file == File::Image && index < given.size()) {
        if (given[index] == NumericType::UInt) return Numeric::Uint;
        if (given[index] == NumericType::SInt) return Numeric::Sint;
    }
    return tgsi::format_info(format).numeric;
}

/// A dimension with as many coordinates as the image's size.
ir::ImageDim dim_of(const tgsi::TargetShape& shape) {
    if (shape.buffer) return ir::ImageDim::Buffer;
    if (shape.cube) return ir::ImageDim::Cube;
    return shape.coords == 1 ? ir::ImageDim::D1 : shape.coords == 2 ? ir::ImageDim::D2 : ir::ImageDim::D3;
}

/// Whether this device can use the image without a format.
bool does_without_format(const Capabilities& capabilities, uint8_t uses) {
    if ((uses & (access::kAtomic | access::kFloatAdd)) != 0) return false;
    if ((uses & access::kRead) != 0 && !capabilities.storage_image_read_without_format) return false;
    return (uses & access::kWrite) == 0 || capabilities.storage_image_write_without_format;
}

const char* missing(const Capabilities& capabilities, const ir::ImageType& type, Opcode opcode) {
    if (type.dim == ir::ImageDim::Cube && type.array && !capabilities.cube_array) return "imageCubeArray";
    if (type.ms && !capabilities.storage_image_multisample) return "shaderStorageImageMultisample";
    if (type.format == 0 && opcode == Opcode::LOAD && !capabilities.storage_image_read_without_format)
        return "shaderStorageImageReadWithoutFormat";
    if (type.format == 0 && opcode == Opcode::STORE && !capabilities.storage_image_write_without_format)
        return "shaderStorageImageWriteWithoutFormat";
    return nullptr;
}

/// Sets the type of the image and how its values are stored.
void choose_type(Operation& op, const tgsi::Operand& operand, const tgsi::Declaration* d, ImageMemory& memory) {
    const uint16_t format = memory.raw ? *tgsi::format_from_name("R32_UINT") : format_of(op, operand, d);
    const Numeric numeric = numeric_of(op, operand, format);
    memory.is_pair = tgsi::format_info(format).name.starts_with("R64_");
    memory.type.dim = dim_of(memory.shape);
    memory.type.array = memory.shape.array;
    memory.type.ms = memory.shape.ms;
    Format wanted = spirv_format(format);
    const uint8_t uses = uses_of(op, operand);
    const bool atomics = (uses & (access::kAtomic | access::kFloatAdd)) != 0;
    if (numeric == Numeric::Uint || numeric == Numeric::Sint) {
        memory.type.sampled = Scalar::U32;
        memory.type.sampled_is_signed = numeric == Numeric::Sint;
        if (atomics && format == 0) wanted = numeric == Numeric::Sint ? Format::R32i : Format::R32ui;
    } else if (wanted == Format::R32f && op.capabilities.image_float32_atomic_add && (uses & access::kAtomic) == 0) {
        memory.adds_floats = true;
    } else if (atomics && (format == 0 || wanted == Format::R32f)) {
        memory.is_words =
            format != 0;  // the float atomics work on words; if no format is known, all accesses use words
        memory.type.sampled = Scalar::U32;
        wanted = Format::R32ui;
    }
    // A format that only the caller knows is not written to the module unless necessary: only the type must match.
    const bool written = op.instruction.format != 0 || (d != nullptr && d->format != 0) || memory.raw;
    if (!written && does_without_format(op.capabilities, uses)) wanted = Format::Unknown;
    if (!ir::is_base_format(wanted) && !op.capabilities.storage_image_extended_formats) wanted = Format::Unknown;
    memory.type.format = static_cast<uint16_t>(wanted);
}

/// Refuses accesses that the type or the device does not have.
bool check_access(Operation& op, const ImageMemory& memory) {
    const auto format = static_cast<Format>(memory.type.format);
    const bool adds = memory.adds_floats && op.instruction.op == Opcode::ATOMFADD;
    if (is_atomic(op.instruction.op) && !adds && format != Format::R32ui && format != Format::R32i) {
        refuse(op, "unsupported-atomic",
               "images of this format have no atomics: only R32_UINT, R32_SINT and R32_FLOAT have");
        return false;
    }
    // The checker does not know the formats that the caller gives.
    const bool words = memory.type.sampled == Scalar::U32 && !memory.is_words && op.instruction.op != Opcode::ATOMFADD;
    if (op.instruction.saturate && words) {
        refuse(op, "saturate-integer", "the image has integers, which _SAT does not support");
        return false;
    }
    if (const char* what = missing(op.capabilities, memory.type, op.instruction.op)) {
        refuse_lacking(op, what);
        return false;
    }
    return true;
}

}  // namespace

int coordinates_of(const ImageMemory& memory) {
    return memory.shape.cube ? 3 : memory.shape.coords + (memory.shape.array ? 1 : 0);
}

bool image_memory(Operation& op, const tgsi::Operand& operand, ImageMemory& memory) {
    Context& w = op.context;
    const bool named = is_memory(operand.file);  // otherwise it is a handle
    const tgsi::Declaration* d = named ? declaration_of(op, operand) : nullptr;
    const Target target = target_of(op, operand, d);
    if (target == Target::Unknown) {
        refuse(op, "unsupported-operand", "an image needs a target");
        return false;
    }
    memory.shape = tgsi::shape(target);
    memory.raw = operand.file == File::Resource && d != nullptr && d->raw;
    const auto& samples = op.options.state.image_samples;
    if (operand.file == File::Image && !operand.index_is_relative &&
        static_cast<size_t>(operand.index) < samples.size())
        memory.samples = samples[static_cast<size_t>(operand.index)];
    choose_type(op, operand, d, memory);
    if (!check_access(op, memory)) return false;
    memory.ref = named ? resource(op, operand, ir::VariableKind::StorageImage, memory.type)
                       : handle(op, operand, ir::VariableKind::StorageImage, memory.type);
    memory.selected = memory.ref.exists;
    if (const tgsi::Relative* relative = named ? op.program.index_relative(operand) : nullptr)
        memory.selected = in_range(w, operand.file, 0, operand.array_id, relative_index(w, *relative, operand.index));
    if (!w.ok) return false;
    return select_from(op, memory.ref, memory.descriptors);
}

Value issue_image(Operation& op, const ImageMemory& memory, Op o, ir::Type type, ir::ImageOp image,
                  std::span<const Value> args, uint8_t sub) {
    image.image = memory.ref.variable;
    image.non_uniform = memory.ref.non_uniform && memory.descriptors == 0;
    Value all[8];
    size_t n = 0;
    if (memory.ref.index != ir::kNone) all[n++] = memory.ref.index;
    for (const Value v : args) all[n++] = v;
    return op.b.image(o, type, image, std::span<const Value>(all, n), sub);
}

namespace {

/// Width, height, depth or layers as OpImageQuerySize returns them: two for cubes (and the number of cubes).
Value image_size(Operation& op, const ImageMemory& memory) {
    const int n = memory.shape.cube ? 2 + memory.shape.array : memory.shape.coords + memory.shape.array;
    return issue_image(op, memory, Op::ImageQuerySize, ir::u32(n), {}, {});
}

/// The exclusive upper limits of the coordinates. The third coordinate of cubes counts faces.
Value coordinate_limits(Operation& op, const ImageMemory& memory) {
    ir::Builder& b = op.b;
    const Value size = image_size(op, memory);
    if (!memory.shape.cube) return size;
    const Value six = b.const_u32(6);
    const Value faces = memory.shape.array ? b.imul(b.extract(size, 2), six) : six;
    return b.compose({{size, 0}, {size, 1}, {faces, 0}});
}

/// Drivers may have to read the descriptor to tell it.
Value samples_of(Operation& op, const ImageMemory& memory) {
    if (memory.samples != 0) return op.b.const_u32(memory.samples);
    return issue_image(op, memory, Op::ImageQuerySamples, ir::u32(), {}, {});
}

/// The nearest place that exists in the image, if texels are clamped.
ImagePlace reachable(Operation& op, const ImageMemory& memory, const ImagePlace& place) {
    if (policy(op.options, &Bounds::images) != OutOfRange::Clamp) return place;
    ir::Builder& b = op.b;
    const auto below = [&](Value x, Value limit) {
        const ir::Type type = b.type_of(x);
        const Value last = b.isub(limit, b.const_splat(type, 1));
        return b.umin(b.smax(x, b.zero(type)), last);
    };
    ImagePlace out = place;
    out.coordinate = below(place.coordinate, coordinate_limits(op, memory));
    if (memory.shape.ms) out.sample = below(place.sample, samples_of(op, memory));
    return out;
}

/// Coordinates are unsigned: a negative one is far outside. Devices check them, but Vulkan says nothing of the sample.
Value coordinate_inside(Operation& op, const ImageMemory& memory, const ImagePlace& place) {
    ir::Builder& b = op.b;
    Value inside = memory.selected;
    if (policy(op.options, &Bounds::images) != OutOfRange::Zero) return inside;
    if (!device_checks(op, memory.shape.buffer))
        inside = both(b, inside, b.all(b.ult(place.coordinate, coordinate_limits(op, memory))));
    if (!memory.shape.ms) return inside;
    return both(b, inside, b.ult(place.sample, samples_of(op, memory)));
}

std::span<const Value> arguments(Value (&args)[4], const ImagePlace& place, Value texel = ir::kNone) {
    size_t n = 0;
    args[n++] = place.coordinate;
    if (texel != ir::kNone) args[n++] = texel;
    if (place.sample != ir::kNone) args[n++] = place.sample;
    return {args, n};
}

/// A place that exists, or whose coordinates the device checks, used where `inside` is false.
ImagePlace safe(Operation& op, const ImageMemory& memory, const ImagePlace& place, Value inside) {
    ir::Builder& b = op.b;
    if (inside == ir::kNone) return place;
    ImagePlace out = place;
    if (!device_checks(op, memory.shape.buffer))
        out.coordinate = b.select(inside, place.coordinate, b.zero(b.type_of(place.coordinate)));
    if (place.sample != ir::kNone) out.sample = b.select(inside, place.sample, b.const_u32(0));
    return out;
}

/// For R32_FLOAT viewed as words: adds the values that a float format gives for the missing components.
Value as_float_texel(Operation& op, Value four) {
    ir::Builder& b = op.b;
    const Value zero = b.const_u32(0), one = b.const_u32(0x3f80'0000);
    return b.compose({{four, 0}, {zero, 0}, {zero, 0}, {one, 0}});
}

Value load_texel(Operation& op, const ImageMemory& memory, const ImagePlace& asked) {
    ir::Builder& b = op.b;
    const ImagePlace place = reachable(op, memory, asked);
    const Value inside = coordinate_inside(op, memory, place);
    const ir::Type type{memory.type.sampled, 4};
    Value args[4];
    Value four = issue_image(op, memory, Op::ImageRead, type, {.sample = memory.shape.ms},
                             arguments(args, safe(op, memory, place, inside)));
    if (memory.is_words) four = as_float_texel(op, four);
    if (memory.is_pair) four = b.compose({{four, 0}, {four, 1}, {b.const_u32(0), 0}, {b.const_u32(0), 0}});
    return inside == ir::kNone ? four : b.select(inside, four, b.zero(type));
}

/// RAW: the word that is `words` after the one at `place`, in its row.
ImagePlace word_behind(Operation& op, const ImagePlace& place, int words) {
    if (words == 0) return place;
    ir::Builder& b = op.b;
    const int n = b.type_of(place.coordinate).components;
    ir::Component components[4];
    for (int c = 0; c < n; ++c) components[c] = {place.coordinate, static_cast<uint8_t>(c)};
    const Value x = n == 1 ? place.coordinate : b.extract(place.coordinate, 0);
    components[0] = {b.iadd(x, b.const_u32(static_cast<uint32_t>(words))), 0};
    ImagePlace out = place;
    out.coordinate = b.compose(std::span(components, static_cast<size_t>(n)));
    return out;
}

/// RES … RAW: component c is the word at address + 4c, each checked separately.
Outcome load_raw(Operation& op, ImageMemory& memory, const tgsi::Operand& operand, const ImagePlace& place) {
    ir::Builder& b = op.b;
    const ir::Type type = ir::u32(op.width);
    return done(for_descriptor(op, memory, type, [&](const ImageMemory& here) {
        return per_component(op, [&](int c) {
            return b.extract(load_texel(op, here, word_behind(op, place, operand.component(c))), 0);
        });
    }));
}

Outcome lower_load(Operation& op, ImageMemory& memory, const tgsi::Operand& operand) {
    ir::Builder& b = op.b;
    const ImagePlace place = place_of(op, memory, 1);
    if (memory.raw) return load_raw(op, memory, operand, place);
    const Value four = for_descriptor(op, memory, ir::Type{memory.type.sampled, 4},
                                      [&](const ImageMemory& here) { return load_texel(op, here, place); });
    // A swizzle on a resource permutes the loaded texel; a swizzle on a handle selects the handle's words.
    const bool named = is_memory(operand.file);
    return done(per_component(op, [&](int c) { return b.extract(four, named ? operand.component(c) : c); }));
}

/// RES … RAW: only the words of the mask are stored.
Outcome store_raw(Operation& op, ImageMemory& memory, const ImagePlace& place) {
    ir::Builder& b = op.b;
    const uint8_t mask = resource_operand(op).write_mask;
    Value words[4] = {};
    for (int c = 0; c < 4; ++c)
        if (mask >> c & 1) words[c] = source_component(op, 1, Scalar::U32, static_cast<uint8_t>(c));
    const Value zero = b.const_u32(0);
    const Value allowed = may_write(op.context);
    for_descriptor(op, memory, ir::kVoid, [&](const ImageMemory& here) {
        for (int c = 0; c < 4; ++c) {
            if ((mask >> c & 1) == 0) continue;
            const ImagePlace at = reachable(op, here, word_behind(op, place, c));
            where(b, both(b, allowed, coordinate_inside(op, here, at)), ir::kVoid, [&] {
                Value args[4];
                const Value texel = b.compose({{words[c], 0}, {zero, 0}, {zero, 0}, {zero, 0}});
                issue_image(op, here, Op::ImageWrite, ir::kVoid, {.sample = memory.shape.ms},
                            arguments(args, at, texel));
                return ir::kNone;
            });
        }
        return ir::kNone;
    });
    return {};
}

Outcome lower_store(Operation& op, ImageMemory& memory) {
    ir::Builder& b = op.b;
    const ImagePlace place = place_of(op, memory, 0);
    if (memory.raw) return store_raw(op, memory, place);
    const Value texel = source(op, 1, memory.type.sampled, all_components());
    const Value allowed = may_write(op.context);
    for_descriptor(op, memory, ir::kVoid, [&](const ImageMemory& here) {
        const ImagePlace at = reachable(op, here, place);
        return where(b, both(b, allowed, coordinate_inside(op, here, at)), ir::kVoid, [&] {
            Value args[4];
            issue_image(op, here, Op::ImageWrite, ir::kVoid, {.sample = memory.shape.ms}, arguments(args, at, texel));
            return ir::kNone;
        });
    });
    return {};
}

Outcome lower_atomic_texel(Operation& op, ImageMemory& memory) {
    ir::Builder& b = op.b;
    const ImagePlace asked = place_of(op, memory, 1);
    const Value data = source_component(op, 2, Scalar::U32, 0);
    const bool swaps = op.instruction.op == Opcode::ATOMCAS;
    const Value desired = swaps ? source_component(op, 3, Scalar::U32, 0) : ir::kNone;
    const Value allowed = may_write(op.context);
    const auto act = [&](const ImageMemory& here) {
        const ImagePlace place = reachable(op, here, asked);
        return where(b, both(b, allowed, coordinate_inside(op, here, place)), ir::u32(), [&] {
            const auto emit = [&](ir::AtomicOp sub, Value first, Value second) {
                Value args[4];
                size_t n = arguments(args, place).size();
                args[n++] = first;
                if (second != ir::kNone) args[n++] = second;
                return issue_image(op, here, Op::ImageAtomic, ir::u32(), {.sample = memory.shape.ms},
                                   std::span<const Value>(args, n), static_cast<uint8_t>(sub));
            };
            if (memory.adds_floats) {
                Value args[4];
                size_t n = arguments(args, place).size();
                args[n++] = b.bitcast(data, Scalar::F32);
                const Value old =
                    issue_image(op, here, Op::ImageAtomic, ir::f32(), {.sample = memory.shape.ms},
                                std::span<const Value>(args, n), static_cast<uint8_t>(ir::AtomicOp::FAdd));
                return b.bitcast(old, Scalar::U32);
            }
            if (const auto atomic = atomic_operation(op.instruction.op)) return emit(*atomic, data, desired);
            return compare_loop(op, data, [&](Value expected, Value next) {
                return emit(ir::AtomicOp::CompareExchange, expected, next);
            });
        });
    };
    return done(for_descriptor(op, memory, ir::u32(), act));
}

/// x width, y height (1D_ARRAY: layers), z depth or layers (CUBEARRAY: cubes), w samples.
Outcome lower_query(Operation& op, ImageMemory& memory) {
    ir::Builder& b = op.b;
    const int n = memory.shape.cube ? 2 + memory.shape.array : memory.shape.coords + memory.shape.array;
    const auto query = [&](const ImageMemory& here) {
        Value size = ir::kNone;
        return per_component(op, [&](int c) {
            if (c < 3) {
                if (c >= n) return b.const_u32(0);
                if (size == ir::kNone) size = image_size(op, here);
                return b.extract(size, c);
            }
            return memory.shape.ms ? samples_of(op, here) : b.const_u32(1);
        });
    };
    const Value value = for_descriptor(op, memory, ir::u32(op.width), query);
    return done(memory.selected == ir::kNone ? value : b.select(memory.selected, value, b.zero(b.type_of(value))));
}

}  // namespace

ImagePlace place_of(Operation& op, const ImageMemory& memory, int address) {
    ImagePlace place;
    place.coordinate = source(op, address, Scalar::U32, first_components(coordinates_of(memory)));
    if (memory.raw) {  // bytes in the row
        ir::Builder& b = op.b;
        uint32_t shifts[4] = {2};
        place.coordinate = b.lshr(
            place.coordinate,
            b.const_words(b.type_of(place.coordinate), std::span(shifts, static_cast<size_t>(coordinates_of(memory)))));
    }
    if (memory.shape.ms) place.sample = source_component(op, address, Scalar::U32, 3);
    return place;
}

Outcome lower_image(Operation& op) {
    const tgsi::Operand& o = resource_operand(op);
    ImageMemory m;
    if (!image_memory(op, o, m)) return {.ok = false};
    switch (op.instruction.op) {
        case Opcode::LOAD:
            return lower_load(op, m, o);
        case Opcode::STORE:
            return lower_store(op, m);
        case Opcode::RESQ:
            return lower_query(op, m);
        default:
            return lower_atomic_texel(op, m);
    }
}

}  // namespace tgsi2spv::lower
