// The registers of a file that carry semantics.
#pragma once

#include <cstdint>

#include "tgsi/program/program.h"

namespace tgsi2spv::tgsi {

/// Calls f(register, declaration, semantic index) for each declared register of a file that has a semantic.
template <class F>
void for_each_semantic(const Program& program, File file, F&& f) {
    for (const Declaration& d : program.declarations)
        if (d.file == file && d.has_semantic)
            for (int32_t i = d.first; i <= d.last; i++) f(i, d, d.semantic_index + static_cast<uint32_t>(i - d.first));
}

}  // namespace tgsi2spv::tgsi
