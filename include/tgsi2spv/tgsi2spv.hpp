// RAII and spans over tgsi2spv.h, which documents everything. Nothing here throws: a call that fails
// gives a status and an empty object (`if (!program)`).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv {

/// A struct of the C API with its size and defaults set: `auto o = make<tgsi2spv_options>(); o.flip_y = 1;`
template <class Struct>
constexpr Struct make() noexcept {
    Struct s{};
    s.struct_size = sizeof(Struct);
    return s;
}

inline constexpr tgsi2spv_options default_options = make<tgsi2spv_options>();
inline constexpr tgsi2spv_parse_info default_parse_info = make<tgsi2spv_parse_info>();

/// Parsed text. Any number of threads and contexts may use it at once.
class Program {
  public:
    Program() = default;
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    const tgsi2spv_program* get() const noexcept { return handle_.get(); }
    tgsi2spv_stage stage() const noexcept { return tgsi2spv_program_stage(get()); }

  private:
    friend class Context;
    struct Deleter {
        void operator()(tgsi2spv_program* p) const noexcept { tgsi2spv_program_destroy(p); }
    };
    std::unique_ptr<tgsi2spv_program, Deleter> handle_;
};

/// What one stage of a pipeline needs to know about its neighbours, for tgsi2spv_options::linkage.
class Linkage {
  public:
    Linkage() = default;
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    const tgsi2spv_linkage* get() const noexcept { return handle_.get(); }

  private:
    friend class Context;
    struct Deleter {
        void operator()(tgsi2spv_linkage* l) const noexcept { tgsi2spv_linkage_destroy(l); }
    };
    std::unique_ptr<tgsi2spv_linkage, Deleter> handle_;
};

class Cache {
  public:
    explicit Cache(const char* folder, const tgsi2spv_allocator* allocator = nullptr) noexcept {
        tgsi2spv_cache* made = nullptr;
        status_ = tgsi2spv_cache_open(folder, allocator, &made);
        handle_.reset(made);
    }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    tgsi2spv_status status() const noexcept { return status_; }
    tgsi2spv_cache* get() const noexcept { return handle_.get(); }

  private:
    struct Deleter {
        void operator()(tgsi2spv_cache* c) const noexcept { tgsi2spv_cache_close(c); }
    };
    std::unique_ptr<tgsi2spv_cache, Deleter> handle_;
    tgsi2spv_status status_ = TGSI2SPV_SUCCESS;
};

/// The result of a context's last conversion; valid until its next call.
class Module {
  public:
    explicit operator bool() const noexcept { return context_ != nullptr; }
    std::span<const uint32_t> words() const noexcept { return {module_.words, module_.word_count}; }
    const tgsi2spv_module& info() const noexcept { return module_; }
    std::span<const char* const> capabilities() const noexcept {
        return {module_.capabilities, module_.capability_count};
    }
    std::span<const char* const> extensions() const noexcept { return {module_.extensions, module_.extension_count}; }
    std::span<const char* const> features() const noexcept { return {module_.features, module_.feature_count}; }

    tgsi2spv_resource resource(uint32_t index) const noexcept {
        return element<tgsi2spv_resource>(tgsi2spv_get_resource, index);
    }
    tgsi2spv_variable input(uint32_t index) const noexcept {
        return element<tgsi2spv_variable>(tgsi2spv_get_input, index);
    }
    tgsi2spv_variable output(uint32_t index) const noexcept {
        return element<tgsi2spv_variable>(tgsi2spv_get_output, index);
    }
    tgsi2spv_spec_constant spec_constant(uint32_t index) const noexcept {
        return element<tgsi2spv_spec_constant>(tgsi2spv_get_spec_constant, index);
    }

  private:
    friend class Context;
    template <class Struct, class Get>
    Struct element(Get get, uint32_t index) const noexcept {
        auto s = make<Struct>();
        get(context_, index, &s);
        return s;
    }
    const tgsi2spv_context* context_ = nullptr;
    tgsi2spv_module module_ = make<tgsi2spv_module>();
};

/// Use it in one thread at a time.
class Context {
  public:
    Context() noexcept : Context(make<tgsi2spv_context_info>()) {}
    explicit Context(const tgsi2spv_context_info& info) noexcept {
        tgsi2spv_context* made = nullptr;
        status_ = tgsi2spv_context_create(&info, &made);
        handle_.reset(made);
    }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    tgsi2spv_context* get() const noexcept { return handle_.get(); }
    /// Frees the memory that is kept for the next call, and the results of the last one.
    void trim() noexcept { tgsi2spv_context_trim(get()); }
    /// The status of the last call.
    tgsi2spv_status status() const noexcept { return status_; }

