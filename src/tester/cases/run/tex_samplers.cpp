#include "cases/run/tex_samplers.h"

#include <algorithm>

#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::difftest {

bool samplers_imply_views(const tgsi::Program& program) {
    return std::ranges::none_of(program.instructions,
                                [](const tgsi::Instruction& i) { return tgsi::info(i.op).form == tgsi::Form::sample; });
}

Comparing::Comparing(const tgsi::Program& program) {
    for (const tgsi::Instruction& i : program.instructions) {
        if (tgsi::info(i.op).family != tgsi::Family::texture || !tgsi::shape(i.target).shadow) continue;
        for (const tgsi::Operand& o : program.srcs(i)) {
            if (o.file != tgsi::File::Sampler) continue;
            if (o.index_is_relative)
                all_ = true;
            else
                some_.insert(static_cast<uint32_t>(o.index));
        }
    }
}

}  // namespace tgsi2spv::difftest
