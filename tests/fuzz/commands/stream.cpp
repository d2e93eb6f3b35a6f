#include "stream.h"

#include <algorithm>
#include <bit>

namespace tgsi2spv::fuzz {
namespace {

using O = virgl::ObjectType;
using T = virgl::Target;
using virgl::Outcome;

/// A stream's own; the tables' rows say 1.
constexpr uint32_t kContext = 1;
constexpr uint32_t kMaxResources = 40;

std::map<uint32_t, Object>& objects_of(Stream& s, O type) {
    return s.objects[static_cast<size_t>(type == O::MsaaSurface ? O::Surface : type)];
}

// ---- The effect of an accepted call on the next ones

/// Where a type's creation names its resource; 0: nowhere.
size_t resource_word_of(O type) {
    switch (type) {
        case O::SamplerView:
        case O::Surface:
        case O::MsaaSurface:
        case O::StreamoutTarget:
            return 1;
        case O::Query:
            return 3;
        default:
            return 0;
    }
}

void note_object(Stream& s, const Call& call, bool wrong) {
    const auto type = static_cast<O>(call.op >> 8 & 0xff);
    if (call.words.empty() || objects_of(s, O::Blend).size() > 64) return;
    Object object{.creation = call, .made = 1U << s.sub, .wrong = wrong};
    if (const size_t at = resource_word_of(type); at != 0 && at < call.words.size()) object.resource = call.words[at];
    if (type == O::Shader && call.words.size() > 1) object.stage = static_cast<virgl::Stage>(call.words[1]);
    objects_of(s, type).insert_or_assign(call.words[0], std::move(object));
}

void note_sub_context(Stream& s, virgl::CommandId id, uint32_t number) {
    if (number >= kSubContexts) return;
    const uint32_t bit = 1U << number;
    if (id == virgl::CommandId::CreateSubCtx) s.subs |= bit;
    if (id == virgl::CommandId::SetSubCtx && (s.subs & bit) != 0) s.sub = number;
    if (id != virgl::CommandId::DestroySubCtx || number == 0) return;
    s.subs &= ~bit;
    if (s.sub == number) s.sub = 0;
    s.set[number].reset();
    s.shaders[number] = {};
    for (auto& of_type : s.objects)
        for (auto& [handle, object] : of_type) object.made &= ~bit;
}

void note(Stream& s, const Call& call, bool wrong) {
    const auto& w = call.words;
    switch (static_cast<virgl::CommandId>(call.op & 0xff)) {
        case virgl::CommandId::CreateObject:
            note_object(s, call, wrong);
            break;
        case virgl::CommandId::DestroyObject:
            objects_of(s, static_cast<O>(call.op >> 8 & 0xff)).erase(w[0]);
            break;
        case virgl::CommandId::BindShader:
            if (w[1] < 6) s.shaders[s.sub][w[1]] = w[0];
            break;
        case virgl::CommandId::CreateSubCtx:
        case virgl::CommandId::SetSubCtx:
        case virgl::CommandId::DestroySubCtx:
            note_sub_context(s, static_cast<virgl::CommandId>(call.op & 0xff), w[0]);
            break;
        default:
            break;
    }
}

/// A client whose command was refused draws nothing any more: the next one has the resources, and none of the objects.
void restart(Stream& s) {
    if (s.context != 0) s.play({kDestroyContext, {kContext}});
    s.context = kContext;
    s.play({kCreateContext, {kContext}});
    for (const auto& [handle, r] : s.resources) s.play({kAttach, {kContext, handle}});
    s.sub = 0;
    s.subs = 1;
    s.set = {};
    s.shaders = {};
    for (auto& of_type : s.objects) {
        std::erase_if(of_type, [&](const auto& at) {
            return at.second.wrong || (at.second.resource != 0 && !s.resources.contains(at.second.resource));
        });
        for (auto& [handle, object] : of_type) object.made = 0;
    }
}

void flush(Stream& s) {
    if (!s.waiting) return;
    s.waiting = false;
    if (s.play({kSubmit, {kContext}}) != Outcome::Done) restart(s);
}

void note_host_call(Stream& s, const Call& call) {
    const auto& w = call.words;
    if (call.op == kDestroyResource) s.resources.erase(w[0]);
    if (call.op == kSetMemory && s.resources.contains(w[0])) s.resources[w[0]].memory = w[1];
    if (call.op != kCreateResource && call.op != kCreateMapped) return;
    Resource r{.info = {w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]},
               .format = host::format_info(w[2], {}),
               .memory = w[10],
               .arguments = w[1] == 0 && w[3] == virgl::kBindCommandArgs};
    r.bytes_only = w[1] == 0 && (w[3] & ~(virgl::kBindCustom | virgl::kBindStaging)) == 0 && w[3] != 0;
    if (r.format == nullptr) return;  // the host's table has it only in other devices' form
    s.resources.insert_or_assign(w[0], r);
    s.play({kAttach, {kContext, w[0]}});
}

void emit(Stream& s, const Call& call, bool wrong, const Row* row = nullptr) {
    if ((call.op & kHostCall) != 0) {
        flush(s);
        Call made = call;
        if (made.op == kCreateResource && made.words[1] == 0 && s.random.one_in(4)) made.op = kCreateMapped;
        if (s.play(made) == Outcome::Done) note_host_call(s, made);
        return;
    }
    s.play(call);
    s.waiting = true;
    note(s, call, wrong);
    if (row != nullptr && !wrong) s.set[s.sub].set(static_cast<size_t>(row - rows().data()));
    if (wrong || s.random.one_in(8)) flush(s);
}

/// Words of a box in a command: as many as its bytes, which are small numbers.
void add_data(Stream& s, const Filling& f, Call& call) {
    Filling box = f;
    const uint32_t bytes = std::min(right_word(s, box, Kind::DataBytes), 1U << 14);
    for (uint32_t i = 0; i < (bytes + 3) / 4; i++) call.words.push_back(s.random.below(8));
}

void add_text(const Text& text, Call& call) {
    std::vector<uint32_t> words(text.text.size() / 4 + 1);
    for (size_t i = 0; i < text.text.size(); i++)
        words[i / 4] |= uint32_t{static_cast<unsigned char>(text.text[i])} << 8 * (i % 4);
    call.words.insert(call.words.end(), words.begin(), words.end());
}

/// Objects have rows of their type; the first is the usual one.
const Row& row_of_type(Stream& s, O type) {
    if (type == O::Shader && s.random.one_in(4))
        return *std::ranges::find(rows(), std::string_view("capturing-shader"), &Row::name);
    return *row_of(command_op(virgl::CommandId::CreateObject, type));
}

/// Whether the current sub-context does.
bool has(const Stream& s, const Object& object) {
    return (object.made >> s.sub & 1) != 0;
}

void set_needed_state(Stream& s, Needs needs) {
    for (size_t i = 0; i < rows().size(); i++)
        if (rows()[i].before == needs && !s.set[s.sub].test(i)) emit(s, fill(s, rows()[i]), false, &rows()[i]);
}

const Row& random_row(Random& random) {
    uint32_t total = 0;
    for (const Row& row : rows()) total += row.weight;
    uint32_t at = random.below(total);
    for (const Row& row : rows()) {
        if (at < row.weight) return row;
        at -= row.weight;
    }
    return rows()[0];
}

/// Of indirect draws: words between two others are numbers without end, and so are the draws.
bool writes_arguments(const Stream& s, const Call& call) {
    const auto at = s.resources.find(call.words.empty() ? 0 : call.words[0]);
    return (call.op == kWrite || call.op == command_op(virgl::CommandId::ResourceInlineWrite)) &&
           at != s.resources.end() && at->second.arguments;
}

/// One word in most cases, up to three.
void make_wrong(Stream& s, const Row& row, Call& call) {
    size_t fields = 0, group = 0;
    while (fields < row.fields.size() && row.fields[fields] != Kind::End) fields++;
    while (group < row.group.size() && row.group[group] != Kind::End) group++;
    const size_t words =
        std::min(call.words.size(), fields + group * (row.tail == Tail::None ? call.words.size() : row.most));
    if (words == 0) return;
    for (uint32_t times = s.random.below(3) != 0 ? 1 : 1 + s.random.below(3); times > 0; times--) {
        const size_t at = s.random.below(words);
        const Kind kind = at < fields ? row.fields[at] : group == 0 ? Kind::Bitmask : row.group[(at - fields) % group];
        call.words[at] = wrong_word(s, kind, call.words[at], std::span(call.words).first(words));
    }
}

}  // namespace

