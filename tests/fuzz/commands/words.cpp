// Valid words, as a guest that follows the protocol may send them.
#include <algorithm>
#include <bit>

#include "boxes.h"

namespace tgsi2spv::fuzz {
namespace {

using O = virgl::ObjectType;

constexpr float kFloats[] = {0, 1, 0.5F, 0.25F, -1, 2, 8, 16, -0.125F};
constexpr uint32_t kBufferOffsets[] = {0, 0, 0, 16, 64, 256};
constexpr uint32_t kLengths[] = {4, 16, 64, 256, 1024, ~0U};

uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}
uint32_t some_float(Stream& s) {
    return bits(s.random.pick(kFloats));
}

bool contains(const std::vector<uint32_t>& formats, uint32_t format) {
    return std::ranges::find(formats, format) != formats.end();
}
uint32_t pair(uint32_t low, uint32_t high) {
    return low | high << 16;
}

/// First and last of `count`, with `shift` between them: often all.
uint32_t some_of(Stream& s, uint32_t count, uint32_t shift) {
    const uint32_t first = s.random.one_in(2) ? 0 : s.random.below(count);
    const uint32_t last = s.random.one_in(2) ? count - 1 : first + s.random.below(count - first);
    return first | last << shift;
}

uint32_t view_layers(Stream& s, const Resource* r) {
    if (r == nullptr) return 0;
    if (r->is_buffer()) return s.random.below(std::max(r->info.width / 32, 1U));
    return some_of(s, r->info.target == 3 ? 1 : r->slices(0), 16);
}
uint32_t view_levels(Stream& s, const Resource* r) {
    if (r == nullptr) return 0;
    if (r->is_buffer()) return std::max(r->info.width / 16, 1U) - 1;
    return some_of(s, r->info.last_level + 1, 8);
}

uint32_t shader(Stream& s, virgl::Stage stage) {
    const auto of_stage = [stage](const Object& o) { return o.stage == stage; };
    return use(s, O::Shader, of_stage);
}

/// A surface whose resource has as many samples as the others.
uint32_t attachment(Stream& s, Filling& f, bool depth) {
    const auto fits = [&](const Object& o) {
        const auto at = s.resources.find(o.resource);
        if (at == s.resources.end() || is_depth(at->second) != depth) return false;
        return f.samples == 0 || std::max(at->second.info.samples, 1U) == f.samples;
    };
    const uint32_t handle = use(s, O::Surface, fits);
    const auto at = s.objects[static_cast<size_t>(O::Surface)].find(handle);
    if (handle != 0 && at != s.objects[static_cast<size_t>(O::Surface)].end())
        if (const auto r = s.resources.find(at->second.resource); r != s.resources.end())
            f.samples = std::max(r->second.info.samples, 1U);
    return handle;
}

uint32_t any_object(Stream& s, O type) {
    return use(s, type, [](const Object&) { return true; });
}

/// Handles of a type are in a range of their own; shaders of a stage, too.
uint32_t new_handle(Stream& s, Filling& f) {
    const auto type = static_cast<O>(f.row->op >> 8 & 0xff);
    const auto number = static_cast<uint32_t>(type == O::MsaaSurface ? O::Surface : type);
    uint32_t handle = number * 64 + 1 + s.random.below(8);
    if (type == O::Shader) {
        do f.text = &s.random.pick(s.texts);
        while (f.row->group[0] != Kind::End && f.text->stage != virgl::Stage::Vert);
        handle += 8 * static_cast<uint32_t>(f.text->stage);
    }
    return handle;
}

uint32_t resource_word(Stream& s, Filling& f, Kind kind) {
    const virgl::ResourceRequest& r = f.request.info;
    switch (kind) {
        case Kind::NewResource:
            f.request = random_resource(s);
            return f.request.info.handle;
        case Kind::Target:
            return r.target;
        case Kind::Format:
            return r.format;
        case Kind::Bind:
            return r.bind;
        case Kind::Width:
            return r.width;
        case Kind::Height:
            return r.height;
        case Kind::Depth:
            return r.depth;
        case Kind::Layers:
            return r.array_size;
        case Kind::LastLevel:
            return r.last_level;
        case Kind::Samples:
            return r.samples;
        default:
            return f.request.memory;
    }
}

/// Primitives that the bound stages take.
uint32_t primitive(Stream& s) {
    constexpr uint32_t kUsual[] = {4, 4, 4, 5, 6, 0, 1, 3};
    constexpr uint32_t kSeldom[] = {10, 11, 12, 13};  // with adjacency
    if (s.shaders[s.sub][4] != 0) return 14;
    return s.random.one_in(6) ? s.random.pick(kSeldom) : s.random.pick(kUsual);
}

uint32_t blend_target(Stream& s, const Filling& f) {
    const uint32_t mask = s.random.one_in(3) ? s.random.below(16) : 15;
    if (!f.two_sources && s.random.below(3) != 0) return mask << 27;
    constexpr uint32_t kFactors[] = {1,    2,    3,    4,    5,    6,    7,    8,    9,   0xa,
                                     0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x19, 0x1a};
    constexpr uint32_t kSecond[] = {9, 0xa, 0x19, 0x1a};
    const bool second = f.two_sources || s.random.one_in(2);
    const auto factor = [&] { return second && s.random.one_in(2) ? s.random.pick(kSecond) : s.random.pick(kFactors); };
    return 1 | s.random.below(5) << 1 | factor() << 4 | factor() << 9 | s.random.below(5) << 14 | factor() << 17 |
           factor() << 22 | mask << 27;
}

uint32_t sampler_flags(Stream& s) {
    const auto bit = [&](uint32_t n) { return s.random.below(2) << n; };
    return s.random.below(8) | s.random.below(8) << 3 | s.random.below(8) << 6 | bit(9) | s.random.below(3) << 11 |
           bit(13) | bit(15) | s.random.below(8) << 16 | bit(19) | s.random.below(17) << 20;
}

/// A few bits of many: most state is at rest.
uint32_t few_bits(Stream& s, uint32_t always, uint32_t some) {
    uint32_t result = always;
    for (uint32_t n = s.random.below(4); n > 0; n--) result ^= 1U << s.random.below(32) & some;
    return result;
}

uint32_t object_word(Stream& s, Filling& f, Kind kind) {
    switch (kind) {
        case Kind::New:
            return new_handle(s, f);
        case Kind::BlendFlags:
            f.two_sources = s.random.one_in(8);
            return few_bits(s, 0, 0x1f);
        case Kind::LogicOp:
            return s.random.below(16);
        case Kind::BlendTarget:
            return blend_target(s, f);
        case Kind::RasterizerFlags:
            // Fill modes are of two bits, of which not both are set.
            return few_bits(s, 1U << 1 | 1U << 29, 0xffff'cfff & ~(3U << 10)) | s.random.below(3) << 10;
        case Kind::PointSize:
        case Kind::LineWidth:
            return s.random.one_in(4) ? some_float(s) : bits(1);
        case Kind::SpriteMask:
            return s.random.one_in(4) ? s.random.word() : 0;
        case Kind::LineStipple:
            return s.random.one_in(4) ? s.random.word() : 0;
        case Kind::DepthFlags:
            return s.random.below(8) | s.random.below(4) << 2 | (s.random.one_in(6) ? s.random.below(16) << 8 : 0);
        case Kind::StencilFace:
            return s.random.one_in(3) ? s.random.word() & 0x1fff'ffff : 0;
        case Kind::Unit:
            return s.random.one_in(2) ? bits(0.5F) : bits(s.random.one_in(2) ? 0 : 1);
        case Kind::ElementOffset:
            return 4 * s.random.below(8);
        case Kind::Divisor:
            return s.random.one_in(4) ? s.random.below(3) : 0;
        case Kind::ElementBuffer:
            return s.random.below(2);
        case Kind::VertexFormat:
            return s.random.one_in(2) ? 31 : s.random.pick(s.offers.vertex);
        case Kind::ViewOf:
            f.resource = handle_of(find(s, [&](const Resource& r) { return !r.bytes_only; }));
            return f.resource;
        case Kind::ViewFormat: {
            const Resource* r = chosen(s, f);
            return view_format(s, r) | (r == nullptr ? 0 : r->info.target) << 24;
        }
        case Kind::ViewLayers:
            return view_layers(s, chosen(s, f));
        case Kind::ViewLevels:
            return view_levels(s, chosen(s, f));
        case Kind::Swizzle:
            return s.random.one_in(2)
                       ? 0 | 1 << 3 | 2 << 6 | 3 << 9
                       : s.random.below(6) | s.random.below(6) << 3 | s.random.below(6) << 6 | s.random.below(6) << 9;
        case Kind::SamplerFlags:
            return sampler_flags(s);
        case Kind::SurfaceOf:
            f.resource = handle_of(find(s, [&](const Resource& r) {
                return is_texture(r) && (contains(s.offers.color, r.info.format) || is_depth(r));
            }));
            return f.resource;
        case Kind::SurfaceFormat:
            return view_format(s, chosen(s, f));
        case Kind::SurfaceLevel: {
            const Resource* r = chosen(s, f);
            return f.level = r == nullptr || s.random.one_in(2) ? 0 : s.random.below(r->info.last_level + 1);
        }
        case Kind::SurfaceLayers: {
            const Resource* r = chosen(s, f);
            return r == nullptr ? 0 : some_of(s, r->slices(f.level), 16);
        }
        case Kind::SurfaceSamples: {
            const Resource* r = chosen(s, f);
            return r == nullptr ? 0 : r->info.samples;
        }
        case Kind::QueryType:
            return pair(s.random.below(13), s.random.one_in(3) ? s.random.below(4) : 0);
        case Kind::QueryBytes:
        case Kind::StagingBytes:
            return handle_of(find(s, [](const Resource& r) { return r.bytes_only && r.memory != 0; }));
        case Kind::CaptureBuffer:
            f.resource = handle_of(find(s, is_buffer));
            return f.resource;
        case Kind::CaptureOffset:
            return f.start[0] = s.random.one_in(2) ? 0 : 16;
        case Kind::CaptureSize: {
            const Resource* r = chosen(s, f);
            return r == nullptr || r->info.width < f.start[0] ? 0 : (r->info.width - f.start[0]) / 4 * 4;
        }
        case Kind::TextLength:
            return static_cast<uint32_t>(f.text->text.size() + 1);
        case Kind::SharedBytes: {  // other stages have a number of captured outputs here
            constexpr uint32_t kBytes[] = {0, 4, 16, 1000, 4096, 32768};
            return f.text->stage == virgl::Stage::Comp ? s.random.pick(kBytes) : 0;
        }
        case Kind::CaptureStride:
            return 8 + s.random.below(4);
        case Kind::OutputWord:  // one after the other
            return s.random.below(2) | (1 + s.random.below(4)) << 10 | s.random.below(2) << 13 | 4 * f.outputs++ << 16;
        case Kind::Lod:
        case Kind::Border:
        case Kind::DepthBias:
            return some_float(s);
        default:
            return 0;
    }
}

uint32_t handle_word(Stream& s, Filling& f, Kind kind) {
    switch (kind) {
        case Kind::Blend:
            return any_object(s, O::Blend);
        case Kind::Rasterizer:
            return any_object(s, O::Rasterizer);
        case Kind::DepthStencilAlpha:
            return any_object(s, O::DepthStencilAlpha);
        case Kind::Elements:
            return any_object(s, O::VertexElements);
        case Kind::Vert:
        case Kind::Frag:
        case Kind::Comp:
            return shader(s, kind == Kind::Vert   ? virgl::Stage::Vert
                             : kind == Kind::Frag ? virgl::Stage::Frag
                                                  : virgl::Stage::Comp);
        case Kind::Geom:
            return s.random.below(3) != 0 ? 0 : shader(s, virgl::Stage::Geom);
        case Kind::TessCtrl:
            // Without the other tessellation stage, nothing draws.
            return s.shaders[s.sub][4] == 0 || s.random.one_in(2) ? 0 : shader(s, virgl::Stage::TessCtrl);
        case Kind::TessEval:
            return s.random.below(3) != 0 ? 0 : shader(s, virgl::Stage::TessEval);
        case Kind::View:
            return s.random.one_in(8) ? 0 : any_object(s, O::SamplerView);
        case Kind::Sampler:
            return s.random.one_in(8) ? 0 : any_object(s, O::SamplerState);
        case Kind::AnySurface: {
            const uint32_t handle = any_object(s, O::Surface);
            f.resource = s.objects[static_cast<size_t>(O::Surface)][handle].resource;
            return handle;
        }
        case Kind::ColorSurface:
            return s.random.one_in(8) ? 0 : attachment(s, f, false);
        case Kind::DepthSurface:
            return s.random.one_in(2) ? 0 : attachment(s, f, true);
        case Kind::Query:
            return any_object(s, O::Query);
        case Kind::Condition:
            return s.random.below(3) != 0 ? 0 : any_object(s, O::Query);
        case Kind::StreamTarget:
            return s.random.one_in(6) ? 0 : any_object(s, O::StreamoutTarget);
        default: {
            auto& objects = s.objects[f.row->op >> 8 & 0xff];
            return objects.empty() ? 1 : s.random.pick(objects).first;
        }
    }
}

uint32_t buffer_word(Stream& s, Filling& f, Kind kind) {
    switch (kind) {
        case Kind::VertexStride:
            return 4 * s.random.below(13);
        case Kind::VertexOffset:
            return 4 * s.random.below(8);
        case Kind::IndexSize:
            return 1U << s.random.below(3);
        case Kind::IndexOffset:
            return 4 * s.random.below(4);
        case Kind::UniformOffset:
        case Kind::StorageOffset:
            return s.random.pick(kBufferOffsets);
        case Kind::UniformLength:
        case Kind::StorageLength:
            return s.random.pick(kLengths);
        case Kind::ImageFormat: {
            f.resource = handle_of(find(s, [&](const Resource& r) {
                return !r.bytes_only && !r.arguments && !r.format->has(host::kCompressed | host::kDepthStencil) &&
                       (r.is_buffer() || contains(s.offers.color, r.info.format));
            }));
            const Resource* r = chosen(s, f);
            f.level = r == nullptr || r->is_buffer() ? 0 : s.random.below(r->info.last_level + 1);
            return view_format(s, r);
        }
        case Kind::ImageAccess:
            return 1 + s.random.below(3);
        case Kind::ImageLayers: {
            const Resource* r = chosen(s, f);
            return r == nullptr     ? 0
                   : r->is_buffer() ? s.random.pick(kBufferOffsets)
                                    : some_of(s, r->slices(f.level), 16);
        }
        case Kind::ImageLevel: {
            const Resource* r = chosen(s, f);
            return r != nullptr && r->is_buffer() ? s.random.pick(kLengths) : f.level;
        }
        case Kind::ImageOf:
            return s.random.one_in(8) ? 0 : f.resource;
        case Kind::UniformBuffer:
        case Kind::StorageBuffer:
            if (s.random.one_in(12)) return 0;
            return handle_of(find(s, [](const Resource& r) { return is_buffer(r) && r.info.width >= 1024; }));
        case Kind::IndexBuffer:
            // Any buffer: an index without an object reads 0.
        case Kind::QboBuffer:
            return handle_of(find(s, is_buffer));
        case Kind::VertexBuffer:
            return s.random.one_in(12) ? 0 : handle_of(find(s, is_buffer));
        case Kind::QboOffset:
            return 8 * s.random.below(2);
        case Kind::QboIndex:
            return s.random.one_in(3) ? ~0U : 0;
        default:
            return s.random.below(4);
    }
}

uint32_t state_word(Stream& s, Filling& f, Kind kind) {
    constexpr uint32_t kStages[] = {1, 1, 1, 1, 0, 5, 5, 2, 3, 4};
    switch (kind) {
        case Kind::Stage:
            return f.text != nullptr ? static_cast<uint32_t>(f.text->stage) : s.random.pick(kStages);
        case Kind::Slot:
            return s.random.below(4) != 0 ? 0 : s.random.one_in(3) ? 4 + s.random.below(25) : s.random.below(4);
        case Kind::ViewportSlot:
            return s.random.below(4) != 0 ? 0 : s.random.below(8);
        case Kind::ConstantSlot:
            return s.random.below(4);
        case Kind::ViewportScale:
        case Kind::ViewportOffset:
            return s.random.one_in(4) ? some_float(s) : bits(8);
        case Kind::Corner:
            return pair(s.random.below(20), s.random.below(20));
        case Kind::StencilRef:
            return s.random.below(0x10000);
        case Kind::Bitmask:
            return s.random.one_in(2) ? ~0U : s.random.word();
        case Kind::Few:
            return s.random.below(4);
        case Kind::Flag:
            return s.random.below(2);
        case Kind::Sizes:
            return pair(1 + s.random.below(64), 1 + s.random.below(64));
        case Kind::LayersSamples:
            return pair(s.random.below(4), s.random.one_in(2) ? 0 : 4);
        case Kind::TessLevel:
            return bits(s.random.one_in(4) ? 0.5F : static_cast<float>(1 + s.random.below(4)));
        case Kind::ConditionMode:
            return s.random.below(4);
        case Kind::SubContext:
            return s.random.below(kSubContexts);
        case Kind::OldSubContext: {
            const uint32_t number = s.random.below(kSubContexts);
            return (s.subs >> number & 1) != 0 ? number : 0;
        }
        default:
            return some_float(s);  // Plane
    }
}

uint32_t work_word(Stream& s, Filling& f, Kind kind) {
    switch (kind) {
        case Kind::ClearBits:
            return s.random.one_in(2) ? 0xff : s.random.below(64);
        case Kind::ColorWord:
            return s.random.one_in(4) ? s.random.word() : some_float(s);
        case Kind::DoubleLow:
            return 0;
        case Kind::DoubleHigh:
            return s.random.one_in(2) ? 0x3ff00000 : 0;
        case Kind::First:
            return s.random.one_in(3) ? s.random.below(4) : 0;
        case Kind::Vertices:
            return s.random.one_in(4) ? s.random.below(13) : 3;
        case Kind::Primitive:
            return primitive(s);
        case Kind::Instances:
            return s.random.one_in(4) ? s.random.below(4) : 1;
        case Kind::Bias:
            return s.random.one_in(4) ? s.random.below(4) : 0;
        case Kind::RestartIndex:
            return s.random.one_in(2) ? ~0U : s.random.below(4);
        case Kind::CapturedSize: {
            const auto& targets = s.objects[static_cast<size_t>(O::StreamoutTarget)];
            return targets.empty() || s.random.below(6) != 0 ? 0 : s.random.pick(targets).second.creation.words.back();
        }
        case Kind::PatchVertices:
            return 1 + s.random.below(4);
        case Kind::Arguments:
            return handle_of(find(s, [](const Resource& r) { return r.arguments; }));
        case Kind::ArgumentsOffset:
            return 4 * s.random.below(8);
        case Kind::ArgumentsStride:
            return s.random.one_in(2) ? 0 : 20 + 4 * s.random.below(4);
        case Kind::ArgumentsCount:
            return s.random.below(4);
        case Kind::Block:
            return 1 + s.random.below(4);
        case Kind::Grid:
            return s.random.below(3);
        case Kind::BlitMask: {
            const uint32_t filter = s.random.one_in(3) ? 1U << 8 : 0;
            return (s.random.one_in(3) ? 0x30U : 0xfU) | filter | (s.random.one_in(6) ? s.random.below(8) << 10 : 0);
        }
        case Kind::Direction:
            return 1 + s.random.below(2);
        case Kind::Seed:
            return s.resources.contains(f.resource) && s.resources.at(f.resource).arguments ? s.random.word() | 1
                                                                                            : s.random.word();
        default:
            return 0;
    }
}

}  // namespace

uint32_t right_word(Stream& stream, Filling& filling, Kind kind) {
    if (kind >= Kind::Is0 && kind <= Kind::Is5) return static_cast<uint32_t>(kind) - static_cast<uint32_t>(Kind::Is0);
    if (kind == Kind::Tokens) return 300;
    if (kind == Kind::OldResource) return stream.resources.empty() ? 1 : stream.random.pick(stream.resources).first;
    if (kind == Kind::Count || kind == Kind::OutputCount) return filling.groups;
    if (kind == Kind::StagingBytes) return object_word(stream, filling, kind);
    if (kind >= Kind::NewResource && kind <= Kind::MemoryBytes) return resource_word(stream, filling, kind);
    if (kind >= Kind::New && kind <= Kind::OutputStream) return object_word(stream, filling, kind);
    if (kind >= Kind::Blend && kind <= Kind::Destroyed) return handle_word(stream, filling, kind);
    if ((kind >= Kind::VertexStride && kind <= Kind::ImageOf) || kind >= Kind::QboBuffer)
        return buffer_word(stream, filling, kind);
    if (kind >= Kind::Stage && kind <= Kind::SubContext) return state_word(stream, filling, kind);
    if ((kind >= Kind::ClearBits && kind <= Kind::BlitMask) || kind == Kind::Direction || kind == Kind::Seed)
        return work_word(stream, filling, kind);
    return box_word(stream, filling, kind);
}

}  // namespace tgsi2spv::fuzz
