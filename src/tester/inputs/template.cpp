#include "inputs/template.h"

#include <fmt/format.h>

#include "inputs/case.h"
#include "inputs/inputs.h"
#include "inputs/json.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::difftest {

namespace {

constexpr size_t kMostWords = 16;  // of a buffer: enough to see how it is written

void use_zeros(Json& words, size_t most, bool as_float) {
    const Json zero = as_float ? Json(0) : Json("0x00000000");
    words = Json(std::min(words.size(), most), zero);
}

/// Four words to a register.
void use_registers(Json& words) {
    words = Json((words.size() + 3) / 4, Json{0, 0, 0, 0});
}

void use_plain_sampler(Json& sampler) {
    Json plain;
    for (const char* wrap : {"wrap_s", "wrap_t", "wrap_r"}) plain[wrap] = "CLAMP_TO_EDGE";
    for (const char* filter : {"min_filter", "mag_filter", "mip_filter"}) plain[filter] = "NEAREST";
    for (const char* kept : {"compare", "unnormalized"})
        if (sampler.contains(kept)) plain[kept] = sampler[kept];
    sampler = std::move(plain);
}

uint64_t texels_of(const Json& texture) {
    uint64_t texels = 1;
    for (const char* size : {"width", "height", "depth", "layers", "samples"}) texels *= texture[size].get<uint64_t>();
    return texels;
}

/// One level of few texels, with all of them, in a format that people know.
void use_small_texture(Json& texture) {
    const uint64_t components = texture["data"][0].size() / texels_of(texture);
    std::string format = texture["format"].get<std::string>();
    if (format == "PIPE_FORMAT_R8G8B8A8_SNORM") texture["format"] = format = "PIPE_FORMAT_R8G8B8A8_UNORM";
    for (const char* size : {"width", "height", "depth"})
        texture[size] = std::min(texture[size].get<uint64_t>(), uint64_t{2});
    texture["levels"] = 1;
    const bool is_integer = format.ends_with("INT");
    const Json zero = is_integer ? Json("0x00000000") : Json(0);
    texture["data"] = Json::array({Json(components * texels_of(texture), zero)});
}

/// A line for each register, resource or other member.
std::string with_lines(const Json& all) {
    std::string text;
    for (const auto& [name, value] : all.items()) {
        text += fmt::format("{}  \"{}\": ", text.empty() ? "{\n" : ",\n", name);
        if (!value.is_object() || name == "framebuffer") {
            text += json_line(value);
            continue;
        }
        std::string members;
        for (const auto& [key, member] : value.items())
            members += fmt::format("{}    \"{}\": {}", members.empty() ? "{\n" : ",\n", key, json_line(member));
        text += members + "}";
    }
    return text + "\n}\n";
}

}  // namespace

std::string write_template(const tgsi::Program& program, const tgsi::Registers& registers) {
    InputOptions generation;
    generation.lanes = 4;
    generation.alone = true;
    const auto drawn = generate_inputs(program, registers, generation);
    Json all = *read_json(write_inputs(drawn, tgsi::has_vertices(program.stage, tgsi::File::Input)));
    for (const char* name : {"base_vertex", "base_instance"}) all.erase(name);
    for (auto& [name, members] : all.items()) {
        if (!members.is_object()) continue;
        for (auto& [key, value] : members.items()) {
            if (name == "inputs") value = {0, 0, 0, 1};
            if (name == "system_values") value = Json(4, "0x00000000");
            if (name == "constants") use_registers(value);
            if (name == "buffers" || name == "hwatomics") use_zeros(value, kMostWords, false);
            if (name == "textures" || name == "images") use_small_texture(value);
            if (name == "samplers") use_plain_sampler(value);
            if (name == "framebuffer" && value.is_array()) use_zeros(value, value.size(), true);
        }
    }
    return with_lines(all);
}

}  // namespace tgsi2spv::difftest
