// The types of the C API's opaque pointers.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/convert.h"
#include "api/memory.h"
#include "lower/interface/link.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

/// Empties the list and frees its memory.
template <class List>
void free_memory(List& list) {
    List(list.get_allocator()).swap(list);
}

/// Short texts of one call, all freed at once. The first bytes are kept for the next.
class Texts {
  public:
    explicit Texts(std::pmr::memory_resource& memory, size_t first_bytes = 4096);
    /// A copy that ends with a zero.
    const char* keep(std::string_view text);
    void clear() { pool_.release(); }

  private:
    std::pmr::vector<std::byte> first_;
    std::pmr::monotonic_buffer_resource pool_;
};

/// The diagnostics of the last call in the caller's form.
struct CallerDiagnostics {
    explicit CallerDiagnostics(std::pmr::memory_resource& memory) : texts(memory), all(&memory) {}
    void clear();
    void add(const std::vector<tgsi::Diagnostic>& diagnostics, std::string_view text);

    Texts texts;
    std::pmr::vector<tgsi2spv_diagnostic> all;
};

tgsi2spv_resource resource_of(const spirv::Resource& resource, Texts& names);

}  // namespace tgsi2spv::api

/// Words and reflection in the caller's form.
struct tgsi2spv_module {
    explicit tgsi2spv_module(const tgsi2spv::api::CallerMemory& memory);
    void clear();
    /// Fills the lists from `reflection`.
    void set(std::span<const uint32_t> module_words);

    tgsi2spv::api::CallerMemory memory;
    tgsi2spv::spirv::Reflection reflection;
    tgsi2spv::api::Texts texts;
    std::pmr::vector<uint32_t> words;
    std::pmr::vector<tgsi2spv_resource> resources;
    std::pmr::vector<tgsi2spv_variable> inputs, outputs;
    std::pmr::vector<tgsi2spv_spec_constant> spec_constants;
    std::pmr::vector<const char*> capabilities, extensions, features;
    tgsi2spv_module_info info{};  ///< points into the lists
};

struct tgsi2spv_context {
    tgsi2spv_context(const tgsi2spv::api::CallerMemory& m, const tgsi2spv::tgsi::Limits& text_limits,
                     uint32_t most_operations)
        : memory(m), limits(text_limits), operations(most_operations) {}

    tgsi2spv::api::CallerMemory memory;
    tgsi2spv::tgsi::Limits limits;
    uint32_t operations;
    ~tgsi2spv_context() { tgsi2spv::api::destroy(module); }
    tgsi2spv_context(const tgsi2spv_context&) = delete;
    tgsi2spv_context& operator=(const tgsi2spv_context&) = delete;

    /// Created on first use, and again after memory ran out in the middle of a call.
    std::optional<tgsi2spv::api::Context> core;
    tgsi2spv::api::CallerDiagnostics diagnostics{memory};
    /// The module of the last conversion; empty after other calls, null before the first one and after the caller took
    /// it.
    tgsi2spv_module* module = nullptr;
    std::pmr::string text{&memory};  ///< JSON, a pass-through shader
};

struct tgsi2spv_program {
    explicit tgsi2spv_program(const tgsi2spv::api::CallerMemory& m) : memory(m) {}

    tgsi2spv::api::CallerMemory memory;
    std::pmr::string text{&memory};
    tgsi2spv::tgsi::Program program{&memory};
    tgsi2spv::tgsi::Registers registers{&memory};
    /// Numbers of declarations, in the order of the text.
    std::pmr::vector<uint32_t> inputs{&memory}, outputs{&memory}, system_values{&memory};
    tgsi2spv::api::Texts names{memory, 0};
    std::pmr::vector<tgsi2spv_resource> resources{&memory};  ///< resources, with TGSI2SPV_PARSE_RESOURCES
};

struct tgsi2spv_linkage {
    explicit tgsi2spv_linkage(const tgsi2spv::api::CallerMemory& m) : memory(m) {}

    tgsi2spv::api::CallerMemory memory;
    tgsi2spv::lower::Linkage linkage{&memory};
    tgsi2spv::tgsi::Stage stage{};  ///< the stage of the program that the linkage is for
};
