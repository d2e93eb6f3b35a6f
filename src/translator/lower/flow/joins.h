// The phis where control flow merges.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// An edge into a merge block: the values of the registers that the construct writes, in the order of its writes.
struct Edge {
    ir::BlockId block = 0;
    uint32_t values = 0;  ///< index in Joins::values
    uint32_t next = kNoIndex;
};
struct EdgeList {
    uint32_t first = kNoIndex, last = kNoIndex, count = 0;  ///< indices in Joins::edges; their number
};

/// The walk's record of a register that a construct writes.
struct Join {
    ir::Scalar merge = ir::Scalar::Void;  ///< type of the merge block's phi, from the first edge that is not constant
    ir::Scalar other = ir::Scalar::Void;  ///< the same for the continue block, or for a case
    ir::Value entry = ir::kNone;          ///< Loop: the header's phi; Switch: the value at its header
    std::array<Ref, 4> saved;             ///< the components on entry to the construct
};

/// Joins and edges of the open function.
struct Joins {
    explicit Joins(std::pmr::memory_resource* memory)
        : of_writes(memory), edges(memory), values(memory), incoming(memory) {}

    std::pmr::vector<Join> of_writes;  ///< a join for each of Plan::writes
    std::pmr::vector<Edge> edges;
    std::pmr::vector<ir::Value> values;       ///< values of the edges
    std::pmr::vector<ir::Incoming> incoming;  ///< scratch: of one phi
};

/// The target of an edge: a construct's merge block, or a loop's continue block.
enum class EdgeTarget : uint8_t { Merge, Continue };
void add_edge(Context& context, const Construct& construct, EdgeList& list, EdgeTarget target);
/// Starts `block`, and sets the registers to the values that the edges bring. No edge: the block is not reachable.
/// Registers that are not read from there on become 0.
void join(Context& context, const Construct& construct, const EdgeList& list, EdgeTarget target, ir::BlockId block);
/// The written components of a register as one value, and the reverse.
ir::Value composed(Context& context, const Write& write, ir::Scalar scalar);
void set_cells(Context& context, const Write& write, ir::Value value);
/// Keeps the registers that the construct writes as they are on entry, and the reverse.
void save(Context& context, const Construct& construct);
void restore(Context& context, const Construct& construct);

}  // namespace tgsi2spv::lower
