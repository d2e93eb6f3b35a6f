// The result of a sweep over the instructions, which the parser records as it passes them. For real text, this leaves
// little for the checker to look at, and even less for gather().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <vector>

#include "tgsi/program/program.h"

namespace tgsi2spv::tgsi {

using FileSet = uint32_t;  ///< bit 1 << File
constexpr FileSet file_set(std::initializer_list<File> files) {
    FileSet bits = 0;
    for (File f : files) bits |= FileSet{1} << static_cast<int>(f);
    return bits;
}
constexpr bool contains(FileSet files, File f) {
    return files >> static_cast<int>(f) & 1;
}

/// The files that a source value may name, and those that any destination may.
inline constexpr FileSet kReadable =
    file_set({File::Null, File::Const, File::Input, File::Output, File::Temp, File::Address, File::Immediate,
              File::SystemValue, File::Predicate, File::ImmediateArray, File::TempArray});
inline constexpr FileSet kWritable =
    file_set({File::Null, File::Output, File::Temp, File::Address, File::Predicate, File::TempArray});

/// Memory that the name of a file says whole.
inline constexpr FileSet kNamedMemory = file_set({File::ResGlobal, File::ResLocal, File::ResPrivate, File::ResInput});
/// Memory of words without a type.
inline constexpr FileSet kWordMemory =
    kNamedMemory | file_set({File::Buffer, File::Memory, File::ConstBuf, File::HwAtomic});

/// Files that name memory. If a memory instruction has an operand of another file, the operand holds a handle.
constexpr bool is_memory(File file) {
    return contains(kWordMemory | file_set({File::Image, File::Resource}), file);
}

/// An instruction is simple if the only possible error is an undeclared register: it has the table's number of
/// operands; they are values with direct indices, in allowed files; there is no texture, resource or predicate; the
/// stage has the opcode.
struct Survey {
    Survey() = default;
    explicit Survey(std::pmr::memory_resource* memory) : others(memory), flow(memory) {}

    /// The registers that simple instructions name: each of the first 64, and the span from the lowest to the highest
    /// of the rest.
    struct Used {
        static constexpr int32_t kEach = 64;
        uint64_t each = 0;
        int32_t first = std::numeric_limits<int32_t>::max();
        int32_t last = -1;

        void add(int32_t index) {
            if (index < kEach) {
                each |= uint64_t{1} << index;
            } else {
                first = std::min(first, index);
                last = std::max(last, index);
            }
        }
        /// Removes the registers of the run.
        void remove(int32_t run_first, int32_t run_last) {
            each &= ~mask_of(run_first, run_last);
            if (run_first <= first && last <= run_last) *this = {.each = each};
        }
        bool empty() const { return each == 0 && last < 0; }
        /// Whether some register of the run may be in the set.
        bool meets(int32_t run_first, int32_t run_last) const {
            return (each & mask_of(run_first, run_last)) != 0 || (run_first <= last && first <= run_last);
        }

      private:
        static constexpr uint64_t mask_below(int64_t index) {
            return index < kEach ? (uint64_t{1} << index) - 1 : ~uint64_t{0};
        }
        static constexpr uint64_t mask_of(int32_t first, int32_t last) {
            return mask_below(int64_t{last} + 1) & ~mask_below(first);
        }
    };
    static constexpr int kConstBuffers = 16;  ///< CONST[0] to CONST[15]
    static constexpr int kVertexInput = kFileCount + kConstBuffers, kVertexOutput = kVertexInput + 1;
    static constexpr int kSpaces = kVertexOutput + 1;
    /// Indexed by File, by kFileCount + dim for CONST[dim] other than 0, and by further places for IN and OUT with two
    /// brackets.
    std::array<Used, kSpaces> used{};
    bool beyond_files = false;          ///< some of those after the files are not empty, as in few texts
    std::pmr::vector<uint32_t> others;  ///< all other instructions, ascending
    std::pmr::vector<uint32_t> flow;    ///< instructions of the flow family, ascending

    /// The index in `used` of a register with direct indices; -1: no simple instruction has such an operand.
    static constexpr int space_of(const Operand& operand) {
        if (!operand.has_dim || (operand.file == File::Const && operand.dim == 0))
            return static_cast<int>(operand.file);
        if (operand.file == File::Const && operand.dim < kConstBuffers) return kFileCount + operand.dim;
        return vertex_space_of(operand.file);
    }
    static constexpr int vertex_space_of(File file) {
        return file == File::Input ? kVertexInput : file == File::Output ? kVertexOutput : -1;
    }
    void clear() {
        std::fill_n(used.begin(), kFileCount, Used{});
        if (beyond_files) std::fill(used.begin() + kFileCount, used.end(), Used{});
        beyond_files = false;
        others.clear();
        flow.clear();
    }
};

/// For a Program that was not parsed: no instruction counts as simple.
void survey(const Program& program, Survey& out);

}  // namespace tgsi2spv::tgsi
