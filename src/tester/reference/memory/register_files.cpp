#include "reference/memory/register_files.h"

#include <algorithm>

#include "tgsi/program/stage.h"

namespace tgsi2spv::reference {

using tgsi::File;

RegisterFiles::RegisterFiles(const tgsi::Program& program, const tgsi::Registers& registers, uint32_t inputs_given,
                             uint32_t group) {
    temps.resize(registers.count(File::Temp));
    addresses.resize(registers.count(File::Address));
    predicates.resize(registers.count(File::Predicate));
    system_values.resize(registers.count(File::SystemValue));
    temp_arrays.resize(static_cast<size_t>(registers.dims(File::TempArray)));
    for (size_t d = 0; d < temp_arrays.size(); ++d)
        temp_arrays[d].resize(registers.count(File::TempArray, static_cast<int32_t>(d)));

    may_have_more = program.stage == tgsi::Stage::TessControl || program.stage == tgsi::Stage::TessEval;
    outputs_are_shared = program.stage == tgsi::Stage::TessControl;
    if (program.stage == tgsi::Stage::Geometry)
        vertices_in =
            tgsi::vertices_of(static_cast<tgsi::Primitive>(program.property(tgsi::Property::GsInputPrimitive)));
    if (may_have_more) vertices_in = inputs_given;
    inputs_of_vertex.resize(std::max(vertices_in, 1u));
    outputs_of_vertex.resize(outputs_are_shared ? group : 1);
    for (RegisterFile& f : inputs_of_vertex) f.resize(registers.count(File::Input));
    for (RegisterFile& f : outputs_of_vertex) f.resize(registers.count(File::Output));
    input_array_.resize(static_cast<size_t>(registers.count(File::Input)));
    output_array_.resize(static_cast<size_t>(registers.count(File::Output)));
    for (const File file : {File::Input, File::Output}) {
        std::vector<bool>& array = file == File::Input ? input_array_ : output_array_;
        for (size_t k = 0; k < array.size(); ++k)
            array[k] = tgsi::is_per_vertex(program, registers, file, static_cast<int32_t>(k));
    }
    if (outputs_are_shared)
        for (int32_t k = 0; k < registers.count(File::Output); ++k)
            output_components_.push_back(tgsi::output_components(program, registers, k));
}

bool RegisterFiles::is_array(File file, int32_t index) const {
    if (file != File::Input && file != File::Output) return false;
    const std::vector<bool>& array = file == File::Input ? input_array_ : output_array_;
    return index >= 0 && static_cast<size_t>(index) < array.size() && array[static_cast<size_t>(index)];
}

int32_t RegisterFiles::space(File file, int32_t dim, int32_t index) const {
    return file == File::Const || file == File::TempArray || is_array(file, index) ? dim : 0;
}

int32_t RegisterFiles::spaces(File file) const {
    if (file == File::TempArray) return static_cast<int32_t>(temp_arrays.size());
    return file == File::Output ? static_cast<int32_t>(outputs_of_vertex.size()) : 1;
}

RegisterFile* RegisterFiles::writable(File file, int32_t dim) {
    switch (file) {
        case File::Temp:
            return &temps;
        case File::Address:
            return &addresses;
        case File::Output:
            return dim >= 0 && dim < spaces(file) ? &outputs_of_vertex[static_cast<size_t>(dim)] : nullptr;
        case File::Predicate:
            return &predicates;
        case File::TempArray:
            return dim >= 0 && static_cast<size_t>(dim) < temp_arrays.size() ? &temp_arrays[static_cast<size_t>(dim)]
                                                                             : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace tgsi2spv::reference
