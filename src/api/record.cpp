#include "api/record.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace tgsi2spv::api {
namespace {

/// The functions below describe each member once, for both the Writer and the Reader.
class Writer {
  public:
    explicit Writer(std::pmr::vector<uint8_t>& out) : out_(out) {}
    template <class T>
    void number(const T& n) {
        const auto bits = static_cast<uint32_t>(n);
        for (int shift = 0; shift < 32; shift += 8) out_.push_back(static_cast<uint8_t>(bits >> shift));
    }
    template <class T>
    void enumerant(const T& value, T /*most*/) {
        number(static_cast<uint32_t>(value));
    }
    void text(std::string_view s) {
        number(s.size());
        out_.insert(out_.end(), s.begin(), s.end());
    }
    template <class List, class Item>
    void list(const List& items, Item item) {
        number(items.size());
        for (const auto& i : items) item(*this, i);
    }

  private:
    std::pmr::vector<uint8_t>& out_;
};

class Reader {
  public:
    explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    bool done() const { return ok_ && bytes_.empty(); }
    template <class T>
    void number(T& n) {
        n = static_cast<T>(take());
    }
    template <class T>
    void enumerant(T& value, T most) {
        const uint32_t n = take();
        ok_ = ok_ && n <= static_cast<uint32_t>(most);
        value = ok_ ? static_cast<T>(n) : T{};
    }
    void text(ir::Name& s) {
        const size_t size = take();
        ok_ = ok_ && size <= std::min(bytes_.size(), ir::Name::kMax);
        s = {};
        if (!ok_) return;
        s = std::string_view(reinterpret_cast<const char*>(bytes_.data()), size);
        bytes_ = bytes_.subspan(size);
    }
    /// Grows as items are found, not by the stored number.
    template <class T, class Item>
    void list(std::pmr::vector<T>& items, Item item) {
        items.clear();
        for (uint32_t count = take(); ok_ && count > 0; --count) item(*this, items.emplace_back());
    }

  private:
    uint32_t take() {
        ok_ = ok_ && bytes_.size() >= 4;
        if (!ok_) return 0;
        const uint32_t n = bytes_[0] | bytes_[1] << 8u | bytes_[2] << 16u | uint32_t{bytes_[3]} << 24u;
        bytes_ = bytes_.subspan(4);
        return n;
    }

    std::span<const uint8_t> bytes_;
    bool ok_ = true;
};

// T is the struct, const for a Writer.
template <class Archive, class T>
void image(Archive& a, T& i) {
    a.enumerant(i.dim, ir::ImageDim::SubpassData);
    a.number(i.array);
    a.number(i.depth);
    a.number(i.ms);
    a.enumerant(i.sampled, ir::Scalar::F64);
    a.number(i.sampled_is_signed);
    a.number(i.format);
}

template <class Archive, class T>
void resource(Archive& a, T& r) {
    a.enumerant(r.kind, ir::VariableKind::IoBuffer);
    a.number(r.index);
    a.number(r.binding.set);
    a.number(r.binding.binding);
    a.number(r.count);
    a.number(r.bytes);
    a.number(r.max_bytes);
    a.number(r.storage);
    a.number(r.reads);
    a.number(r.writes);
    image(a, r.image);
    a.text(r.name);
}

template <class Archive, class T>
void variable(Archive& a, T& v) {
    a.number(v.is_output);
    a.number(v.semantic);
    a.number(v.semantic_index);
    a.text(v.semantic_name);
    a.enumerant(v.builtin, ir::BuiltIn::ShadingRate);
    a.number(v.location);
    a.number(v.component);
    a.number(v.dual_source);
    a.enumerant(v.type.scalar, ir::Scalar::F64);
    a.number(v.type.components);
    a.number(v.is_signed);
    a.number(v.array);
    a.enumerant(v.interpolation, ir::Interpolation::Linear);
    a.enumerant(v.sample_location, ir::SampleLocation::Sample);
    a.number(v.patch);
    a.number(v.stream);
    a.number(v.captured);
    a.number(v.xfb_buffer);
    a.number(v.xfb_offset);
    a.number(v.xfb_stride);
    a.text(v.name);
}

/// The fields of an entry point that reflection reads.
template <class Archive, class T>
void entry(Archive& a, T& e) {
    a.enumerant(e.stage, ir::Stage::Compute);
    a.number(e.blend_equations);
    for (size_t c = 0; c < 3; ++c) a.number(e.local_size[c]);
    for (size_t c = 0; c < 3; ++c) a.number(e.local_size_ids[c]);
    a.number(e.output_vertices);
    a.number(e.invocations);
    a.number(e.max_vertices);
    a.enumerant(e.input_primitive, ir::InputPrimitive::TrianglesAdjacency);
    a.enumerant(e.output_primitive, ir::OutputPrimitive::TriangleStrip);
    a.enumerant(e.tess_domain, ir::TessDomain::Quads);
    a.enumerant(e.tess_spacing, ir::TessSpacing::FractionalEven);
    a.number(e.tess_clockwise);
    a.number(e.tess_points);
}

template <class Archive, class Words, class T>
void record(Archive& a, Words& words, T& r) {
    const auto number = [](auto& archive, auto& n) { archive.number(n); };
    const auto text = [](auto& archive, auto& s) { archive.text(s); };
    a.list(words, number);
    entry(a, r.entry);
    a.list(r.resources, [](auto& archive, auto& x) { resource(archive, x); });
    a.list(r.interface, [](auto& archive, auto& x) { variable(archive, x); });
    a.list(r.spec_constants, [](auto& archive, auto& c) {
        archive.number(c.id);
        archive.number(c.default_value);
        archive.text(c.name);
    });
    a.number(r.push_constant_bytes);
    a.number(r.shared_bytes);
    a.list(r.capabilities, text);
    a.list(r.extensions, text);
    a.list(r.features, text);
    a.number(r.io_input_slots);
    a.number(r.io_output_slots);
    a.list(r.io_system_values, number);
}

}  // namespace

std::pmr::vector<uint8_t> write_record(std::span<const uint32_t> words, const spirv::Reflection& reflection,
                                       std::pmr::memory_resource* memory) {
    std::pmr::vector<uint8_t> bytes(memory);
    bytes.reserve(4 * words.size() + 4096);
    Writer writer(bytes);
    record(writer, words, reflection);
    return bytes;
}

bool read_record(std::span<const uint8_t> bytes, std::pmr::vector<uint32_t>& words, spirv::Reflection& reflection) {
    Reader reader(bytes);
    record(reader, words, reflection);
    return reader.done();
}

}  // namespace tgsi2spv::api