Offers offers_of(const virgl::CapsV2& caps) {
    Offers offers;
    for (uint32_t n = 0; n < 512; n++) {
        const host::FormatInfo* format = host::format_info(n);
        if (format == nullptr) continue;
        if (virgl::has(caps.v1.sampler, n)) offers.sampled.push_back(n);
        if (virgl::has(caps.v1.render, n) && !format->has(host::kDepthStencil)) offers.color.push_back(n);
        if (virgl::has(caps.v1.depth_stencil, n) && format->has(host::kDepthStencil)) offers.depth.push_back(n);
        if (virgl::has(caps.v1.vertex_buffer, n)) offers.vertex.push_back(n);
    }
    return offers;
}

uint32_t Resource::slices(uint32_t level) const {
    if (info.target == static_cast<uint32_t>(T::Tex3d)) return std::max(info.depth >> std::min(level, 31U), 1U);
    return info.array_size;
}

uint64_t Resource::bytes() const {
    if (is_buffer()) return info.width;
    uint64_t all = 0;
    for (uint32_t l = 0; l <= info.last_level; l++)
        all += uint64_t{(width(l) + format->block_width - 1) / format->block_width} *
               ((height(l) + format->block_height - 1) / format->block_height) * format->block_bytes * slices(l);
    return all;
}

