// Registers of all lanes, in columns: a column is one register component of every lane, as an array of Values. Every
// operation walks columns over the list of active lanes (structure of arrays).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "reference/numbers/value.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::reference {

/// The most vertices of a patch (maxTessellationPatchSize is at least this on every device).
inline constexpr int32_t kMaxPatch = 32;

/// Columns of a file, by register, made on the first write. A register without columns is zero.
class RegisterFile {
  public:
    void resize(int32_t registers) { slots_.assign(static_cast<size_t>(registers), nullptr); }
    int32_t count() const { return static_cast<int32_t>(slots_.size()); }
    /// Four columns one after another, or nullptr.
    Value* at(int32_t index) const {
        return index >= 0 && index < count() ? slots_[static_cast<size_t>(index)] : nullptr;
    }
    Value* make(int32_t index, uint32_t lanes) {
        Value*& slot = slots_[static_cast<size_t>(index)];
        if (!slot) {
            blocks_.push_back(std::make_unique<Value[]>(size_t{4} * lanes));
            slot = blocks_.back().get();
        }
        return slot;
    }
    template <class F>
    void for_each_block(F&& f) {
        for (auto& b : blocks_) f(b.get());
    }

  private:
    std::vector<Value*> slots_;
    std::vector<std::unique_ptr<Value[]>> blocks_;
};

/// All files whose registers differ between lanes.
struct RegisterFiles {
    /// `inputs_given`: the vertices that the case gives inputs for; `group`: invocations of a patch.
    RegisterFiles(const tgsi::Program& program, const tgsi::Registers& registers, uint32_t inputs_given,
                  uint32_t group);

    RegisterFile temps, addresses, predicates, system_values;
    std::vector<RegisterFile> temp_arrays;  ///< TEMPX, by first bracket
    /// By vertex if a stage reads or writes several vertices per lane; registers that are not arrays are in vertex 0.
    std::vector<RegisterFile> inputs_of_vertex, outputs_of_vertex;
    RegisterFile& outputs() { return outputs_of_vertex[0]; }
    const RegisterFile& outputs() const { return outputs_of_vertex[0]; }
    uint32_t vertices_in = 1;    ///< vertices of a primitive or patch
    bool may_have_more = false;  ///< TESS_*: vertices beyond `vertices_in` exist, and nothing defines their contents
    bool outputs_are_shared = false;  ///< TESS_CTRL (tessellation.h)

    /// The first bracket where it matters: CONST, TEMPX, and IN or OUT if the register is an array over vertices; else
    /// 0.
    int32_t space(tgsi::File file, int32_t dim, int32_t index) const;
    /// The number of spaces of a file that can be written.
    int32_t spaces(tgsi::File file) const;
    bool is_array(tgsi::File file, int32_t index) const;
    /// TESS_CTRL: whether OUT[index] does not have this component, which then reads 0 and drops writes.
    bool lacks_output(tgsi::File file, int32_t index, int component) const {
        return file == tgsi::File::Output && index >= 0 && static_cast<size_t>(index) < output_components_.size() &&
               (output_components_[static_cast<size_t>(index)] >> component & 1) == 0;
    }
    /// The file that a destination names, or nullptr. `dim` is a space().
    RegisterFile* writable(tgsi::File file, int32_t dim);
    bool is_output(const RegisterFile& file) const {
        return &file >= outputs_of_vertex.data() && &file < outputs_of_vertex.data() + outputs_of_vertex.size();
    }

  private:
    std::vector<bool> input_array_, output_array_;  ///< registers that are arrays over vertices
    std::vector<uint8_t> output_components_;        ///< TESS_CTRL, by register
};

}  // namespace tgsi2spv::reference
