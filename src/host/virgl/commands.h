// The commands of a stream as plain structs. Decoded values are in range for their types: enumerants exist, counts and
// slots are inside the protocol's limits, floats may be any bits. Handles, sizes, offsets and boxes are the guest's:
// their users check them against the named objects. Spans point into the decoded buffer.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "virgl/protocol.h"

namespace tgsi2spv::virgl {

using Words = std::span<const uint32_t>;

struct Box {
    uint32_t x, y, z, width, height, depth;
    bool operator==(const Box&) const = default;
};

/// A box of a resource's level and where its bytes are. Strides of 0 are the level's.
struct TransferRequest {
    uint32_t handle, level, stride, layer_stride;
    Box box;
};

// ---- Objects. `handle` is never 0; an existing handle is replaced.

struct BlendTarget {
    bool enable;
    BlendOp color_op, alpha_op;
    BlendFactor color_src, color_dst, alpha_src, alpha_dst;  ///< valid if `enable`
    uint8_t write_mask;                                      ///< R = 1, G = 2, B = 4, A = 8
};
struct CreateBlend {
    uint32_t handle;
    bool independent, logic_op_enable, alpha_to_coverage, alpha_to_one;
    LogicOp logic_op;
    std::array<BlendTarget, kMaxColorBuffers> targets;  ///< only the first counts without `independent`
};
struct CreateRasterizer {
    uint32_t handle;
    bool flatshade, depth_clip, clip_halfz, discard, flatshade_first, two_sided, sprite_origin_lower_left;
    bool point_quads;
    uint8_t cull;  ///< kCullFront, kCullBack
    FillMode fill_front, fill_back;
    bool scissor, front_ccw, offset_line, offset_point, offset_tri, poly_stipple, point_size_per_vertex;
    bool multisample, line_smooth, line_stipple, force_persample;
    float point_size;
    uint32_t sprite_mask;  ///< bit n: TEXCOORD[n]
    uint16_t stipple_pattern;
    uint16_t stipple_factor;  ///< 1 to 256
    uint8_t clip_planes;      ///< bit n: plane n is enabled
    float line_width, offset_units, offset_scale, offset_clamp;
};
struct StencilFace {
    bool enable;
    CompareOp func;
    StencilOp fail, depth_pass, depth_fail;
    uint8_t value_mask, write_mask;
};
struct CreateDepthStencilAlpha {
    uint32_t handle;
    bool depth_enable, depth_write, alpha_enable;
    CompareOp depth_func, alpha_func;
    StencilFace front, back;  ///< the front's applies to both faces if the back's is disabled
    float alpha_ref;
};
struct StreamOutput {
    uint8_t register_index, first_component, component_count, buffer, stream;
    uint16_t offset;  ///< words
};
/// One packet of a shader's text: the first (`first`) or a continuation (shader_text.h joins them).
struct CreateShader {
    uint32_t handle;
    Stage stage;
    bool first;
    uint32_t length_or_offset;           ///< bytes: of the whole text with its zero, or before this part
    uint32_t shared_bytes;               ///< COMP
    std::array<uint32_t, 4> so_strides;  ///< words
    Words so_outputs;                    ///< two words each: stream_output()
    Words text;
};
struct VertexElement {
    uint32_t offset, divisor;
    uint8_t buffer;
    uint16_t format;
};
struct CreateVertexElements {
    uint32_t handle;
    uint32_t count;
    std::array<VertexElement, kMaxVertexElements> elements;
};
struct CreateSamplerView {
    uint32_t handle, resource;
    uint16_t format;
    Target target;
    uint32_t first_or_layers;  ///< buffers: first element; textures: first layer | last layer << 16
    uint32_t last_or_levels;   ///< buffers: last element, inclusive; textures: first level | last level << 8
    std::array<Swizzle, 4> swizzle;
};
struct CreateSamplerState {
    uint32_t handle;
    Wrap wrap_s, wrap_t, wrap_r;
    Filter min_filter, mag_filter;
    MipFilter mip_filter;
    bool compare_enable, seamless_cube;
    CompareOp compare;
    uint8_t max_anisotropy;
    float lod_bias, min_lod, max_lod;
    std::array<uint32_t, 4> border;  ///< float or integer bits, as the view that it is used with
};
struct CreateSurface {
    uint32_t handle, resource;
    uint16_t format;
    uint32_t level_or_first;  ///< textures: level; buffers: first element
    uint32_t layers_or_last;  ///< textures: first layer | last layer << 16; buffers: last element
};
struct CreateQuery {
    uint32_t handle;
    QueryType type;
    uint16_t index;  ///< stream, or which statistic
    uint32_t offset, resource;
};
struct CreateStreamoutTarget {
    uint32_t handle, resource, offset, size;  ///< bytes
};
/// Blend, rasterizer, depth-stencil-alpha and vertex elements; handle 0 unbinds.
struct BindObject {
    ObjectType type;
    uint32_t handle;
};
struct DestroyObject {
    ObjectType type;
    uint32_t handle;
};

// ---- State

struct Viewport {
    std::array<float, 3> scale, translate;
};
struct SetViewports {
    uint32_t start;
    uint32_t count;
    std::array<Viewport, kMaxViewports> viewports;
};
struct SetFramebuffer {
    uint32_t depth_stencil;  ///< surface; 0 none
    Words colors;            ///< surfaces; 0: a gap
};
struct SetFramebufferNoAttach {
    uint16_t width, height, layers, samples;
};
struct VertexBuffer {
    uint32_t stride, offset, resource;
};
struct SetVertexBuffers {
    uint32_t count;
    std::array<VertexBuffer, kMaxVertexBuffers> buffers;
};
struct SetIndexBuffer {
    uint32_t resource;    ///< 0: none, and the rest is 0
    uint32_t index_size;  ///< 1, 2, 4
    uint32_t offset;      ///< bytes; contains the draw's start
};
/// CONST[0] of a stage.
struct SetConstantBuffer {
    Stage stage;
    Words data;
};
struct SetUniformBuffer {
    Stage stage;
    uint32_t index, offset, length, resource;  ///< resource 0 unbinds
};
/// Slots after the last named one are unbound.
struct SetSamplerViews {
    Stage stage;
    uint32_t start;
    Words views;
};
struct BindSamplerStates {
    Stage stage;
    uint32_t start;
    Words samplers;
};
struct SetStencilRef {
    uint8_t front, back;
};
struct SetBlendColor {
    std::array<float, 4> color;
};
struct Scissor {
    uint16_t min_x, min_y, max_x, max_y;  ///< max is exclusive
};
struct SetScissors {
    uint32_t start;
    uint32_t count;
    std::array<Scissor, kMaxViewports> scissors;
};
struct SetPolygonStipple {
    Words rows;  ///< 32
};
struct SetClipState {
    std::array<std::array<float, 4>, kMaxClipPlanes> planes;
};
struct SetSampleMask {
    uint32_t mask;
};
struct SetMinSamples {
    uint32_t count;
};
struct SetStreamoutTargets {
    uint32_t append_mask;
    Words targets;  ///< handles of at most kMaxStreamoutTargetsNamed targets
};
struct SetRenderCondition {
    uint32_t query;   ///< 0: off
    bool skip_where;  ///< skip where the result has this value
    ConditionMode mode;
};
struct BindShader {
    Stage stage;
    uint32_t handle;  ///< 0 unbinds
};
struct SetTessState {
    std::array<float, 4> outer;
    std::array<float, 2> inner;
};
struct BufferRange {
    uint32_t offset, length, resource;
};
struct SetShaderBuffers {
    Stage stage;
    uint32_t start;
    uint32_t count;
    std::array<BufferRange, kMaxShaderBuffers> buffers;
};
struct ShaderImage {
    uint16_t format;
    uint32_t layers_or_offset;  ///< textures: first layer | last layer << 16; buffers: byte offset
    uint32_t level_or_size;     ///< textures: only bits 0 to 7 count; buffers: bytes
    uint32_t resource;          ///< 0 unbinds
};
struct SetShaderImages {
    Stage stage;
    uint32_t start;
    uint32_t count;
    std::array<ShaderImage, kMaxShaderImages> images;
};
struct MemoryBarrier {
    uint32_t bits;
};
struct TextureBarrier {
    uint32_t bits;  ///< 1 sampler, 2 framebuffer
};

// ---- Work

struct Clear {
    uint32_t bits;
    std::array<uint32_t, 4> color;
    double depth;
    uint32_t stencil;
};
struct ClearSurface {
    bool obey_condition;
    uint32_t bits;  ///< kClearDepth, kClearStencil, kClearColor0
    uint32_t surface;
    std::array<uint32_t, 4> color;
    double depth;      ///< depth of depth and stencil surfaces, in place of `color`
    uint32_t stencil;  ///< stencil of the same surfaces
    uint32_t x, y, width, height;
};
struct ClearTexture {
    uint32_t resource, level;
    Box box;
    std::array<uint32_t, 4> texel;  ///< bytes in the resource's format
};
struct Draw {
    uint32_t start, count;
    Primitive mode;
    bool indexed;
    uint32_t instance_count;
    int32_t index_bias;
    uint32_t start_instance;
    bool primitive_restart;
    uint32_t restart_index;
    uint32_t count_from_streamout;  ///< size of the target's buffer; 0: `count` counts
    uint32_t vertices_per_patch, draw_id;
    uint32_t indirect_resource;  ///< 0: direct
    uint32_t indirect_offset, indirect_stride, indirect_draw_count, indirect_count_offset, indirect_count_resource;
};
struct LaunchGrid {
    std::array<uint32_t, 3> block, grid;
    uint32_t indirect_resource, indirect_offset;  ///< resource 0: direct
};
struct BlitSide {
    uint32_t resource, level;
    uint16_t format;
    int32_t x, y, z, width, height, depth;  ///< negative sizes mirror
};
struct Blit {
    uint32_t mask;  ///< kBlitColor, kBlitDepth, kBlitStencil
    Filter filter;
    bool scissor_enable, obey_condition, alpha_blend;
    Scissor scissor;
    BlitSide dst, src;
};
struct CopyRegion {
    uint32_t dst, dst_level, dst_x, dst_y, dst_z;
    uint32_t src, src_level;
    Box box;
};
struct InlineWrite {
    TransferRequest request;
    Words data;
};
struct Transfer {
    TransferRequest request;
    uint32_t offset;  ///< bytes in the resource's shared memory
    bool to_host;
};
struct CopyTransfer {
    TransferRequest request;
    uint32_t staging, staging_offset;  ///< the resource whose shared memory holds the data, and where
    bool from_host;
};
struct BeginQuery {
    uint32_t query;
};
struct EndQuery {
    uint32_t query;
};
struct GetQueryResult {
    uint32_t query;
};
struct GetQueryResultQbo {
    uint32_t query, resource;
    QboType type;
    uint32_t offset;
    int32_t index;  ///< -1: availability
};
struct SetSubCtx {
    uint32_t id;
};
struct CreateSubCtx {
    uint32_t id;
};
struct DestroySubCtx {
    uint32_t id;
};
/// RESOURCE_CREATE as it arrives: any numbers.
struct ResourceRequest {
    uint32_t handle, target, format, bind, width, height, depth, array_size, last_level, samples;
};
/// PIPE_RESOURCE_CREATE: a resource that the guest will ask its front end for, by this number
/// (Renderer::create_mapped). Its format is gallium's, not the protocol's.
struct DescribeBuffer {
    uint32_t number;
    ResourceRequest request;
};
struct StringMarker {
    uint32_t bytes;
    Words text;
};
/// NOP, END_TRANSFERS, SET_DEBUG_FLAGS, SET_TWEAKS, LINK_SHADER: nothing to do.
struct Ignored {
    CommandId id;
};

using Command =
    std::variant<Ignored, CreateBlend, CreateRasterizer, CreateDepthStencilAlpha, CreateShader, CreateVertexElements,
                 CreateSamplerView, CreateSamplerState, CreateSurface, CreateQuery, CreateStreamoutTarget, BindObject,
                 DestroyObject, SetViewports, SetFramebuffer, SetFramebufferNoAttach, SetVertexBuffers, SetIndexBuffer,
                 SetConstantBuffer, SetUniformBuffer, SetSamplerViews, BindSamplerStates, SetStencilRef, SetBlendColor,
                 SetScissors, SetPolygonStipple, SetClipState, SetSampleMask, SetMinSamples, SetStreamoutTargets,
                 SetRenderCondition, BindShader, SetTessState, SetShaderBuffers, SetShaderImages, MemoryBarrier,
                 TextureBarrier, Clear, ClearSurface, ClearTexture, Draw, LaunchGrid, Blit, CopyRegion, InlineWrite,
                 Transfer, CopyTransfer, BeginQuery, EndQuery, GetQueryResult, GetQueryResultQbo, SetSubCtx,
                 CreateSubCtx, DestroySubCtx, StringMarker, DescribeBuffer>;

}  // namespace tgsi2spv::virgl
