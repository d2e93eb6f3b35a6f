#include "renderer/missing.h"

#include <optional>
#include <variant>

namespace tgsi2spv::host {
namespace {

/// A guest that names more has no memory left for anything.
constexpr size_t kMost = 4096;

template <class Command, class... Commands>
constexpr bool kIsOneOf = (std::is_same_v<Command, Commands> || ...);

template <class C>
constexpr bool kMakes = kIsOneOf<C, virgl::CreateShader, virgl::CreateSamplerView, virgl::CreateSurface,
                                 virgl::CreateQuery, virgl::CreateStreamoutTarget>;
template <class C>
constexpr bool kBinds =
    kIsOneOf<C, virgl::BindObject, virgl::BindShader, virgl::SetFramebuffer, virgl::SetVertexBuffers,
             virgl::SetIndexBuffer, virgl::SetUniformBuffer, virgl::SetSamplerViews, virgl::BindSamplerStates,
             virgl::SetShaderBuffers, virgl::SetShaderImages, virgl::SetStreamoutTargets>;
template <class C>
constexpr bool kDraws = kIsOneOf<C, virgl::Draw, virgl::LaunchGrid, virgl::Clear>;

/// The place that a command binds to, beside its kind.
template <class C>
uint32_t place_of(const C& command) {
    uint32_t place = 0;
    if constexpr (requires { command.stage; }) place = static_cast<uint32_t>(command.stage) << 16;
    if constexpr (requires { command.start; }) place |= command.start;
    if constexpr (std::is_same_v<C, virgl::BindObject>) place = static_cast<uint32_t>(command.type);
    if constexpr (std::is_same_v<C, virgl::SetUniformBuffer>) place |= command.index;
    return place;
}

void set(auto& missing, auto key, bool is_missing) {
    if (!is_missing)
        missing.erase(key);
    else if (missing.size() < kMost)
        missing.insert(key);
}

}  // namespace

void Missing::set_resource(uint32_t handle, const Problem& problem) {
    set(resources_, handle, problem == Problem::NoMemory);
}

bool Missing::draws_without(const SubContext& context, const virgl::Command& command) const {
    const auto at = of_contexts_.find(&context);
    if (at == of_contexts_.end() || at->second.bindings.empty()) return false;
    return std::visit([]<class C>(const C&) { return kDraws<C>; }, command);
}

Problem Missing::take(const SubContext& context, const virgl::Command& command, Problem problem) {
    const auto at = of_contexts_.find(&context);
    const auto handle = static_cast<uint32_t>(problem.value);
    if ((problem == Problem::NoResource && resources_.contains(handle)) ||
        (problem == Problem::NoObject && at != of_contexts_.end() && at->second.objects.contains(handle)))
        problem = Problem::NoMemory;
    const bool is_missing = problem == Problem::NoMemory;
    if (!is_missing && at == of_contexts_.end()) return problem;
    std::visit(
        [&]<class C>(const C& c) {
            if constexpr (kMakes<C>) set(of_contexts_[&context].objects, c.handle, is_missing);
            if constexpr (kBinds<C>)
                set(of_contexts_[&context].bindings, uint64_t{command.index()} << 32 | place_of(c), is_missing);
        },
        command);
    return problem;
}

}  // namespace tgsi2spv::host
