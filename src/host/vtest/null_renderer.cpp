#include "vtest/null_renderer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>

#include "virgl/decode.h"

namespace tgsi2spv::vtest {

using virgl::Outcome;

namespace {

constexpr size_t kMostQueries = 65536;

/// The capabilities that GL 2.1 needs, and no more (4.2, 4.3). The format numbers are the protocol's.
virgl::CapsV2 caps_of_gl21() {
    virgl::CapsV2 c{};
    c.v1.max_version = 2;
    for (const uint32_t f : {1u, 2u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 16u, 19u, 20u, 21u, 23u, 64u, 65u, 67u, 134u})
        set(c.v1.sampler, f);
    for (const uint32_t f : {1u, 2u, 7u, 64u, 67u, 134u}) {
        set(c.v1.render, f);
        set(c.scanout, f);
    }
    for (const uint32_t f : {16u, 19u, 20u, 21u, 23u}) set(c.v1.depth_stencil, f);
    set(c.supported_multisample_formats, 0);
    c.supported_readback_formats = c.v1.sampler;
    c.v1.flags = virgl::kCapIndepBlendEnable | virgl::kCapIndepBlendFunc | virgl::kCapPrimitiveRestart |
                 virgl::kCapBlendEqSep | virgl::kCapOcclusionQuery | virgl::kCapFragmentCoordConventions |
                 virgl::kCapPolyStipple;
    c.v1.glsl_level = 120;
    c.v1.max_render_targets = 4;
    c.v1.max_samples = 1;
    c.v1.prim_mask = 0x7b;  // without line loops, quads and polygons, which the guest converts
    c.v1.max_uniform_blocks = 1;
    c.v1.max_viewports = 1;
    c.min_aliased_point_size = c.min_smooth_point_size = c.min_aliased_line_width = c.min_smooth_line_width = 1;
    c.max_aliased_point_size = 64;
    c.max_smooth_point_size = c.max_aliased_line_width = c.max_smooth_line_width = 1;
    c.max_texture_lod_bias = 15;
    c.max_vertex_outputs = c.max_vertex_attribs = 16;
    c.min_texel_offset = -8;
    c.max_texel_offset = 7;
    c.texture_buffer_offset_alignment = c.uniform_buffer_offset_alignment = c.shader_buffer_offset_alignment = 256;
    c.capability_bits = virgl::kCapTgsiInvariant | virgl::kCapTgsiPrecise | virgl::kCapTransfer |
                        virgl::kCapTgsiComponents | virgl::kCapFboMixedColorFormats | virgl::kCapIndirectInputAddr |
                        virgl::kCapCopyTransfer | virgl::kCapClipHalfz;
    c.max_vertex_attrib_stride = 2048;
    c.max_texture_2d_size = c.max_texture_cube_size = 8192;
    c.max_texture_3d_size = 512;
    c.host_feature_check_version = 22;
    std::strcpy(c.renderer.data(), "tgsi-host without a device");
    c.max_anisotropy = 1;
    c.max_texture_samplers = 16;
    c.max_const_buffer_size = {65536, 65536, 0, 0, 0, 0};
    return c;
}

}  // namespace

NullRenderer::NullRenderer() : caps_(caps_of_gl21()) {}

Outcome NullRenderer::exists(uint32_t handle) const {
    return resources_.contains(handle) ? Outcome::Done : Outcome::Refused;
}

Outcome NullRenderer::create_resource(const virgl::ResourceRequest& request,
                                      std::shared_ptr<virgl::SharedMemory> memory) {
    return resources_.emplace(request.handle, std::move(memory)).second ? Outcome::Done : Outcome::Refused;
}

Outcome NullRenderer::destroy_resource(uint32_t handle) {
    return resources_.erase(handle) > 0 ? Outcome::Done : Outcome::Refused;
}

Outcome NullRenderer::create_mapped(uint32_t handle, uint64_t, std::shared_ptr<virgl::SharedMemory> memory) {
    virgl::ResourceRequest request{};
    request.handle = handle;
    return create_resource(request, std::move(memory));
}

Outcome NullRenderer::submit(virgl::Words words) {
    for (size_t at = 0; at < words.size();) {
        const auto command = virgl::decode_command(words, at);
        if (!command) return Outcome::Refused;
        if (const auto* set = std::get_if<virgl::SetSubCtx>(&*command)) sub_context_ = set->id;
        if (const auto* query = std::get_if<virgl::CreateQuery>(&*command); query && queries_.size() < kMostQueries)
            queries_[{sub_context_, query->handle}] = *query;
        if (const auto* end = std::get_if<virgl::EndQuery>(&*command)) end_query(end->query);
    }
    return Outcome::Done;
}

/// Writes a result of 0, and marks it as available (3.9).
void NullRenderer::end_query(uint32_t query) {
    const auto found = queries_.find({sub_context_, query});
    if (found == queries_.end()) return;
    const auto resource = resources_.find(found->second.resource);
    if (resource == resources_.end() || resource->second == nullptr) return;
    const std::array<uint32_t, 4> done{1, 8, 0, 0};
    const std::span<std::byte> bytes = resource->second->bytes;
    const uint64_t offset = found->second.offset;
    if (offset + sizeof done <= bytes.size()) std::memcpy(bytes.data() + offset, done.data(), sizeof done);
}

Outcome NullRenderer::write(const virgl::TransferRequest& request, std::span<const std::byte>) {
    return exists(request.handle);
}
Outcome NullRenderer::read(const virgl::TransferRequest& request, std::span<std::byte> data) {
    std::fill(data.begin(), data.end(), std::byte{0});
    return exists(request.handle);
}
Outcome NullRenderer::write_from_memory(const virgl::TransferRequest& request, uint64_t) {
    return exists(request.handle);
}
Outcome NullRenderer::read_to_memory(const virgl::TransferRequest& request, uint64_t) {
    return exists(request.handle);
}
bool NullRenderer::busy(uint32_t, bool) {
    return false;
}

}  // namespace tgsi2spv::vtest
