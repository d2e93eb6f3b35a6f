#include "inputs/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "inputs/draw.h"
#include "inputs/texels.h"
#include "inputs/texture_formats.h"
#include "inputs/uses.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::File;
using tgsi::Semantic;

constexpr uint32_t kMaxConstants = 4096;  // vectors per buffer
constexpr uint32_t kBufferWords = 256, kMaxBufferWords = 4096;
constexpr uint32_t kWordsALane = 8;    // owned by each invocation of COMP in generated programs
constexpr uint32_t kScarceWords = 24;  // so few that most addresses that a shader computes lie outside

uint32_t bits(double v) {
    return std::bit_cast<uint32_t>(static_cast<float>(v));
}

uint32_t pixel_centre(uint32_t pixel) {
    return bits(pixel + 0.5);
}

struct Generator : Draw {
    const tgsi::Registers& registers;
    const Uses& uses;
    reference::Inputs in{};
    bool alone = false, limited = false, blended = false;
    uint32_t variant = 0;
    uint32_t step_turn = 0;       ///< selects which coordinates move far in which quads
    uint32_t smaller_images = 0;  ///< parity of the indices of the smaller images

    /// COMP: invocations per work group.
    uint64_t block() const {
        uint64_t product = 1;
        for (const auto p :
             {tgsi::Property::CsFixedBlockWidth, tgsi::Property::CsFixedBlockHeight, tgsi::Property::CsFixedBlockDepth})
            product *= std::max<uint64_t>(1, program.property(p));
        return product;
    }
    /// COMP: invocations of all work groups, limited to those that can own words.
    uint32_t invocations() const {
        if (program.stage != tgsi::Stage::Compute) return 0;
        return static_cast<uint32_t>(
            std::min<uint64_t>(block() * in.grid[0] * in.grid[1] * in.grid[2], kMaxBufferWords));
    }

    uint32_t buffer_words() {
        if (!beyond) return std::max(kBufferWords, std::min(kMaxBufferWords, kWordsALane * invocations()));
        if (tiny) return (wide ? 0 : 1) + random.below(3);
        return 1 + random.below(random.below(3) == 0 ? 4 : kScarceWords);
    }

    /// How a coordinate varies within a quad of FRAG.
    struct Step {
        bool far = false;    ///< one component moves by many texels, the others are constant
        bool moves = false;  ///< this is the component that moves
        bool vertical = false;
    };
    Step step_of(size_t quad, uint32_t component) const {
        const auto number = static_cast<uint32_t>(quad / 4);
        return {(number & 1) != 0, (number / 2 + step_turn + component) % 3 == 0, (number & 2) != 0};
    }
    void set_quad(reference::Vec4* quad, int c, double base, double dx, double dy) {
        for (uint32_t k = 0; k < 4; k++) quad[k][c] = bits(base + (k & 1) * dx + (k >> 1) * dy);
    }
    /// Makes an input of FRAG that is used as a coordinate linear over each quad, so that derivatives are small. In
    /// every second quad, one component alone moves along one axis, by four texels or more: the LOD is then above that
    /// of the first level, and it is known, since Vulkan leaves only unspecified how two directions are combined.
    void smooth(std::vector<reference::Vec4>& lanes, int c, double scale) {
        for (size_t quad = 0; quad + 4 <= lanes.size(); quad += 4) {
            const double base = std::bit_cast<float>(lanes[quad][c]);
            const auto [far, moves, vertical] = step_of(quad, static_cast<uint32_t>(c));
            const double longest = far ? (moves ? 8 : 0) : 1.5, shortest = far ? longest / 2 : -longest;
            double dx = (shortest + random.unit() * (longest - shortest)) * scale;
            double dy = (shortest + random.unit() * (longest - shortest)) * scale;
            if (far && moves) (vertical ? dx : dy) = 0;
            if (far && random.below(2) == 0) dx = -dx, dy = -dy;
            set_quad(&lanes[quad], c, base, dx, dy);
        }
    }
    /// As smooth(), for cubes: a quad stays on one face, whose axis has the largest component.
    void turn(std::vector<reference::Vec4>& lanes, int c) {
        constexpr double kMajor = 1.25;
        for (size_t quad = 0; quad + 4 <= lanes.size(); quad += 4) {
            const auto major = static_cast<uint32_t>(quad / 4) % 3;
            const double sign = random.below(2) == 0 ? 1 : -1;
            const auto [far, moves, vertical] = step_of(quad, (static_cast<uint32_t>(c) + 2 - major) % 3);
            double base = (0.2 + 0.5 * random.unit()) * sign, dx = 0, dy = 0;
            if (static_cast<uint32_t>(c) % 3 == major) {
                base = kMajor * sign;
            } else if (far && moves) {
                base = (0.6 + 0.25 * random.unit()) * sign;
                (vertical ? dy : dx) = -2 * base;
            } else if (!far) {
                dx = (random.unit() - 0.5) * 0.3;
                dy = (random.unit() - 0.5) * 0.3;
            }
            set_quad(&lanes[quad], c, base, dx, dy);
        }
    }

