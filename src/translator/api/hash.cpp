#include "api/hash.h"

#include "api/handles.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace tgsi2spv::api {
namespace {

XXH3_state_t* state_of(unsigned char* bytes) {
    return reinterpret_cast<XXH3_state_t*>(bytes);
}

/// Adds every member that is set, with its number from `first` on: members are words up to `last`, by default that of
/// the struct, where new ones are added.
template <class T, class Member>
void add_words(Hasher& hasher, const T& value, const Member& first, const void* last = nullptr) {
    const auto* begin = reinterpret_cast<const unsigned char*>(&first);
    const auto* end = last == nullptr ? reinterpret_cast<const unsigned char*>(&value) + sizeof(T)
                                      : static_cast<const unsigned char*>(last);
    for (const auto* at = begin; at < end; at += 4) {
        uint32_t word = 0;
        std::memcpy(&word, at, 4);
        if (word == 0) continue;
        hasher.number(static_cast<uint64_t>(at - begin) / 4);
        hasher.number(word);
    }
    hasher.number(~uint64_t{0});
}

void add_linkage(Hasher& hasher, const tgsi2spv_linkage* linkage) {
    hasher.number(linkage == nullptr ? 0 : 1 + static_cast<uint64_t>(linkage->stage));
    if (linkage == nullptr) return;
    const lower::Linkage& l = linkage->linkage;
    for (const uint32_t n : {uint32_t{l.before_rasterizer}, uint32_t{l.has_no_primitive}, uint32_t{l.has_no_position},
                             uint32_t{l.has_no_point_size}, uint32_t{l.has_one_layer}, l.num_clip, l.num_cull})
        hasher.number(n);
    for (const auto* varyings : {&l.inputs, &l.outputs, &l.patch_inputs, &l.patch_outputs}) {
        hasher.number(varyings->size());
        for (const lower::LinkedVarying& v : *varyings)
            for (const uint32_t n : {static_cast<uint32_t>(v.semantic), v.index, uint32_t{v.location},
                                     uint32_t{v.component}, uint32_t{v.components}})
                hasher.number(n);
    }
    for (const auto* record : {&l.record, &l.record_before}) {
        hasher.number(record->size());
        for (const lower::RecordSlot& s : *record)
            for (const uint32_t n : {static_cast<uint32_t>(s.semantic), s.index}) hasher.number(n);
    }
}

}  // namespace

Hasher::Hasher() {
    static_assert(sizeof(XXH3_state_t) <= kStateBytes && alignof(XXH3_state_t) <= 64);
    new (state_) XXH3_state_t;
    XXH3_128bits_reset(state_of(state_));
}

void Hasher::number(uint64_t n) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(n >> (8 * i));
    XXH3_128bits_update(state_of(state_), bytes, sizeof bytes);
}

void Hasher::text(std::string_view bytes) {
    number(bytes.size());
    XXH3_128bits_update(state_of(state_), bytes.data(), bytes.size());
}

tgsi2spv_hash Hasher::finish() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(reinterpret_cast<const XXH3_state_t*>(state_)));
    tgsi2spv_hash hash;
    static_assert(sizeof hash.bytes == sizeof canonical.digest);
    std::memcpy(hash.bytes, canonical.digest, sizeof hash.bytes);
    return hash;
}

tgsi2spv_hash hash_of(std::string_view text, const Request& request) {
    Hasher hasher;
    // Members that are not words are added by hand, each below: a new one changes this size.
    static_assert(offsetof(tgsi2spv_options, target) == 10 * sizeof(void*) &&
                  sizeof(tgsi2spv_options) == offsetof(tgsi2spv_options, entry_point) + sizeof(void*));
    hasher.text(tgsi2spv_version_string());
    hasher.text(text);
    add_words(hasher, request.info, request.info.entry);
    add_words(hasher, request.options, request.options.target, &request.options.entry_point);
    add_words(hasher, request.device, request.device.api_version);
    hasher.number(request.state ? 1 : 0);
    if (request.state) add_words(hasher, *request.state, request.state->data);
    add_linkage(hasher, request.options.linkage);
    hasher.number(request.table ? request.stream_outputs.outputs.size() + 1 : 0);
    for (const lower::StreamOutput& s : request.stream_outputs.outputs)
        for (const uint32_t n :
             {s.reg, uint32_t{s.first}, uint32_t{s.components}, uint32_t{s.buffer}, s.offset, uint32_t{s.stream}})
            hasher.number(n);
    if (request.table)
        for (const uint32_t stride : request.table->strides) hasher.number(stride);
    hasher.number(request.options.binding_count);
    for (const tgsi2spv_binding& b : sorted_bindings(request.options))
        for (const uint32_t n : {b.kind, b.index, b.set, b.binding}) hasher.number(n);
    hasher.number(request.options.push_constant_count);
    for (size_t i = 0; i < request.options.push_constant_count; ++i) {
        hasher.number(request.options.push_constants[i].buffer);
        hasher.number(request.options.push_constants[i].offset);
    }
    const bool named = (request.options.flags & TGSI2SPV_OPTION_DEBUG) != 0 && request.options.source_name != nullptr;
    hasher.text(named ? request.options.source_name : "");
    hasher.text(request.options.entry_point != nullptr ? request.options.entry_point : "main");
    return hasher.finish();
}

}  // namespace tgsi2spv::api
