// SPDX-License-Identifier: MIT
// RAII and spans over tgsi2spv.h, which documents everything. Nothing here throws: a call that fails
// gives a status and an empty object (`if (!program)`).
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "tgsi2spv.hpp needs C++20; tgsi2spv.h does not"
#endif

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv {

/// A struct of the C API with its size and defaults set: `auto o = make<tgsi2spv_options>(); o.handles = 8;`
template <class Struct>
constexpr Struct make() noexcept {
    Struct s{};
    s.struct_size = sizeof(Struct);
    return s;
}

inline constexpr tgsi2spv_options default_options = make<tgsi2spv_options>();
inline constexpr tgsi2spv_parse_info default_parse_info = make<tgsi2spv_parse_info>();

/// A struct that a function of the C API fills.
template <class Struct, class Get, class... Arguments>
Struct filled(Get get, Arguments... arguments) noexcept {
    auto s = make<Struct>();
    get(arguments..., &s);
    return s;
}

/// A device that lacks nothing: tgsi2spv_device_caps_set_everything.
inline tgsi2spv_device_caps device_with_everything() noexcept {
    return filled<tgsi2spv_device_caps>(tgsi2spv_device_caps_set_everything);
}

/// Parsed text. Any number of threads and contexts may use it at once.
class Program {
  public:
    Program() = default;
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    const tgsi2spv_program* get() const noexcept { return handle_.get(); }
    tgsi2spv_stage stage() const noexcept { return tgsi2spv_program_stage(get()); }
    tgsi2spv_program_info info() const noexcept {
        return filled<tgsi2spv_program_info>(tgsi2spv_program_get_info, get());
    }
    tgsi2spv_register input(uint32_t index) const noexcept {
        return filled<tgsi2spv_register>(tgsi2spv_program_get_input, get(), index);
    }
    tgsi2spv_register output(uint32_t index) const noexcept {
        return filled<tgsi2spv_register>(tgsi2spv_program_get_output, get(), index);
    }
    tgsi2spv_register system_value(uint32_t index) const noexcept {
        return filled<tgsi2spv_register>(tgsi2spv_program_get_system_value, get(), index);
    }
    tgsi2spv_resource resource(uint32_t index) const noexcept {
        return filled<tgsi2spv_resource>(tgsi2spv_program_get_resource, get(), index);
    }
    tgsi2spv_property property(uint32_t index) const noexcept {
        return filled<tgsi2spv_property>(tgsi2spv_program_get_property, get(), index);
    }

  private:
    friend class Context;
    struct Deleter {
        void operator()(tgsi2spv_program* p) const noexcept { tgsi2spv_program_destroy(p); }
    };
    std::unique_ptr<tgsi2spv_program, Deleter> handle_;
};

/// Information of one pipeline stage about its neighbours, for tgsi2spv_options::linkage.
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

/// The result of a conversion. Everything that it returns lives as long as it does.
class Module {
  public:
    Module() = default;
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    const tgsi2spv_module* get() const noexcept { return handle_.get(); }
    const tgsi2spv_module_info& info() const noexcept { return info_; }
    std::span<const uint32_t> words() const noexcept { return {info_.words, info_.word_count}; }
    std::span<const char* const> capabilities() const noexcept { return {info_.capabilities, info_.capability_count}; }
    std::span<const char* const> extensions() const noexcept { return {info_.extensions, info_.extension_count}; }
    std::span<const char* const> features() const noexcept { return {info_.features, info_.feature_count}; }
    tgsi2spv_resource resource(uint32_t index) const noexcept {
        return filled<tgsi2spv_resource>(tgsi2spv_module_get_resource, get(), index);
    }
    tgsi2spv_variable input(uint32_t index) const noexcept {
        return filled<tgsi2spv_variable>(tgsi2spv_module_get_input, get(), index);
    }
    tgsi2spv_variable output(uint32_t index) const noexcept {
        return filled<tgsi2spv_variable>(tgsi2spv_module_get_output, get(), index);
    }
    tgsi2spv_spec_constant spec_constant(uint32_t index) const noexcept {
        return filled<tgsi2spv_spec_constant>(tgsi2spv_module_get_spec_constant, get(), index);
    }

  private:
    friend class Context;
    struct Deleter {
        void operator()(tgsi2spv_module* m) const noexcept { tgsi2spv_module_destroy(m); }
    };
    std::unique_ptr<tgsi2spv_module, Deleter> handle_;
    tgsi2spv_module_info info_ = make<tgsi2spv_module_info>();
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

    size_t diagnostic_count() const noexcept { return tgsi2spv_context_diagnostic_count(get()); }
    tgsi2spv_diagnostic diagnostic(size_t index) const noexcept {
        auto d = make<tgsi2spv_diagnostic>();
        tgsi2spv_context_get_diagnostic(get(), index, &d);
        return d;
    }

    Program parse(std::string_view text, const tgsi2spv_parse_info& info = default_parse_info) noexcept {
        Program program;
        tgsi2spv_program* made = nullptr;
        status_ = tgsi2spv_program_parse(get(), text.data(), text.size(), &info, &made);
        program.handle_.reset(made);
        return program;
    }
    Module convert(const Program& program, const tgsi2spv_options& options = default_options) noexcept {
        status_ = tgsi2spv_program_convert(get(), program.get(), &options, nullptr);
        return taken();
    }
    /// Converts with each of the options (null: the defaults) into the module of the same number. Ends at the first
    /// failure, which leaves the modules from there on empty.
    bool convert(const Program& program, std::span<const tgsi2spv_options* const> options,
                 std::span<Module> modules) noexcept {
        for (Module& m : modules) m = {};
        if (options.size() != modules.size()) {
            status_ = TGSI2SPV_ERROR_INVALID_ARGUMENT;
            return false;
        }
        status_ = TGSI2SPV_SUCCESS;
        for (size_t i = 0; i < modules.size(); ++i) {
            modules[i] = convert(program, options[i] == nullptr ? default_options : *options[i]);
            if (!modules[i]) return false;
        }
        return true;
    }
    Module translate(std::string_view text, const tgsi2spv_options& options = default_options,
                     const tgsi2spv_parse_info& info = default_parse_info) noexcept {
        status_ = tgsi2spv_translate(get(), text.data(), text.size(), &info, &options, nullptr);
        return taken();
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
        status_ = tgsi2spv_linkage_create(get(), handles.data(), count, options.empty() ? nullptr : options.data(),
                                          made.data());
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
        status_ = tgsi2spv_program_passthrough_tess_ctrl(get(), program.get(), vertices, &text, &bytes);
        return {text, bytes};
    }
    /// Empty on failure.
    std::string_view passthrough_records(const Program& program) noexcept {
        const char* text = nullptr;
        size_t bytes = 0;
        status_ = tgsi2spv_program_passthrough_records(get(), program.get(), &text, &bytes);
        return {text, bytes};
    }
    /// The reflection of a module, until the next call. Empty on failure.
    std::string_view json(const Module& module) noexcept {
        const char* json = nullptr;
        size_t bytes = 0;
        status_ = tgsi2spv_module_write_json(module.get(), get(), &json, &bytes);
        return {json, bytes};
    }

  private:
    struct Deleter {
        void operator()(tgsi2spv_context* c) const noexcept { tgsi2spv_context_destroy(c); }
    };
    /// The module of the last call, if it succeeded.
    Module taken() noexcept {
        Module module;
        tgsi2spv_module* handle = nullptr;
        if (status_ != TGSI2SPV_SUCCESS || tgsi2spv_context_take_module(get(), &handle) != TGSI2SPV_SUCCESS)
            return module;
        module.handle_.reset(handle);
        tgsi2spv_module_get_info(handle, &module.info_);
        return module;
    }

    std::unique_ptr<tgsi2spv_context, Deleter> handle_;
    tgsi2spv_status status_ = TGSI2SPV_SUCCESS;
};

/// Empty if an argument is invalid (TGSI2SPV_ERROR_INVALID_ARGUMENT).
inline std::optional<std::array<uint8_t, 16>> hash_of(std::string_view text,
                                                      const tgsi2spv_options& options = default_options,
                                                      const tgsi2spv_parse_info& info = default_parse_info) noexcept {
    tgsi2spv_hash hash{};
    if (tgsi2spv_text_hash(text.data(), text.size(), &info, &options, &hash) != TGSI2SPV_SUCCESS) return std::nullopt;
    return std::to_array(hash.bytes);
}

}  // namespace tgsi2spv