    std::vector<reference::Vec4> lanes_of(File file, int32_t index) {
        std::vector<reference::Vec4> lanes(in.lanes);
        const bool fragment = program.stage == tgsi::Stage::Fragment;
        const auto has_edges = [&](uint32_t lane) { return beyond || lane >= in.lanes / 4 * 3; };
        for (uint8_t c = 0; c < 4; c++) {
            const auto use = uses.of(file, 0, index, c);
            if (const auto next = c < 3 ? uses.of(file, 0, index, c + 1) : Use::None; begins_pair(use, next)) {
                for (uint32_t lane = 0; lane < in.lanes; lane++) {
                    const uint64_t word = pair(next, has_edges(lane));
                    lanes[lane][c] = static_cast<uint32_t>(word);
                    lanes[lane][c + 1] = static_cast<uint32_t>(word >> 32);
                }
                c++;
                continue;
            }
            for (uint32_t lane = 0; lane < in.lanes; lane++) lanes[lane][c] = value(use, has_edges(lane));
            if (fragment && use == Use::Direction) turn(lanes, c);
            if (fragment && use == Use::Coordinate) smooth(lanes, c, 1.0 / kTextureSize);
            if (fragment && use == Use::TexelCoordinate) smooth(lanes, c, 1);
        }
        return lanes;
    }

    /// Sets values that the semantic determines. Returns true if these replace all of the register.
    bool by_semantic(Semantic semantic, bool system_value, std::vector<reference::Vec4>& lanes) {
        const bool fragment = program.stage == tgsi::Stage::Fragment;
        for (uint32_t lane = 0; lane < lanes.size(); lane++) {
            auto& v = lanes[lane];
            const uint32_t quad = lane / 4, row = in.framebuffer_width / 2;
            const bool front = (quad & 1) == 0;
            switch (semantic) {
                case Semantic::Position:
                    if (!fragment) return false;
                    v = {pixel_centre((quad % row) * 2 + (lane & 1)), pixel_centre((quad / row) * 2 + (lane >> 1 & 1)),
                         bits(random.unit()), bits(0.25 + random.unit())};
                    break;
                case Semantic::Face:
                    v = system_value ? reference::Vec4{front ? ~0u : 0u, 0, 0, 1}
                                     : reference::Vec4{bits(front ? 1 : -1), 0, 0, bits(1)};
                    break;
                case Semantic::PCoord:
                    v = {bits(random.unit()), bits(random.unit()), 0, bits(1)};
                    break;
                case Semantic::PrimId:
                    if (!fragment) {  // the engine computes it
                        if (system_value) return false;
                        v = {lane, 0, 0, 0};
                        break;
                    }
                    v = {wide && random.below(2) == 0 ? any_word() : random.below(8), 0, 0, 0};
                    break;
                case Semantic::Layer:
                case Semantic::ViewportIndex:
                    v = {random.below(8), 0, 0, 0};
                    break;
                case Semantic::SampleId:
                    v = {beyond ? random.below(4) : 0, 0, 0, 0};
                    break;
                case Semantic::SamplePos:
                    v = {bits(beyond ? random.below(16) / 16.0 : 0.5), bits(beyond ? random.below(16) / 16.0 : 0.5), 0,
                         0};
                    break;
                case Semantic::SampleMask:
                    v = {beyond ? random.below(16) : 1, 0, 0, 0};
                    break;
                case Semantic::TessCoord: {
                    const bool triangles = program.property(tgsi::Property::TesPrimMode) == 4;
                    const double x = random.unit(), y = random.unit() * (triangles ? 1 - x : 1);
                    v = {bits(x), bits(y), triangles ? bits(1 - x - y) : 0, 0};
                    break;
                }
                case Semantic::TessOuter:
                case Semantic::TessInner:
                case Semantic::TessDefaultOuterLevel:
                case Semantic::TessDefaultInnerLevel:
                    for (auto& word : v) word = bits(1 + 7 * random.unit());
                    break;
                default:
                    return false;
            }
        }
        return true;
    }

