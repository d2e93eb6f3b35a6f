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

void write_image(Json& j, const ir::ImageType& image) {
    j.open("image", '{');
    j.string("dim", ir::name(image.dim));
    j.boolean("array", image.array);
    j.boolean("depth", image.depth);
    j.boolean("multisampled", image.ms);
    j.string("sampled", image.sampled == ir::Scalar::F32 ? "float" : image.sampled_is_signed ? "int" : "uint");
    j.number("format", image.format);
    j.close('}');
}

bool has_image(ir::VariableKind kind) {
    return kind == ir::VariableKind::CombinedImage || kind == ir::VariableKind::SampledImage ||
           kind == ir::VariableKind::StorageImage || kind == ir::VariableKind::InputAttachment;
}

void write_resource(Json& j, const Resource& r) {
    j.open({}, '{');
    j.string("kind", ir::name(r.kind));
    j.number("index", r.index);
    j.string("name", r.name);
    j.number("set", r.binding.set);
    j.number("binding", r.binding.binding);
    j.number("count", r.count);
    if (r.kind == ir::VariableKind::ConstantBuffer) {
        j.number("bytes", r.bytes);
        j.number("max_bytes", r.max_bytes);
        j.boolean("storage", r.storage);
    }
    if (r.kind == ir::VariableKind::StorageBuffer || r.kind == ir::VariableKind::StorageImage) {
        j.boolean("reads", r.reads);
        j.boolean("writes", r.writes);
    }
    if (has_image(r.kind)) write_image(j, r.image);
    j.close('}');
}

void write_interface(Json& j, const InterfaceVariable& v) {
    j.open({}, '{');
    j.string("name", v.name);
    j.string("semantic", v.semantic_name);
    j.number("semantic_index", v.semantic_index);
    std::string type(ir::type_name(v.type));
    if (v.is_signed) type[0] = 'i';  // u32x4
    j.string("type", type);
    j.number("array", v.array);
    if (v.builtin != ir::BuiltIn::None) {
        j.string("builtin", ir::name(v.builtin));
    } else {
        j.number("location", v.location);
        j.number("component", v.component);
        j.number("dual_source", v.dual_source);
    }
    j.string("interpolation", ir::name(v.interpolation));
    j.string("sample_location", ir::name(v.sample_location));
    j.boolean("patch", v.patch);
    if (v.is_output) {
        j.number("stream", v.stream);
        j.boolean("captured", v.captured);
        if (v.captured) {
            j.number("xfb_buffer", v.xfb_buffer);
            j.number("xfb_offset", v.xfb_offset);
            j.number("xfb_stride", v.xfb_stride);
        }
    }
    j.close('}');
}

void write_primitives(Json& j, const ir::EntryPoint& entry) {
    if (entry.stage == ir::Stage::Geometry) {
        j.string("input_primitive", ir::name(entry.input_primitive));
        j.string("output_primitive", ir::name(entry.output_primitive));
        j.number("max_vertices", entry.max_vertices);
        j.number("invocations", entry.invocations);
    }
    if (entry.stage == ir::Stage::TessEval) {
        j.string("domain", ir::name(entry.tess_domain));
        j.string("spacing", ir::name(entry.tess_spacing));
        j.boolean("clockwise", entry.tess_clockwise);
        j.boolean("point_mode", entry.tess_points);
    }
}

}  // namespace

std::string to_json(const Reflection& r) {
    std::pmr::string out;
    write_json(r, out);
    return std::string(out);
}

void write_json(const Reflection& r, std::pmr::string& out) {
    Json j(out);
    j.open({}, '{');
    j.string("stage", stage_name(r.entry.stage));
    if (r.entry.stage == ir::Stage::Compute) {
        j.open("local_size", '[');
        for (size_t c = 0; c < 3; ++c)  // 0: a specialization constant
            j.number({}, r.entry.local_size_ids[c] == ir::kNone ? r.entry.local_size[c] : 0);
        j.close(']');
        j.number("shared_bytes", r.shared_bytes);
    }
    if (r.entry.stage == ir::Stage::TessControl) j.number("patch_vertices", r.entry.output_vertices);
    write_primitives(j, r.entry);
    if (r.entry.stage == ir::Stage::Fragment) j.number("blend_equations", r.entry.blend_equations);
    j.open("resources", '[');
    for (const Resource& resource : r.resources) write_resource(j, resource);
    j.close(']');
    for (const bool output : {false, true}) {
        j.open(output ? "outputs" : "inputs", '[');
        for (const InterfaceVariable& v : r.interface)
            if (v.is_output == output) write_interface(j, v);
        j.close(']');
    }
    j.number("push_constant_bytes", r.push_constant_bytes);
    j.open("spec_constants", '[');
    for (const SpecConstant& c : r.spec_constants) {
        j.open({}, '{');
        j.number("id", c.id);
        j.number("default", c.default_value);
        j.string("name", c.name);
        j.close('}');
    }
    j.close(']');
    j.open("capabilities", '[');
    for (const ir::Name& c : r.capabilities) j.string({}, c);
    j.close(']');
    j.open("extensions", '[');
    for (const ir::Name& e : r.extensions) j.string({}, e);
    j.close(']');
    j.open("features", '[');
    for (const ir::Name& f : r.features) j.string({}, f);
    j.close(']');
    j.open("io_buffers", '{');
    j.number("input_slots", r.io_input_slots);
    j.number("output_slots", r.io_output_slots);
    j.open("system_values", '[');
    for (uint32_t s : r.io_system_values) j.number({}, s);
    j.close(']');
    j.close('}');
    j.close('}');
    j.end();
}

}  // namespace tgsi2spv::spirv
