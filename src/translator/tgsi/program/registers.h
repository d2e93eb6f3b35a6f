// The declarations of a Program, gathered once: both readers of a Program need them and must agree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "tgsi/program/program.h"
#include "tgsi/program/survey.h"

namespace tgsi2spv::tgsi {

/// The declaration of immediates, and of registers that producers use without declaring them: BUFFER, MEMORY, IMAGE,
/// CONSTBUF, HWATOMIC, RES, and constants beyond the declared end of a buffer other than 0. A direct use declares
/// those.
inline constexpr uint32_t kNoDeclaration = ~0u;

/// Registers first..last of a file (and of `dim`, for two-dimensional files).
struct Range {
    File file{};
    int32_t dim = 0;  ///< CONST, HWATOMIC, TEMPX: the first bracket (0 if the text has one bracket); else 0
    int32_t first = 0;
    int32_t last = 0;
    uint16_t array_id = 0;
    uint32_t declaration = 0;  ///< index in Program::declarations, or kNoDeclaration
    bool contains(int32_t i) const { return i >= first && i <= last; }
};

struct Registers {
    Registers() = default;
    explicit Registers(std::pmr::memory_resource* memory)
        : ranges(memory),
          runs_(memory),
          segments_(memory),
          arrays_(memory),
          order_(memory),
          places_(memory),
          open_(memory) {}

    std::pmr::vector<Range> ranges;  ///< declarations in the text's order

    /// Highest declared index + 1 in a file (and dim); 0 if there is none. Immediates count too.
    int32_t count(File file, int32_t dim = 0) const {
        const auto runs = runs_of(file);
        if (runs.empty()) return 0;
        return runs.back().dim == dim ? runs.back().last + 1 : count_below(runs, dim);
    }
    /// Highest declared dim + 1 of CONST, HWATOMIC or TEMPX; 0 if there is none.
    int32_t dims(File file) const;
    bool declared(File file, int32_t index, int32_t dim = 0) const;
    /// The declaration that covers a register (the last one in the text wins), or nullptr.
    const Range* find(File file, int32_t index, int32_t dim = 0) const;
    /// The range of an array id in a file, or nullptr.
    const Range* array(File file, uint16_t array_id) const;
    /// The range of `file` whose declaration describes the register of the operand (SVIEW for a SAMP of the same
    /// number): that of its array id; else that of the register at Operand::index; else, for an index that only a run
    /// knows, the first one of the file. nullptr if there is none.
    const Range* naming(const Operand& operand, File file) const;
    /// Calls f(first, last) for each maximal run of declared registers of the file and dim, in ascending order.
    template <class F>
    void for_each_run(File file, int32_t dim, F&& f) const {
        for (const Range& r : runs_of(file, dim)) f(r.first, r.last);
    }

    /// A piece of a file in which `range` is the valid declaration.
    struct Segment {
        File file{};
        int32_t dim = 0;
        int32_t first = 0;
        int32_t last = 0;
        uint32_t range = 0;  ///< index in ranges
    };

    /// The pieces of segments_ and runs_ that belong to one file.
    struct OfFile {
        uint32_t first_run = 0, end_of_runs = 0;
        uint32_t first_segment = 0, end_of_segments = 0;
    };
    std::array<OfFile, kFileCount> files_{};    ///< filled by gather()
    std::pmr::vector<Range> runs_;              ///< runs of each file: sorted, merged; filled by gather()
    std::pmr::vector<Segment> segments_;        ///< segments of each file: sorted, disjoint; filled by gather()
    std::pmr::vector<uint32_t> arrays_;         ///< ranges with an array id, by file and id; filled by gather()
    std::pmr::vector<uint32_t> order_;          ///< the order of the ranges in runs_ before gather() merges them
    std::pmr::vector<uint32_t> places_, open_;  ///< working memory of gather(), if ranges overlap
    bool overlap_ = false;                      ///< some ranges do; order_ then has their order

    std::span<const Range> runs_of(File file) const {
        const OfFile& f = files_[static_cast<size_t>(file)];
        return {runs_.data() + f.first_run, runs_.data() + f.end_of_runs};
    }
    std::span<const Range> runs_of(File file, int32_t dim) const {
        const auto runs = runs_of(file);
        return {std::ranges::lower_bound(runs, dim, {}, &Range::dim),
                std::ranges::upper_bound(runs, dim, {}, &Range::dim)};
    }
    /// count() where the file's last run is in another space.
    static int32_t count_below(std::span<const Range> runs, int32_t dim);
    std::span<const Segment> segments_of(File file) const {
        const OfFile& f = files_[static_cast<size_t>(file)];
        return {segments_.data() + f.first_segment, segments_.data() + f.end_of_segments};
    }
};

/// Whether some register of Survey::used[space] is not declared in the file and dim.
bool uses_undeclared(const Survey& survey, int space, const Registers& registers, File file, int32_t dim);

Registers gather(const Program& program);
/// The same into `registers`, which keeps its memory.
void gather(const Program& program, Registers& registers);
/// The same, faster, for callers that have the Survey from parse().
void gather(const Program& program, const Survey& survey, Registers& registers);

/// The declaration of the range; null for none, for immediates, and for registers that only their use declares.
inline const Declaration* declaration_of(const Program& program, const Range* range) {
    return range == nullptr || range->declaration == kNoDeclaration ? nullptr
                                                                    : &program.declarations[range->declaration];
}

/// The declaration of the view that an operand of a texture opcode names, or nullptr: a sampler of the TEX family reads
/// the SVIEW of the same number; a RES that is sampled is itself a view.
inline const Declaration* view_of(const Program& program, const Registers& registers, const Operand& operand) {
    return declaration_of(
        program, registers.naming(operand, operand.file == File::Resource ? File::Resource : File::SamplerView));
}

}  // namespace tgsi2spv::tgsi