    /// Returns the vertices of an input primitive. For a patch: as many as the text reads by number, and at least as
    /// many as it writes.
    int32_t vertices() const {
        if (program.stage == tgsi::Stage::Geometry)
            return std::max(1, static_cast<int32_t>(tgsi::input_vertices(program)));
        if (!tgsi::has_vertices(program.stage, File::Input)) return 1;
        int32_t count = std::max(3, static_cast<int32_t>(tgsi::output_vertices(program)));
        // Reading a vertex that the patch lacks is undefined; loops over vertices rarely go further.
        constexpr int32_t kVerticesOfLoops = 16;
        for (const auto& o : program.operands) {
            if (o.file != File::Input || !o.has_dim) continue;
            if (!o.dim_is_relative)
                count = std::max(count, o.dim + 1);
            else if (program.stage == tgsi::Stage::TessEval)
                count = std::max(count, kVerticesOfLoops);
        }
        return std::min(count, static_cast<int32_t>(tgsi::kMaxPatchVertices));
    }

    /// Chooses the odds for about two edge values per lane: with more, infinities and NaN hide the effects of the other
    /// values.
    void spread_edges() {
        uint32_t inputs = 0;
        for (const auto& [key, use] : uses.components) inputs += std::get<0>(key) == File::Input && use != Use::None;
        edge_odds = std::max(4u, inputs / 2);
    }

    void make_inputs() {
        spread_edges();
        const int32_t most = vertices();
        for (const auto& r : registers.ranges) {
            if (r.file != File::Input && r.file != File::SystemValue) continue;
            const auto& declaration = program.declarations[r.declaration];
            const bool system_value = r.file == File::SystemValue;
            for (int32_t i = r.first; i <= r.last; i++) {
                const int32_t count = tgsi::is_per_vertex(program, registers, r.file, i) ? most : 1;
                for (int32_t v = 0; v < count; v++) {
                    auto lanes = lanes_of(r.file, i);
                    const bool is_given = by_semantic(declaration.semantic, system_value, lanes);
                    if (!system_value)
                        in.inputs[{v, i}] = std::move(lanes);
                    else if (is_given)
                        in.system_values[i] = std::move(lanes);
                }
            }
        }
    }

