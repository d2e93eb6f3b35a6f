// What found no memory when it was made or bound. Later commands name it, or draw with what was bound before: these are
// skipped, too, and the program goes on. Nothing is drawn with other state than the program's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "renderer/state/problem.h"
#include "virgl/commands.h"

namespace tgsi2spv::host {

struct SubContext;

class Missing {
  public:
    /// A resource that the host makes, or refuses.
    void set_resource(uint32_t handle, const Problem& problem);
    /// Before a command: whether it draws with bindings of which some are missing.
    bool draws_without(const SubContext& context, const virgl::Command& command) const;
    /// After it: its problem, which is NoMemory if it names what is missing. Remembers what it has not made or bound.
    Problem take(const SubContext& context, const virgl::Command& command, Problem problem);
    void forget(const SubContext& context) { of_contexts_.erase(&context); }

  private:
    struct OfContext {
        std::unordered_set<uint32_t> objects;
        std::set<uint64_t> bindings;  ///< by the kind of command and its place
    };
    std::unordered_set<uint32_t> resources_;
    std::unordered_map<const SubContext*, OfContext> of_contexts_;
};

}  // namespace tgsi2spv::host
