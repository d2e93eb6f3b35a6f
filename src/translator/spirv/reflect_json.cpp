// Reflection as text. An object has the same keys in every shader, so readers need no defaults.
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>

#include "ir/names.h"
#include "spirv/reflect.h"

namespace tgsi2spv::spirv {
namespace {

constexpr char kHex[] = "0123456789abcdef";

/// Writes objects and lists of finished text, two spaces per level.
class Json {
  public:
    explicit Json(std::pmr::string& out) : out_(out) {}
    void open(std::string_view key, char bracket) {
        begin(key);
        out_ += bracket;
        depth_++;
        first_ = true;
    }
    void close(char bracket) {
        depth_--;
        if (!first_) newline();
        out_ += bracket;
        first_ = false;
    }
    void string(std::string_view key, std::string_view text) {
        begin(key);
        quote(text);
    }
    void number(std::string_view key, uint64_t n) {
        begin(key);
        char digits[std::numeric_limits<uint64_t>::digits10 + 1];
        out_.append(digits, std::to_chars(digits, std::end(digits), n).ptr);
    }
    void boolean(std::string_view key, bool b) {
        begin(key);
        out_ += b ? "true" : "false";
    }
    void end() { out_ += '\n'; }

  private:
    void newline() {
        out_ += '\n';
        out_.append(static_cast<size_t>(2 * depth_), ' ');
    }
    void begin(std::string_view key) {
        if (depth_ > 0) {
            if (!first_) out_ += ',';
            newline();
        }
        first_ = false;
        if (key.empty()) return;
        quote(key);
        out_ += ": ";
    }
    void quote(std::string_view text) {
        out_ += '"';
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\')
                (out_ += '\\') += c;
            else if (byte < 0x20 || byte >= 0x7f)  // bytes of unknown encoding: as Latin-1
                ((out_ += "\\u00") += kHex[byte >> 4]) += kHex[byte & 0xf];
            else
                out_ += c;
        }
        out_ += '"';
    }

    std::pmr::string& out_;
    int depth_ = 0;
    bool first_ = true;
};

std::string_view stage_name(ir::Stage stage) {
    constexpr std::string_view kNames[] = {"VERT", "TESS_CTRL", "TESS_EVAL", "GEOM", "FRAG", "COMP"};
    return kNames[static_cast<size_t>(stage)];
}

void write_image(Json& json, const ir::ImageType& image) {
    json.open("image", '{');
    json.string("dim", ir::name(image.dim));
    json.boolean("array", image.array);
    json.boolean("depth", image.depth);
    json.boolean("multisampled", image.ms);
    json.string("sampled", image.sampled == ir::Scalar::F32 ? "float" : image.sampled_is_signed ? "int" : "uint");
    json.number("format", image.format);
    json.close('}');
}

bool has_image(ir::VariableKind kind) {
    return kind == ir::VariableKind::CombinedImage || kind == ir::VariableKind::SampledImage ||
           kind == ir::VariableKind::StorageImage || kind == ir::VariableKind::InputAttachment;
}

void write_resource(Json& json, const Resource& resource) {
    json.open({}, '{');
    json.string("kind", ir::name(resource.kind));
    json.number("index", resource.index);
    json.string("name", resource.name);
    json.number("set", resource.binding.set);
    json.number("binding", resource.binding.binding);
    json.number("count", resource.count);
    if (resource.kind == ir::VariableKind::ConstantBuffer) {
        json.number("bytes", resource.bytes);
        json.number("max_bytes", resource.max_bytes);
        json.boolean("storage", resource.storage);
    }
    if (resource.kind == ir::VariableKind::StorageBuffer || resource.kind == ir::VariableKind::StorageImage) {
        json.boolean("reads", resource.reads);
        json.boolean("writes", resource.writes);
    }
    if (has_image(resource.kind)) write_image(json, resource.image);
    json.close('}');
}

void write_interface(Json& json, const InterfaceVariable& variable) {
    json.open({}, '{');
    json.string("name", variable.name);
    json.string("semantic", variable.semantic_name);
    json.number("semantic_index", variable.semantic_index);
    std::string type(ir::type_name(variable.type));
    if (variable.is_signed) type[0] = 'i';  // u32x4
    json.string("type", type);
    json.number("array", variable.array);
    if (variable.builtin != ir::BuiltIn::None) {
        json.string("builtin", ir::name(variable.builtin));
    } else {
        json.number("location", variable.location);
        json.number("component", variable.component);
        json.number("dual_source", variable.dual_source);
    }
    json.string("interpolation", ir::name(variable.interpolation));
    json.string("sample_location", ir::name(variable.sample_location));
    json.boolean("patch", variable.patch);
    if (variable.is_output) {
        json.number("stream", variable.stream);
        json.boolean("captured", variable.captured);
        if (variable.captured) {
            json.number("xfb_buffer", variable.xfb_buffer);
            json.number("xfb_offset", variable.xfb_offset);
            json.number("xfb_stride", variable.xfb_stride);
        }
    }
    json.close('}');
}

void write_primitives(Json& json, const ir::EntryPoint& entry) {
    if (entry.stage == ir::Stage::Geometry) {
        json.string("input_primitive", ir::name(entry.input_primitive));
        json.string("output_primitive", ir::name(entry.output_primitive));
        json.number("max_vertices", entry.max_vertices);
        json.number("invocations", entry.invocations);
    }
    if (entry.stage == ir::Stage::TessEval) {
        json.string("domain", ir::name(entry.tess_domain));
        json.string("spacing", ir::name(entry.tess_spacing));
        json.boolean("clockwise", entry.tess_clockwise);
        json.boolean("point_mode", entry.tess_points);
    }
}

}  // namespace