    void make_constants() {
        for (const auto& r : registers.ranges) {
            if (r.file != File::Const || r.dim < 0) continue;
            auto& words = in.constants[static_cast<uint32_t>(r.dim)];
            const auto last = static_cast<uint32_t>(std::min<int32_t>(r.last, kMaxConstants - 1));
            for (uint32_t i = static_cast<uint32_t>(words.size() / 4); i <= last; i++)
                for (uint8_t c = 0; c < 4; c++) {
                    const auto use_of = [&](uint8_t k) {
                        return uses.of(File::Const, r.dim, static_cast<int32_t>(i), k);
                    };
                    if (c == 3 || !begins_pair(use_of(c), use_of(c + 1))) {
                        words.push_back(constant(use_of(c)));
                        continue;
                    }
                    const uint64_t word = pair(use_of(++c), false);
                    words.push_back(static_cast<uint32_t>(word));
                    words.push_back(static_cast<uint32_t>(word >> 32));
                }
        }
    }

    /// Returns the declaration of an SVIEW, or of the RES used as one (semantics: Memory).
    const tgsi::Declaration* view_of(int32_t index) const {
        for (const File file : {File::SamplerView, File::Resource})
            if (const auto* d = tgsi::declaration_of(program, registers.find(file, index))) return d;
        return nullptr;
    }

    /// Width and height differ in some sets, so that swapping them is visible.
    uint32_t height(const tgsi::TargetShape& shape) const {
        if (tiny) return shape.cube ? 2 : 1;
        return beyond && !shape.cube ? kTextureSize / 2 : kTextureSize;
    }
    uint32_t width() const { return tiny ? 2 : kTextureSize; }

    uint16_t format_for(tgsi::Target target, int32_t index) {
        const auto* view = view_of(index);
        return draw_format(random, tgsi::shape(target), view != nullptr ? view->returns[0] : tgsi::ReturnType::Float);
    }

    /// Returns a texel for levels of distinct, nearly uniform values, so that only the selected level matters.
    uint32_t texel_of_level(uint16_t format, uint32_t level) {
        constexpr uint32_t kColours = 4;
        const double part = (level % kColours + 0.2 + 0.6 * random.unit()) / kColours;
        const auto numeric = tgsi::format_info(format).numeric;
        if (tgsi::is_integer(numeric)) return static_cast<uint32_t>(part * largest_texel(format));
        // All references lie above the depths of some levels and below those of the others.
        if (numeric == tgsi::Numeric::Depth) return bits((level & 1) != 0 ? 1 : 0);
        return bits(part);
    }

    void fill(reference::Texture& texture, bool even = false) {
        const auto& info = tgsi::format_info(texture.format);
        const uint32_t components = info.numeric == tgsi::Numeric::Depth ? 1 : info.components;
        for (uint32_t level = 0; level < texture.levels; level++) {
            const uint64_t texels = uint64_t{std::max(1u, texture.width >> level)} *
                                    std::max(1u, texture.height >> level) * std::max(1u, texture.depth >> level) *
                                    texture.layers * texture.samples;
            std::vector<uint32_t> words(texels * components);
            for (uint32_t i = 0; i < words.size(); i++) {
                const bool repeats = even && i >= components;
                words[i] = repeats ? words[i - components]
                           : even  ? texel_of_level(texture.format, level)
                                   : draw_texel(random, texture.format);
            }
            // Only values that the format can hold.
            texture.data.push_back(decode_texels(texture.format, encode_texels(texture.format, words)));
        }
    }

