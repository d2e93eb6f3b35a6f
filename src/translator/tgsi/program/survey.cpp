#include "tgsi/program/survey.h"

namespace tgsi2spv::tgsi {

void survey(const Program& program, Survey& out) {
    out.clear();
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
        out.others.push_back(i);
        if (info(program.instructions[i].op).family == Family::flow) out.flow.push_back(i);
    }
}

}  // namespace tgsi2spv::tgsi
