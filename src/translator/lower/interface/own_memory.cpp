#include "lower/interface/own_memory.h"

#include <spirv/unified1/spirv.hpp11>

#include "lower/context/values.h"
#include "lower/interface/resources.h"
#include "lower/interface/system_values.h"
#include "lower/interface/vertices.h"
#include "lower/registers/arrays.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::MemoryKind;

namespace {

uint32_t words_of(const Context& context, bool is_private) {
    return is_private ? context.options.private_words : context.options.shared_words;
}

/// Calls `use` with file, register and "is private" for each register that an instruction accesses.
template <class Use>
void for_each_used(Context& context, Use&& use) {
    const auto uses = [&](File file) -> const MemoryUses& {
        return context.plan.memory_uses[static_cast<size_t>(file)];
    };
    if (uses(File::ResLocal).all != 0) use(File::ResLocal, 0, false);
    if (uses(File::ResPrivate).all != 0) use(File::ResPrivate, 0, true);
    const auto& named = uses(File::Memory).by_index;  // an index is refused
    for (uint32_t i = 0; i < named.size(); ++i) {
        if (named[i] == 0) continue;
        const auto* const d =
            tgsi::declaration_of(context.program, context.registers.find(File::Memory, static_cast<int32_t>(i)));
        if (d == nullptr) continue;
        const MemoryKind kind = d->memory_kind;
        if (kind != MemoryKind::Shared && kind != MemoryKind::Private) continue;
        use(File::Memory, i, kind == MemoryKind::Private);
    }
}

/// The invocations of a group take turns.
void clear_shared(Context& context, uint32_t variable) {
    ir::Builder& b = context.b;
    ir::Value group = block_size(context, 0);
    for (const int c : {1, 2}) group = b.imul(group, block_size(context, c));
    clear_in_loop(context, variable, load_builtin(context, ir::BuiltIn::LocalInvocationIndex, ir::u32()), group);
}

}  // namespace

uint32_t own_memory(Context& context, File file, uint32_t index, bool is_private) {
    OwnMemory& own = is_private ? context.resources.private_memory : context.resources.shared_memory;
    if (file == File::Memory && own.by_register.size() <= index) own.by_register.resize(index + 1, kNoIndex);
    uint32_t& variable = file == File::Memory ? own.by_register[index] : own.whole_file;
    if (variable != kNoIndex) return variable;
    const uint32_t words = words_of(context, is_private);
    const bool initialised = is_private ? words <= kMostInitialised : context.capabilities.zero_shared;
    return variable = context.b.add_variable({.kind = is_private ? ir::VariableKind::Private : ir::VariableKind::Shared,
                                              .element = ir::u32(),
                                              .array = {words, 0},
                                              .zero_initialised = context.options.zero_memory && initialised,
                                              .name = is_private ? "private memory" : "shared memory"});
}

void group_barrier(Context& context) {
    using enum spv::MemorySemanticsMask;
    // The barrier of TESS_CTRL orders its outputs by itself; words of a buffer need explicit semantics. For COMP, the
    // documents only mention execution; but every producer relies on memory being ordered within the group.
    auto semantics = AcquireRelease | UniformMemory;
    if (context.program.stage != tgsi::Stage::TessControl)
        semantics = semantics | ImageMemory | WorkgroupMemory;
    else if (!context.options.io_buffers)
        semantics = MaskNone;
    context.b.emit(ir::Op::ControlBarrier, ir::kVoid, {}, static_cast<uint32_t>(semantics));
}

void clear_memory(Context& context) {
    if (!context.options.zero_memory) return;
    bool waits = false;
    if (context.program.stage == tgsi::Stage::TessControl) {
        clear_patch_outputs(context);
        waits = true;
    }
    for_each_used(context, [&](File file, uint32_t index, bool is_private) {
        if (words_of(context, is_private) == 0 || (!is_private && context.program.stage != tgsi::Stage::Compute))
            return;
        const uint32_t variable = own_memory(context, file, index, is_private);
        if (context.b.module().variables[variable].zero_initialised) return;
        if (is_private) return clear_in_loop(context, variable, context.b.const_u32(0), context.b.const_u32(1));
        clear_shared(context, variable);
        waits = true;
    });
    if (waits) group_barrier(context);
}

}  // namespace tgsi2spv::lower