std::string to_json(const Reflection& reflection) {
    std::pmr::string out;
    write_json(reflection, out);
    return std::string(out);
}

void write_json(const Reflection& reflection, std::pmr::string& out) {
    Json j(out);
    j.open({}, '{');
    j.string("stage", stage_name(reflection.entry.stage));
    if (reflection.entry.stage == ir::Stage::Compute) {
        j.open("local_size", '[');
        for (size_t c = 0; c < 3; ++c)  // 0: a specialization constant
            j.number({}, reflection.entry.local_size_ids[c] == ir::kNone ? reflection.entry.local_size[c] : 0);
        j.close(']');
        j.number("shared_bytes", reflection.shared_bytes);
    }
    if (reflection.entry.stage == ir::Stage::TessControl) j.number("patch_vertices", reflection.entry.output_vertices);
    write_primitives(j, reflection.entry);
    if (reflection.entry.stage == ir::Stage::Fragment) j.number("blend_equations", reflection.entry.blend_equations);
    j.open("resources", '[');
    for (const Resource& resource : reflection.resources) write_resource(j, resource);
    j.close(']');
    for (const bool output : {false, true}) {
        j.open(output ? "outputs" : "inputs", '[');
        for (const InterfaceVariable& v : reflection.interface)
            if (v.is_output == output) write_interface(j, v);
        j.close(']');
    }
    j.number("push_constant_bytes", reflection.push_constant_bytes);
    j.open("spec_constants", '[');
    for (const SpecConstant& c : reflection.spec_constants) {
        j.open({}, '{');
        j.number("id", c.id);
        j.number("default", c.default_value);
        j.string("name", c.name);
        j.close('}');
    }
    j.close(']');
    j.open("capabilities", '[');
    for (const ir::Name& c : reflection.capabilities) j.string({}, c);
    j.close(']');
    j.open("extensions", '[');
    for (const ir::Name& e : reflection.extensions) j.string({}, e);
    j.close(']');
    j.open("features", '[');
    for (const ir::Name& f : reflection.features) j.string({}, f);
    j.close(']');
    j.open("io_buffers", '{');
    j.number("input_slots", reflection.io_input_slots);
    j.number("output_slots", reflection.io_output_slots);
    j.open("system_values", '[');
    for (uint32_t s : reflection.io_system_values) j.number({}, s);
    j.close(']');
    j.close('}');
    j.close('}');
    j.end();
}

}  // namespace tgsi2spv::spirv
