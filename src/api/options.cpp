#include "api/options.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "api/device.h"
#include "api/versioned.h"

namespace tgsi2spv::api {
namespace {

constexpr ir::VariableKind kKinds[] = {ir::VariableKind::ConstantBuffer, ir::VariableKind::CombinedImage,
                                       ir::VariableKind::SampledImage,   ir::VariableKind::Sampler,
                                       ir::VariableKind::StorageImage,   ir::VariableKind::StorageBuffer,
                                       ir::VariableKind::InputAttachment};

}  // namespace

bool read_question(const tgsi2spv_parse_info* info, const tgsi2spv_options* options, Question& q) {
    if (!copy_in(info, q.info) || !copy_in(options, q.options)) return false;
    const tgsi2spv_options& o = q.options;
    if (o.target > TGSI2SPV_TARGET_VULKAN_1_3 || o.dialect > TGSI2SPV_DIALECT_NEWEST) return false;
    if (o.binding_count != 0 && o.bindings == nullptr) return false;
    for (size_t i = 0; i < o.binding_count; ++i)
        if (o.bindings[i].kind >= std::size(kKinds)) return false;
    if (o.device != nullptr) return copy_in(o.device, q.device.emplace());
    q.device.reset();
    return true;
}

bool read_limits(const tgsi2spv_limits* limits, tgsi::Limits& text, uint32_t& operations) {
    tgsi2spv_limits l;
    if (!copy_in(limits, l)) return false;
    const auto set = [](uint32_t value, uint32_t& limit) {
        if (value != 0) limit = value;
    };
    text = {};
    operations = 0;
    set(l.text_bytes, text.text_bytes);
    set(l.instructions, text.instructions);
    set(l.nesting, text.nesting);
    set(l.registers, text.registers);
    set(l.errors, text.errors);
    set(l.operations, operations);
    return true;
}

Options options_of(const Question& q) {
    const tgsi2spv_options& c = q.options;
    Options o;
    o.entry = q.info.entry;
    o.optimise = c.no_optimise == 0;
    if (q.device) {
        o.capabilities = capabilities_of(*q.device);
        o.emit.env = target_of(q.device->api_version);
    }
    if (c.target != TGSI2SPV_TARGET_DEFAULT)
        o.emit.env = static_cast<spirv::TargetEnv>(c.target - TGSI2SPV_TARGET_VULKAN_1_0);
    o.emit.debug_names = o.emit.debug_lines = c.debug != 0;
    if (c.debug != 0 && c.source_name != nullptr) o.emit.source_name = c.source_name;
    for (const tgsi2spv_binding& b : sorted_bindings(c))
        o.emit.layout.entries.push_back({kind_of(b.kind), b.index, {b.set, b.binding}});
    lower::Options& l = o.lower;
    l.dialect = static_cast<tgsi::Dialect>(c.dialect);
    l.exact = c.exact != 0;
    l.max_iterations = c.max_iterations;
    l.trust_indices = c.trust_indices != 0;
    l.unguarded_conversions = c.unguarded_conversions != 0;
    l.convert_depth_range = c.keep_depth_range == 0;
    l.flip_y = c.flip_y != 0;
    l.invariant_position = c.variant_position == 0;
    l.draws_points = c.draws_points != 0;
    l.dual_source = c.dual_source != 0;
    l.offsets_read_one_level = c.one_level_offsets != 0;
    if (c.handles != 0) l.handles = c.handles;
    if (c.shared_words != 0) l.shared_words = c.shared_words;
    return o;
}

std::vector<tgsi2spv_binding> sorted_bindings(const tgsi2spv_options& options) {
    std::vector<tgsi2spv_binding> all(options.bindings, options.bindings + options.binding_count);
    std::ranges::stable_sort(all, [](const tgsi2spv_binding& a, const tgsi2spv_binding& b) {
        return std::tie(a.kind, a.index) < std::tie(b.kind, b.index);
    });
    return all;
}

ir::VariableKind kind_of(uint32_t resource_kind) {
    return kKinds[resource_kind];
}

tgsi2spv_resource_kind resource_kind_of(ir::VariableKind kind) {
    const auto* at = std::ranges::find(kKinds, kind);
    return at == std::end(kKinds) ? TGSI2SPV_RESOURCE_KIND_MAX
                                  : static_cast<tgsi2spv_resource_kind>(at - std::begin(kKinds));
}

}  // namespace tgsi2spv::api
