#include "inputs/unused.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "inputs/uses.h"
#include "tgsi/program/resource_numbers.h"
#include "tgsi/program/survey.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using tgsi::File;
using tgsi::Stage;

struct Finder {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const reference::Inputs& in;
    std::vector<std::string> found{};

    /// Whether a declaration or an operand names a register, or an operand any of its file.
    bool names(std::initializer_list<File> files, uint32_t number) const {
        const auto index = static_cast<int32_t>(number);
        return std::ranges::any_of(files, [&](File file) {
            return registers.declared(file, index) || std::ranges::any_of(program.operands, [&](const auto& o) {
                       return o.file == file && (o.index_is_relative || o.index == index);
                   });
        });
    }
    bool names_file(std::initializer_list<File> files) const {
        return std::ranges::any_of(files, [&](File file) {
            return registers.count(file) != 0 ||
                   std::ranges::any_of(program.operands, [&](const auto& o) { return o.file == file; });
        });
    }

    /// Whether registers of other files select textures or images: an access then has no operand that is a resource.
    bool has_handles() const {
        return std::ranges::any_of(program.instructions, [&](const tgsi::Instruction& i) {
            const auto& info = tgsi::info(i.op);
            if (info.family != tgsi::Family::texture && info.form != tgsi::Form::memory) return false;
            const auto resource = [](const auto& o) {
                return is_memory(o.file) || o.file == File::Sampler || o.file == File::SamplerView;
            };
            return std::ranges::none_of(program.srcs(i), resource) && std::ranges::none_of(program.dsts(i), resource);
        });
    }

    template <class... Args>
    void tell(fmt::format_string<Args...> format, Args&&... args) {
        found.push_back(fmt::format(format, std::forward<Args>(args)...));
    }
    void not_declared(File file, int32_t index) {
        tell("{}[{}] is not declared in the shader; its values are not used", tgsi::name(file), index);
    }

    void find_registers() {
        for (const auto& [key, values] : in.inputs)
            if (!registers.declared(File::Input, key.second)) not_declared(File::Input, key.second);
        for (const auto& [index, values] : in.system_values)
            if (!registers.declared(File::SystemValue, index)) not_declared(File::SystemValue, index);
        for (const auto& [buffer, words] : in.constants) {
            const auto dim = static_cast<int32_t>(buffer);
            if (registers.count(File::Const, dim) == 0 && !registers.declared(File::ConstBuf, dim))
                not_declared(File::Const, dim);
        }
    }

    void find_resources() {
        for (const auto& [index, words] : in.buffers)
            if (index == tgsi::kGlobalMemory || index == tgsi::kInputMemory
                    ? !names_file({File::Memory, File::ResGlobal, File::ResInput})
                    : !names({File::Buffer, File::Resource}, index))
                tell("the shader has no buffer {}; its words are not used", index);
        for (const auto& [buffer, words] : in.hwatomics) {
            const auto dim = static_cast<int32_t>(buffer);
            const auto counts = [dim](const auto& o) {
                return o.file == File::HwAtomic && (o.dim_is_relative || o.dim == dim);
            };
            if (registers.count(File::HwAtomic, dim) == 0 && std::ranges::none_of(program.operands, counts))
                tell("the shader has no HWATOMIC[{}]; its words are not used", buffer);
        }
        if (has_handles()) return;
        const auto sampled = [&](uint32_t index) {
            return names({File::Sampler, File::SamplerView, File::Resource}, index);
        };
        for (const auto& [index, texture] : in.textures) {
            const auto shows = [texture = index](const auto& view) { return view.second.texture == texture; };
            if (!sampled(index) && std::ranges::none_of(in.views, shows))
                tell("the shader has no texture {}; its texels are not used", index);
        }
        for (const auto& [index, view] : in.views)
            if (!sampled(index)) tell("the shader has no view {}; its texture and swizzle are not used", index);
        for (const auto& [index, sampler] : in.samplers)
            if (!sampled(index)) tell("the shader has no sampler {}; its state is not used", index);
        for (const auto& [index, image] : in.images)
            if (!names({File::Image, File::Resource}, index))
                tell("the shader has no image {}; its texels are not used", index);
    }

    void find_fields() {
        const auto fetches = [](const tgsi::Instruction& i) { return i.op == tgsi::Opcode::FBFETCH; };
        if (!in.framebuffer_colors.empty() && std::ranges::none_of(program.instructions, fetches))
            tell("the shader has no FBFETCH; the colors of the framebuffer are not used");
        const reference::Inputs plain;
        const auto only = [&](const char* field, bool given, Stage stage) {
            if (given && program.stage != stage) tell("\"{}\" is of {} only; it is not used", field, tgsi::name(stage));
        };
        only("grid", in.grid != plain.grid, Stage::Compute);
        only("shared_words", in.shared_words != plain.shared_words, Stage::Compute);
        only("base_vertex", in.base_vertex != 0, Stage::Vertex);
        only("base_instance", in.base_instance != 0, Stage::Vertex);
        if (program.stage == Stage::Compute && in.lanes != 1)
            tell("\"{}\" is not used: \"grid\" and the work group's size tell how often COMP runs",
                 in.patches != 0 ? "patches" : "lanes");
        else if (program.stage != Stage::TessControl && in.patches != 0)
            tell("\"patches\" is of TESS_CTRL only; it is taken as \"lanes\"");
    }
};

}  // namespace

std::vector<std::string> unused_values(const tgsi::Program& program, const tgsi::Registers& registers,
                                       const reference::Inputs& inputs) {
    Finder finder{program, registers, inputs};
    finder.find_registers();
    finder.find_resources();
    finder.find_fields();
    return std::move(finder.found);
}

}  // namespace tgsi2spv::difftest