Resource random_resource(Stream& s) {
    Random& random = s.random;
    constexpr uint32_t kSizes[] = {1, 2, 3, 4, 5, 8, 13, 16, 16, 16, 32, 64};
    constexpr uint32_t kBytes[] = {4, 12, 16, 64, 100, 256, 1024, 1024, 4096, 65536};
    constexpr T kTargets[] = {T::Tex2d, T::Tex2d,      T::Tex2d,      T::Tex2d,     T::Tex1d, T::Tex3d, T::Cube,
                              T::Rect,  T::Tex1dArray, T::Tex2dArray, T::CubeArray, T::Tex2d, T::Tex3d};
    constexpr uint32_t kUsual[] = {1, 67, 67, 31, 193, 28, 91, 180, 94, 184};
    constexpr uint32_t kUsualDepths[] = {16, 18, 19, 126, 23};
    Resource r;
    do r.info.handle = 1 + random.below(kMaxResources + 8);
    while (s.resources.contains(r.info.handle));
    r.info.height = r.info.depth = r.info.array_size = 1;
    const uint32_t kind = random.below(16);
    if (kind < 7) {
        r.info.format = random.one_in(2) ? 64 : 193;
        r.info.width = random.pick(kBytes);
        r.info.bind = kind == 0   ? virgl::kBindCustom
                      : kind == 1 ? virgl::kBindCommandArgs
                                  : virgl::kBindVertexBuffer | virgl::kBindSamplerView | virgl::kBindShaderBuffer;
        if (kind == 1) r.info.width = 256;
        if (kind == 0) r.info.width = 4096;
        r.arguments = kind == 1;
        r.bytes_only = kind == 0;
    } else {
        const T target = random.pick(kTargets);
        r.info.target = static_cast<uint32_t>(target);
        const bool depth = random.one_in(5) && target != T::Tex3d;
        r.info.format = depth ? (random.one_in(3) ? random.pick(s.offers.depth) : random.pick(kUsualDepths))
                              : (random.one_in(3) ? random.pick(s.offers.sampled) : random.pick(kUsual));
        r.info.bind = virgl::kBindSamplerView | (depth ? virgl::kBindDepthStencil : virgl::kBindRenderTarget);
        r.info.width = random.pick(kSizes);
        if (target != T::Tex1d && target != T::Tex1dArray) r.info.height = random.pick(kSizes);
        if (target == T::Tex3d) r.info.depth = random.pick(kSizes);
        if (target == T::Cube || target == T::CubeArray) r.info.height = r.info.width, r.info.array_size = 6;
        if (target == T::CubeArray) r.info.array_size = 6 * (1 + random.below(3));
        if (target == T::Tex1dArray || target == T::Tex2dArray) r.info.array_size = 1 + random.below(8);
        const uint32_t largest = std::max({r.info.width, r.info.height, r.info.depth});
        if (random.one_in(2) && target != T::Rect) r.info.last_level = random.below(std::bit_width(largest));
        if ((target == T::Tex2d || target == T::Tex2dArray) && random.one_in(4))
            r.info.last_level = 0, r.info.samples = 4;
    }
    r.format = host::format_info(r.info.format, {});
    if (r.bytes_only || random.one_in(2)) r.memory = static_cast<uint32_t>(r.bytes()) + 64;
    return r;
}

