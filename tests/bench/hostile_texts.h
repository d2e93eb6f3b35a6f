// Texts of short lines that make the library work most for a byte: most of them cause warnings or errors, of which few
// are kept.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tgsi2spv::bench {

struct HostileText {
    const char* name;
    const char* head;
    const char* line;
    const char* tail = "END\n";

    /// About so many bytes.
    std::string make(size_t bytes) const {
        std::string text = head;
        while (text.size() < bytes) text += line;
        return text + tail;
    }
};

inline constexpr HostileText kHostileTexts[] = {
    {"unknown_properties", "FRAG\n", "PROPERTY FS_COLOR1\n"},
    {"properties_without_a_word", "FRAG\n", "PROPERTY 7\n"},
    {"ignored_properties", "VERT\n", "PROPERTY FS_DEPTH_LAYOUT 9\n"},
    {"wrap_modes", "FRAG\n", "DCL IN[0],FOG,CYLWRAP_X\n"},
    {"float_ranges", "FRAG\nDCL IMMX[0..65535] {", "{1e99,1e-99,0,0},", "}\nEND\n"},
    {"undeclared_registers", "FRAG\nDCL TEMP[0]\n", "MOV TEMP[9],IMM[9]\n"},
    {"undeclared_indices", "FRAG\nDCL CONST[0]\nDCL TEMP[0]\n", "MOV TEMP[0],CONST[SV[9].x]\n"},
    {"undeclared_buffers", "FRAG\nDCL TEMP[0]\n", "MOV TEMP[0],CONST[3][SV[9].x]\n"},
    {"negative_images", "FRAG\nDCL TEMP[0]\n", "LOAD TEMP[0],IMAGE[-1],TEMP[0],2D\n"},
    {"negative_counters", "FRAG\nDCL TEMP[0]\n", "ATOMUADD TEMP[0],HWATOMIC[0][-1],TEMP[0],TEMP[0]\n"},
    {"mixed_views", "FRAG\nDCL TEMP[0]\nDCL SAMP[0]\n", "DCL SVIEW[0],2D,FLOAT DCL SVIEW[0],3D,SINT\n"},
    {"repeated_outputs", "VERT\n", "DCL OUT[0],FOG DCL OUT[1],FOG\n"},
    {"unknown_opcodes", "FRAG\n", "ADDD\n"},
    {"opcodes_of_another_stage", "VERT\n", "KILL\n"},
    {"stray_braces", "FRAG\n", "}\n"},
    {"comments", "FRAG\n", "#\n"},
    {"labels", "FRAG\n", "1:"},
    {"nothing", "FRAG\n", "NOP\n"},
    {"barriers", "COMP\n", "BARRIER\n"},
    {"kills", "FRAG\n", "KILL\n"},
    {"dead_code", "FRAG\nDCL TEMP[0]\n", "MOV TEMP[0],TEMP[0]\n"},
    {"calls_of_nothing", "FRAG\n", "CAL\n"},
    {"outputs_by_an_index", "VERT\nDCL IN[0]\nDCL OUT[0..20000],GENERIC\nDCL ADDR[0]\n", "MOV OUT[ADDR[0].x],IN[0]\n"},
};

}  // namespace tgsi2spv::bench