    void make_texture(int32_t index, tgsi::Target target) {
        const auto shape = tgsi::shape(target);
        reference::Texture t;
        t.target = target;
        t.format = format_for(target, index);
        t.width = shape.buffer ? (tiny ? 3 : 64) : width();
        t.height = shape.coords >= 2 ? height(shape) : 1;
        t.depth = shape.coords == 3 && !shape.cube ? (tiny ? 1 : 4) : 1;
        t.layers = shape.cube ? (shape.array ? 12 : 6) : shape.array ? 4 : 1;
        t.samples = shape.ms ? 4 : 1;
        const bool implicit = uses.implicit_level.contains(index) && uses.implicit_level.at(index);
        const bool levels = !shape.rect && !shape.buffer && !shape.ms && (!implicit || random.below(4) != 0);
        const bool even = levels && implicit && random.below(2) == 0;
        t.levels = !levels ? 1 : tiny ? 1 + random.below(2) : beyond ? 1 + random.below(3) : 3;
        if (levels && blended) t.levels = 4;  // down to one texel
        fill(t, even);

        reference::SamplerState s;
        constexpr reference::Wrap kWraps[] = {reference::Wrap::Repeat, reference::Wrap::ClampToEdge,
                                              reference::Wrap::ClampToBorder, reference::Wrap::MirrorRepeat};
        for (auto& w : s.wrap) w = shape.rect ? reference::Wrap::ClampToEdge : kWraps[random.below(std::size(kWraps))];
        const bool integer = tgsi::format_info(t.format).numeric == tgsi::Numeric::Uint ||
                             tgsi::format_info(t.format).numeric == tgsi::Numeric::Sint;
        const bool linear = random.below(3) == 0 && !integer;
        s.min_filter = s.mag_filter = linear ? reference::Filter::Linear : reference::Filter::Nearest;
        s.mip_filter = levels ? reference::MipFilter::Nearest : reference::MipFilter::None;
        const bool blends = blended || (even && random.below(3) == 0);
        if (levels && blends && !integer) s.mip_filter = reference::MipFilter::Linear;
        if (limited) s.max_lod = static_cast<float>(t.levels - 1);
        if (const uint32_t border = random.below(3); border > 0)
            s.border_color = border == 1 ? std::array<float, 4>{0, 0, 0, 1} : std::array<float, 4>{1, 1, 1, 1};
        if (uses.compared.contains(index) && uses.compared.at(index))
            s.compare = static_cast<reference::Compare>(random.below(8));
        in.textures[static_cast<uint32_t>(index)] = std::move(t);
        in.samplers[static_cast<uint32_t>(index)] = s;
    }

    void make_textures() {
        for (const auto& [index, target] : uses.textures) {
            if (index < 0) continue;
            // All elements of an indexed sampler array are equal.
            int32_t last = index;
            if (const auto* r = registers.find(File::Sampler, index)) last = std::max(last, r->last);
            for (int32_t i = index; i <= last; i++) {
                const auto own = uses.textures.find(i);
                auto as = own != uses.textures.end() ? own->second : target;
                if (const auto* view = view_of(i); as == tgsi::Target::None && view != nullptr) as = view->target;
                if (as == tgsi::Target::None || as == tgsi::Target::Unknown) continue;
                if (!in.textures.contains(static_cast<uint32_t>(i))) make_texture(i, as);
            }
        }
    }

    // ---- memory

    /// Returns a count, an index, an address, or occasionally a float.
    uint32_t memory_word() {
        switch (random.below(8)) {
            case 0:
                return bits(random.unit() * 4 - 2);
            case 1:
                return bits(random.between(-2, 4));
            case 2:
                return 4 * random.below(64);
            case 3:
                return static_cast<uint32_t>(random.between(-128, 255));
            case 4: {
                constexpr uint32_t kEdges[] = {~0u, 0x80000000, 0x7fffffff, ~1u};
                return random.below(3) == 0 ? kEdges[random.below(std::size(kEdges))] : random.below(16);
            }
            default:
                return random.below(16);
        }
    }

    void make_words(std::vector<uint32_t>& words, size_t count) {
        words.resize(count);
        for (auto& w : words) w = memory_word();
    }