    size_t diagnostic_count() const noexcept { return tgsi2spv_diagnostic_count(get()); }
    tgsi2spv_diagnostic diagnostic(size_t index) const noexcept {
        auto d = make<tgsi2spv_diagnostic>();
        tgsi2spv_get_diagnostic(get(), index, &d);
        return d;
    }

    Program parse(std::string_view text, const tgsi2spv_parse_info& info = default_parse_info) noexcept {
        Program program;
        tgsi2spv_program* made = nullptr;
        status_ = tgsi2spv_parse(get(), text.data(), text.size(), &info, &made);
        program.handle_.reset(made);
        return program;
    }
    Module convert(const Program& program, const tgsi2spv_options& options = default_options) noexcept {
        Module module;
        status_ = tgsi2spv_convert(get(), program.get(), &options, &module.module_);
        if (status_ == TGSI2SPV_SUCCESS) module.context_ = get();
        return module;
    }
    Module translate(std::string_view text, const tgsi2spv_options& options = default_options,
                     const Cache* cache = nullptr, const tgsi2spv_parse_info& info = default_parse_info) noexcept {
        Module module;
        status_ = tgsi2spv_translate(get(), text.data(), text.size(), &info, &options,
                                     cache == nullptr ? nullptr : cache->get(), &module.module_);
        if (status_ == TGSI2SPV_SUCCESS) module.context_ = get();
        return module;
    }
    /// Links a pipeline's programs, in pipeline order. `options` (those that each will be converted with; none: the
    /// defaults) and `linkages` have one element for each program. False on failure.
    bool link(std::span<const Program* const> programs, std::span<const tgsi2spv_options* const> options,
              std::span<Linkage> linkages) noexcept {
        constexpr size_t kMax = 6;  // number of stages
        const size_t count = programs.size();
        for (Linkage& l : linkages) l = {};
        std::array<const tgsi2spv_program*, kMax> handles{};
        std::array<tgsi2spv_linkage*, kMax> made{};
        if (count > kMax || linkages.size() != count || (!options.empty() && options.size() != count)) {
            status_ = TGSI2SPV_ERROR_INVALID_ARGUMENT;
            return false;
        }
        for (size_t i = 0; i < count; ++i) handles[i] = programs[i] == nullptr ? nullptr : programs[i]->get();
        status_ = tgsi2spv_link(get(), handles.data(), count, options.empty() ? nullptr : options.data(), made.data());
        for (size_t i = 0; i < count; ++i) linkages[i].handle_.reset(made[i]);
        return status_ == TGSI2SPV_SUCCESS;
    }
    /// Links with the same options for all programs.
    template <size_t count>
    bool link(const std::array<const Program*, count>& programs, std::array<Linkage, count>& linkages,
              const tgsi2spv_options& options = default_options) noexcept {
        std::array<const tgsi2spv_options*, count> all;
        all.fill(&options);
        return link(std::span(programs), std::span(all), std::span(linkages));
    }
    /// Empty on failure.
    std::string_view passthrough_tess_ctrl(const Program& program, uint32_t vertices) noexcept {
        const char* text = nullptr;
        size_t bytes = 0;
        status_ = tgsi2spv_passthrough_tess_ctrl(get(), program.get(), vertices, &text, &bytes);
        return {text, bytes};
    }
    /// Empty on failure.
    std::string_view passthrough_geometry(const Program& program, const tgsi2spv_geometry_info& info) noexcept {
        const char* text = nullptr;
        size_t bytes = 0;
        status_ = tgsi2spv_passthrough_geometry(get(), program.get(), &info, &text, &bytes);
        return {text, bytes};
    }
    /// The reflection of the last module.
    std::string_view reflection_json() noexcept {
        const char* json = nullptr;
        size_t bytes = 0;
        status_ = tgsi2spv_reflection_json(get(), &json, &bytes);
        return {json, bytes};
    }

  private:
    struct Deleter {
        void operator()(tgsi2spv_context* c) const noexcept { tgsi2spv_context_destroy(c); }
    };
    std::unique_ptr<tgsi2spv_context, Deleter> handle_;
    tgsi2spv_status status_ = TGSI2SPV_SUCCESS;
};

/// Empty if an argument is invalid (TGSI2SPV_ERROR_INVALID_ARGUMENT).
inline std::optional<std::array<uint8_t, 16>> hash_of(std::string_view text,
                                                      const tgsi2spv_options& options = default_options,
                                                      const tgsi2spv_parse_info& info = default_parse_info) noexcept {
    tgsi2spv_hash hash{};
    if (tgsi2spv_hash_of(text.data(), text.size(), &info, &options, &hash) != TGSI2SPV_SUCCESS) return std::nullopt;
    return std::to_array(hash.bytes);
}

}  // namespace tgsi2spv
