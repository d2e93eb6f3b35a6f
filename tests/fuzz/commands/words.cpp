// Valid words, as a guest that follows the protocol may send them.
#include <algorithm>
#include <bit>

#include "boxes.h"

namespace tgsi2spv::fuzz {
namespace {

using O = virgl::ObjectType;

constexpr float kFloats[] = {0, 1, 0.5F, 0.25F, -1, 2, 8, 16, -0.125F};
constexpr uint32_t kBufferOffsets[] = {0, 0, 0, 16, 64, 256};
constexpr uint32_t kSharedBytes[] = {0, 4, 16, 1000, 4096, 32768};  // other stages have a number of captured outputs
constexpr uint32_t kStages[] = {1, 1, 1, 1, 0, 5, 5, 2, 3, 4};
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

uint32_t new_resource(Stream& s, Filling& f) {
    f.request = random_resource(s);
    return f.request.info.handle;
}

uint32_t blend_flags(Stream& s, Filling& f) {
    f.two_sources = s.random.one_in(8);
    return few_bits(s, 0, 0x1f);
}

bool has_texels(const Resource& r) {
    return !r.bytes_only;
}
bool is_staging(const Resource& r) {
    return r.bytes_only && r.memory != 0;
}
bool is_large_buffer(const Resource& r) {
    return is_buffer(r) && r.info.width >= 1024;
}

/// A resource that the words after it are of.
uint32_t take(Stream& s, Filling& f, const std::function<bool(const Resource&)>& fits) {
    return f.resource = handle_of(find(s, fits));
}

uint32_t view_format_and_target(Stream& s, const Filling& f) {
    const Resource* r = chosen(s, f);
    return view_format(s, r) | (r == nullptr ? 0 : r->info.target) << 24;
}

uint32_t surface_resource(Stream& s, Filling& f) {
    return take(s, f, [&](const Resource& r) {
        return is_texture(r) && (contains(s.offers.color, r.info.format) || is_depth(r));
    });
}

uint32_t some_level(Stream& s, Filling& f) {
    const Resource* r = chosen(s, f);
    return f.level = r == nullptr || s.random.one_in(2) ? 0 : s.random.below(r->info.last_level + 1);
}

uint32_t capture_size(Stream& s, const Filling& f) {
    const Resource* r = chosen(s, f);
    return r == nullptr || r->info.width < f.start[0] ? 0 : (r->info.width - f.start[0]) / 4 * 4;
}

uint32_t any_surface(Stream& s, Filling& f) {
    const uint32_t handle = any_object(s, O::Surface);
    f.resource = s.objects[static_cast<size_t>(O::Surface)][handle].resource;
    return handle;
}

uint32_t old_object(Stream& s, const Filling& f) {
    const auto& objects = s.objects[f.row->op >> 8 & 0xff];
    return objects.empty() ? 1 : s.random.pick(objects).first;
}

uint32_t image_format(Stream& s, Filling& f) {
    take(s, f, [&](const Resource& r) {
        return !r.bytes_only && !r.arguments && !r.format->has(host::kCompressed | host::kDepthStencil) &&
               (r.is_buffer() || contains(s.offers.color, r.info.format));
    });
    const Resource* r = chosen(s, f);
    f.level = r == nullptr || r->is_buffer() ? 0 : s.random.below(r->info.last_level + 1);
    return view_format(s, r);
}

bool is_of_buffer(const Stream& s, const Filling& f) {
    return chosen(s, f) != nullptr && chosen(s, f)->is_buffer();
}

uint32_t image_layers(Stream& s, const Filling& f) {
    if (is_of_buffer(s, f)) return s.random.pick(kBufferOffsets);
    return chosen(s, f) == nullptr ? 0 : some_of(s, chosen(s, f)->slices(f.level), 16);
}

uint32_t old_sub_context(Stream& s) {
    const uint32_t number = s.random.below(kSubContexts);
    return (s.subs >> number & 1) != 0 ? number : 0;
}

uint32_t captured_size(Stream& s) {
    const auto& targets = s.objects[static_cast<size_t>(O::StreamoutTarget)];
    return targets.empty() || s.random.below(6) != 0 ? 0 : s.random.pick(targets).second.creation.words.back();
}

uint32_t swizzle(Stream& s) {
    if (s.random.one_in(2)) return 0 | 1 << 3 | 2 << 6 | 3 << 9;
    return s.random.below(6) | s.random.below(6) << 3 | s.random.below(6) << 6 | s.random.below(6) << 9;
}

uint32_t blit_mask(Stream& s) {
    const uint32_t filter = s.random.one_in(3) ? 1U << 8 : 0;
    return (s.random.one_in(3) ? 0x30U : 0xfU) | filter | (s.random.one_in(6) ? s.random.below(8) << 10 : 0);
}

}  // namespace

uint32_t right_word(Stream& s, Filling& f, Kind kind) {
    Random& r = s.random;
    switch (kind) {
#define KIND(name, wrong, ...) \
    case Kind::name:           \
        return __VA_ARGS__;
#include "kinds.def"
#undef KIND
    }
    return 0;
}

}  // namespace tgsi2spv::fuzz