    void make_buffers() {
        for (const auto& r : registers.ranges) {
            const auto* d = tgsi::declaration_of(program, &r);
            if (r.file == File::Memory && d != nullptr && d->memory_kind == tgsi::MemoryKind::Global)
                make_words(in.buffers[tgsi::kGlobalMemory], buffer_words());
            if (r.file == File::Memory && d != nullptr && d->memory_kind == tgsi::MemoryKind::Input)
                make_words(in.buffers[tgsi::kInputMemory], buffer_words());
            if (r.file == File::HwAtomic && r.last < 1024)
                make_words(in.hwatomics[static_cast<uint32_t>(r.dim)],
                           std::max<size_t>(in.hwatomics[static_cast<uint32_t>(r.dim)].size(),
                                            static_cast<size_t>(r.last + 1)));
            if (r.file == File::ConstBuf)
                for (int32_t i = r.first; i <= r.last && i < 32; i++)
                    if (auto& words = in.constants[static_cast<uint32_t>(i)]; words.size() < kBufferWords)
                        words.resize(kBufferWords, bits(0.5));
            if (r.file != File::Buffer && r.file != File::Resource) continue;
            for (int32_t i = std::max(0, r.first); i <= r.last && i < 64; i++)
                if (!uses.images.contains(i) || r.file == File::Buffer)
                    make_words(in.buffers[static_cast<uint32_t>(i)], buffer_words());
        }
        for (const auto& o : program.operands) {
            if (o.file == File::ResGlobal && !in.buffers.contains(tgsi::kGlobalMemory))
                make_words(in.buffers[tgsi::kGlobalMemory], buffer_words());
            if (o.file == File::ResInput && !in.buffers.contains(tgsi::kInputMemory))
                make_words(in.buffers[tgsi::kInputMemory], buffer_words());
        }
    }

    /// Returns an image's width. In COMP, every invocation should have a texel of its own. Neighbouring images of
    /// different width show which of them bounds a coordinate.
    uint32_t image_width(const tgsi::TargetShape& shape, int32_t index) const {
        const uint32_t widest = large_groups() ? 2048 : 64;
        if (tiny) return 2 - (shape.cube ? 0 : static_cast<uint32_t>(index & 1));
        if (beyond && !uses.images.contains(kAnyImage) && (index & 1) == static_cast<int32_t>(smaller_images))
            return kTextureSize / 2 + 1;
        if (beyond || shape.cube || program.stage != tgsi::Stage::Compute) return kTextureSize;
        const auto block = std::max(1u, program.property(tgsi::Property::CsFixedBlockWidth));
        return std::clamp(block * in.grid[0], kTextureSize, widest);
    }

    void make_image(int32_t index, const ImageUse& use) {
        const auto named = [](const char* name) { return tgsi::format_from_name(name).value_or(0); };
        const auto shape = tgsi::shape(use.target);
        reference::Texture t;
        t.target = use.target;
        t.format = use.format != 0 ? use.format : named(use.atomic ? "R32_UINT" : "R32G32B32A32_FLOAT");
        t.width = shape.buffer ? (tiny ? 3 : 64) : image_width(shape, index);
        const bool flat = t.width > 64;  // avoids too many texels
        t.height = shape.cube ? t.width : shape.coords >= 2 && !flat ? height(shape) : 1;
        t.depth = shape.coords == 3 && !shape.cube ? (tiny || flat ? 1 : 4) : 1;
        t.layers = shape.cube ? (shape.array ? 12 : 6) : shape.array ? 4 : 1;
        t.samples = shape.ms ? 4 : 1;
        fill(t);
        in.images[static_cast<uint32_t>(index)] = std::move(t);
    }

    /// Makes all images. An indexed access may reach any image of its file, so all are of one kind.
    void make_images() {
        const auto make = [&](int32_t i, const ImageUse& use) {
            if (use.target != tgsi::Target::Unknown && i >= 0 && i < 64 &&
                !in.images.contains(static_cast<uint32_t>(i)))
                make_image(i, use);
        };
        for (const auto& [index, use] : uses.images)
            if (index != kAnyImage) make(index, use);
        const auto any = uses.images.find(kAnyImage);
        if (any == uses.images.end()) return;
        bool declared = false;
        for (const auto& r : registers.ranges) {
            if (r.file != File::Image && r.file != File::Resource) continue;
            declared = true;
            for (int32_t i = r.first; i <= r.last && i < 64; i++) make(i, any->second);
        }
        if (!declared) make(0, any->second);
    }