const Resource* find(Stream& s, const std::function<bool(const Resource&)>& fits) {
    std::vector<uint32_t> fitting;
    for (const auto& [handle, r] : s.resources)
        if (fits(r)) fitting.push_back(handle);
    if (!fitting.empty() && (fitting.size() > 2 || !s.random.one_in(8))) return &s.resources.at(s.random.pick(fitting));
    for (int tries = 0; tries < 64; tries++) {
        const Resource r = random_resource(s);
        if (!fits(r)) continue;
        if (s.resources.size() >= kMaxResources) emit(s, {kDestroyResource, {s.random.pick(s.resources).first}}, false);
        const auto& i = r.info;
        emit(s,
             {kCreateResource,
              {i.handle, i.target, i.format, i.bind, i.width, i.height, i.depth, i.array_size, i.last_level, i.samples,
               r.memory}},
             false);
        const auto at = s.resources.find(i.handle);
        if (at != s.resources.end()) return &at->second;
    }
    return nullptr;
}

uint32_t use(Stream& s, O type, const std::function<bool(const Object&)>& fits) {
    auto& objects = objects_of(s, type);
    std::vector<uint32_t> fitting;
    for (const auto& [handle, o] : objects)
        if (fits(o)) fitting.push_back(handle);
    if (!fitting.empty() && (fitting.size() > 3 || !s.random.one_in(8))) {
        const uint32_t handle = s.random.pick(fitting);
        const Object& o = objects.at(handle);
        if (has(s, o)) return handle;
        if (o.resource != 0 && !s.resources.contains(o.resource)) {
            objects.erase(handle);
        } else {
            const uint32_t before = o.made;
            emit(s, Call(o.creation), o.wrong);
            const auto at = objects.find(handle);
            if (at != objects.end() && has(s, at->second)) {
                at->second.made |= before;
                return handle;
            }
        }
    }
    for (int tries = 0; tries < 24; tries++) {
        const Call call = fill(s, row_of_type(s, type));
        emit(s, call, false);
        const auto at = objects.find(call.words[0]);
        if (at != objects.end() && has(s, at->second) && fits(at->second)) return call.words[0];
    }
    return 0;
}

Call fill(Stream& s, const Row& row) {
    Filling f{.row = &row};
    Call call{row.op, {}};
    f.groups = row.most == 0 ? 0 : row.least + s.random.below(row.most - row.least + 1);
    for (const Kind kind : row.fields)
        if (kind != Kind::End) call.words.push_back(right_word(s, f, kind));
    for (uint32_t n = 0; n < f.groups; n++)
        for (const Kind kind : row.group)
            if (kind != Kind::End) call.words.push_back(right_word(s, f, kind));
    // A stage of its own per shader binding, and slots that the count leaves room for, are the words' business.
    if (row.tail == Tail::BoxData) add_data(s, f, call);
    if (row.tail == Tail::Text) add_text(*f.text, call);
    return call;
}

void step(Stream& s) {
    if (s.context == 0) restart(s);
    const Row& row = random_row(s.random);
    if (row.op == kCreateResource && s.resources.size() >= kMaxResources)
        emit(s, {kDestroyResource, {s.random.pick(s.resources).first}}, false);
    if (row.needs != Needs::Nothing) set_needed_state(s, row.needs);
    Call call = fill(s, row);
    const bool wrong = s.random.one_in(s.one_wrong_in) && !writes_arguments(s, call);
    if (wrong) make_wrong(s, row, call);
    emit(s, call, wrong, &row);
}

void finish(Stream& s) {
    flush(s);
    s.play({kDestroyContext, {kContext}});
    const auto resources = s.resources;
    for (const auto& [handle, r] : resources) emit(s, {kDestroyResource, {handle}}, false);
}

}  // namespace tgsi2spv::fuzz