    /// Makes the colours that FBFETCH reads.
    void make_framebuffer() {
        for (const auto& i : program.instructions) {
            if (i.op != tgsi::Opcode::FBFETCH) continue;
            for (uint32_t target = 0; target < 8; target++) {
                auto& words = in.framebuffer_colors[target];
                words.resize(size_t{4} * in.framebuffer_width * in.framebuffer_height);
                for (auto& w : words) w = bits(random.unit());
            }
            return;
        }
    }

    // ---- COMP

    /// Whether a large work group gets a grid of several groups: in two sets of eight, for the sake of time.
    bool large_groups() const {
        return program.stage == tgsi::Stage::Compute && wide && block() > 256 && !beyond && !alone;
    }

    void make_grid() {
        in.lanes = 1;
        const uint64_t size = block();
        if (size <= 16)
            in.grid = {beyond ? 1 + random.below(2) : 2, random.below(2) + 1, 1};
        else if (size <= 256)
            in.grid = {2, size <= 64 ? 1 + random.below(2) : 1, 1};
        else if (large_groups())
            in.grid = {2, 1, 1};
        // Invocations of groups that differ in y would race for words that are addressed by x alone.
        if ((variant & 2) != 0) in.grid[1] = 1;
        if (alone) in.grid = {1, 1, 1};
    }
};

/// Applied last, so that the random numbers drawn for a seed do not change.
void read_one_level(reference::Inputs& inputs) {
    for (auto& [index, s] : inputs.samplers) {
        if (s.mip_filter == reference::MipFilter::Linear) s.mip_filter = reference::MipFilter::Nearest;
        s.lod_bias = 0;
        s.max_anisotropy = 1;
    }
}

}  // namespace

uint64_t case_seed(std::string_view text, uint64_t campaign_seed, uint32_t number) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    bool comment = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (i == 0 || text[i - 1] == '\n') comment = text[i] == '#';
        if (!comment) hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001b3;
    }
    return Random(hash ^ Random(campaign_seed).next() ^ (uint64_t{number} << 32)).next();
}

InputOptions options_for_set(uint32_t number) {
    constexpr uint32_t kRound = 8;
    InputOptions o;
    o.beyond = number % 2 == 1;
    o.wide = number % 4 == 1 || number % 4 == 2;
    o.limited = number % 4 == 0 || number % 4 == 3;
    o.blended = number % kRound == 2;
    o.tiny = number % kRound == 7;
    o.alone = number % kRound == 4;
    o.variant = number / 2;
    return o;
}

reference::Inputs generate_inputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                  const InputOptions& options) {
    return generate_inputs(program, registers, find_uses(program), options);
}

reference::Inputs generate_inputs(const tgsi::Program& program, const tgsi::Registers& registers, const Uses& uses,
                                  const InputOptions& options) {
    Generator g{{program, Random(options.seed)}, registers, uses};
    g.in.lanes = options.lanes;
    g.in.framebuffer_width = options.framebuffer_width;
    g.beyond = options.beyond;
    g.tiny = options.tiny;
    g.wide = options.wide;
    g.alone = options.alone;
    g.limited = options.limited;
    g.blended = options.blended;
    g.variant = options.variant;
    g.step_turn = 2 * g.random.below(2);
    g.smaller_images = g.beyond ? g.random.below(2) : 0;
    if (options.variant > 0) g.smaller_images = options.variant & 1;
    if (program.stage == tgsi::Stage::TessControl) g.in.patches = options.lanes;
    if (program.stage == tgsi::Stage::Vertex) {
        g.in.base_vertex = options.base_vertex;
        g.in.base_instance = options.base_instance;
    }
    if (program.stage == tgsi::Stage::Compute)
        g.make_grid();
    else
        g.make_inputs();
    g.make_constants();
    g.make_textures();
    g.make_buffers();
    g.make_images();
    g.make_framebuffer();
    if (options.one_level_offsets) read_one_level(g.in);
    return std::move(g.in);
}

}  // namespace tgsi2spv::difftest
