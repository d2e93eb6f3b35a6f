// The lowered form of memory instructions; tests/cases/memory.cpp runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lower/lowered.h"
#include "tgsi/formats.h"

namespace tgsi2spv::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string shader(std::string_view body) {
    return R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 8
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 4, 8, 12}
)" + std::string(body) +
           "\nEND\n";
}

const ir::Variable* variable(const ir::Module& m, ir::VariableKind kind) {
    const auto found =
        std::find_if(m.variables.begin(), m.variables.end(), [&](const ir::Variable& v) { return v.kind == kind; });
    return found == m.variables.end() ? nullptr : &*found;
}

TEST(LowerMemory, SharedMemoryAtKnownPlacesNeedsNoChecks) {
    const Lowered l =
        lower_text(shader("STORE MEMORY[0].x, IMM[0].yyyy, SV[0].xxxx\nLOAD TEMP[0].x, MEMORY[0], IMM[0].zzzz\n"
                          "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]"),
                   {.trust_indices = true});
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_THAT(operations(l.module), Not(HasSubstr("BranchIf")));
    const ir::Variable* shared = variable(l.module, ir::VariableKind::Shared);
    ASSERT_NE(shared, nullptr);
    EXPECT_EQ(shared->array[0], 4096u);
}

/// The checks of a device with robustBufferAccess2 and robustImageAccess2, and those that remain in the module.
TEST(LowerMemory, RobustDevicesCheckLoadsAndStores) {
    lower::Capabilities robust;
    robust.robust_buffers = robust.robust_images = true;
    const auto checks = [](std::string_view body, const lower::Capabilities& capabilities) {
        const std::string_view declared =
            R"(DCL ADDR[0]
DCL HWATOMIC[0][0..3]
DCL CONSTBUF[0]
DCL CONST[1][0..3]
DCL CONST[1][4..5], ARRAY(1)
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL IMAGE[1], 2D, PIPE_FORMAT_R32_UINT, WR
DCL SAMP[0..1]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D_MSAA, FLOAT
UARL ADDR[0].x, SV[0].xxxx
)";
        const Lowered l = lower_text(shader(std::string(declared).append(body)), {}, capabilities);
        EXPECT_TRUE(l.ok) << l.error;
        return count(l.module, ir::Op::ULt) + count(l.module, ir::Op::ImageQueryLevels);
    };
    const auto is_left_to_the_device = [&](std::string_view body) {
        EXPECT_GT(checks(body, {}), 0u) << body;
        EXPECT_EQ(checks(body, robust), 0u) << body;
    };
    const auto stays = [&](std::string_view body) { EXPECT_GT(checks(body, robust), 0u) << body; };
    is_left_to_the_device("LOAD TEMP[0], BUFFER[0], SV[0].xxxx\nSTORE BUFFER[0].x, SV[0].yyyy, TEMP[0]");
    is_left_to_the_device("LOAD TEMP[0].x, HWATOMIC[0][1], IMM[0].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
    is_left_to_the_device("LOAD TEMP[0], CONSTBUF[0], SV[0].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
    is_left_to_the_device("MOV TEMP[0], CONST[1][ADDR[0].x]\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
    is_left_to_the_device("LOAD TEMP[0], IMAGE[0], SV[0].xyxx, 2D\nSTORE IMAGE[0], SV[0].yxxx, TEMP[0], 2D");
    is_left_to_the_device("TXF TEMP[0], SV[0].xyzx, SAMP[0], 2D\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
    stays("ATOMUADD TEMP[0].x, BUFFER[0], SV[0].xxxx, SV[0].yyyy");
    stays("ATOMUADD TEMP[0].x, IMAGE[1], SV[0].xyxx, SV[0].yyyy, 2D");
    stays("STORE MEMORY[0].x, SV[0].xxxx, SV[0].xxxx");
    stays("MOV TEMP[0], CONST[1][ADDR[0].x](1)\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
    stays("TXF TEMP[0], SV[0].xyzx, SAMP[1], 2D_MSAA\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
}

/// A texel of a register that does not exist is not used, so robust devices may read one that does not exist either.
TEST(LowerMemory, RobustDevicesTakeAnyCoordinates) {
    const auto coordinates = [](bool robust) {
        lower::Capabilities capabilities;
        capabilities.robust_images = robust;
        const Lowered l = lower_text(
            shader("DCL ADDR[0]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT\nUARL ADDR[0].x, SV[0].xxxx\n"
                   "LOAD TEMP[0].x, IMAGE[ADDR[0].x], SV[0].xyxx, 2D\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]"),
            {}, capabilities);
        EXPECT_TRUE(l.ok) << l.error;
        return count(l.module, ir::Op::Select);
    };
    EXPECT_EQ(coordinates(false), 2u);
    EXPECT_EQ(coordinates(true), 1u);
}

/// The two kinds of memory have sizes of their own, and private memory fits the limits of drivers.
TEST(LowerMemory, SharedAndPrivateMemoryHaveSizesOfTheirOwn) {
    const std::string text = shader(
        "STORE RPRIVATE.x, SV[0].xxxx, SV[0].xxxx\nLOAD TEMP[0].x, RPRIVATE, SV[0].xxxx\n"
        "STORE RLOCAL.x, SV[0].xxxx, TEMP[0]\nLOAD TEMP[1].x, RLOCAL, SV[0].xxxx\n"
        "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[1]");
    const auto sizes = [&](const lower::Options& options) {
        const Lowered l = lower_text(text, options);
        EXPECT_TRUE(l.ok) << l.error;
        const ir::Variable *own = variable(l.module, ir::VariableKind::Private),
                           *shared = variable(l.module, ir::VariableKind::Shared);
        return std::pair(own != nullptr ? own->array[0] : 0, shared != nullptr ? shared->array[0] : 0);
    };
    EXPECT_EQ(sizes({}), std::pair(2048u, 4096u));
    EXPECT_EQ(sizes({.shared_words = 16, .private_words = 8}), std::pair(8u, 16u));
}

TEST(LowerMemory, WordsOutsideSharedMemoryAreZero) {
    const auto names_shared = [](const ir::Module& m) {
        const auto& all = m.functions[0].instructions;
        return std::any_of(all.begin(), all.end(), [&](const ir::Instruction& i) {
            return (i.op == ir::Op::Store || i.op == ir::Op::Load) &&
                   m.variables[i.aux].kind == ir::VariableKind::Shared;
        });
    };
    const Lowered l =
        lower_text(shader("STORE MEMORY[0].x, IMM[0].wwww, SV[0].xxxx\nLOAD TEMP[0].x, MEMORY[0], IMM[0].wwww\n"
                          "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]"),
                   {.shared_words = 3});
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_FALSE(names_shared(l.module));
    EXPECT_TRUE(lower_text(shader("STORE MEMORY[0].x, IMM[0].wwww, SV[0]"), {.shared_words = 0}).ok);
}

TEST(LowerMemory, QualifiersComeFromEveryAccess) {
    const auto lowered = [](std::string_view body) {
        Lowered l = lower_text(shader(body));
        EXPECT_TRUE(l.ok) << l.error;
        const ir::Variable* v = variable(l.module, ir::VariableKind::StorageBuffer);
        EXPECT_NE(v, nullptr) << body;
        return v == nullptr ? ir::Variable{} : *v;
    };
    ir::Variable v = lowered("LOAD TEMP[0], BUFFER[0], IMM[0].xxxx, COHERENT\nLOAD TEMP[0], BUFFER[0], IMM[0].xxxx");
    EXPECT_TRUE(v.coherent && v.non_writable && !v.non_readable && !v.restricted && !v.is_volatile);
    v = lowered("STORE BUFFER[0], IMM[0].xxxx, SV[0], RESTRICT, VOLATILE");
    EXPECT_TRUE(v.is_volatile && v.restricted && v.non_readable && !v.non_writable && !v.coherent);
    v = lowered("ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy");
    EXPECT_TRUE(!v.non_readable && !v.non_writable && !v.restricted);
}

TEST(LowerMemory, MemoryThatMayAliasIsMarked) {
    const auto of = [](std::string_view body, const char* declarations = "DCL BUFFER[1]\n") {
        Lowered l = lower_text("COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\n" + std::string(declarations) +
                               "DCL BUFFER[0]\nDCL SV[0], THREAD_ID\nDCL TEMP[0..3]\nDCL ADDR[0]\n"
                               "IMM[0] UINT32 {0, 4, 8, 12}\n" +
                               std::string(body) + "\nEND\n");
        EXPECT_TRUE(l.ok) << l.error;
        std::string marks;
        for (const ir::Variable& v : l.module.variables) {
            if (v.kind != ir::VariableKind::StorageBuffer && v.kind != ir::VariableKind::StorageImage) continue;
            if (!marks.empty()) marks += ' ';
            marks += std::string(v.aliased ? "a" : "-") + (v.restricted ? "r" : "-") + (v.non_writable ? "n" : "-");
        }
        return marks;
    };
    const std::string load0 = "LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx\n",
                      store1 = "STORE BUFFER[1].x, SV[0], TEMP[0]\n";
    EXPECT_EQ(of(load0 + store1), "a-- a--");
    EXPECT_EQ(of(load0), "--n");                                                 // the only buffer
    EXPECT_EQ(of(load0 + "LOAD TEMP[0].x, BUFFER[1], IMM[0].xxxx"), "--n --n");  // neither is written
    EXPECT_EQ(of("LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx, RESTRICT\n" + store1), "-rn ---");
    EXPECT_EQ(of("UARL ADDR[0].x, SV[0].xxxx\nSTORE BUFFER[ADDR[0].x].x, SV[0], TEMP[0]"), "a--");  // an array
    // One descriptor under two names is aliased, even with RESTRICT.
    EXPECT_EQ(of("UARL ADDR[0].x, SV[0].xxxx\nLOAD TEMP[0].x, RES[0], IMM[0].xxxx, RESTRICT\n"
                 "STORE BUFFER[ADDR[0].x].x, SV[0], TEMP[0], RESTRICT",
                 "DCL BUFFER[1]\nDCL RES[0], BUFFER, RAW\n"),
              "a-- a--");
    // A device may require NonWritable.
    lower::Capabilities no_writes;
    no_writes.storage_image_write_without_format = false;
    const Lowered l = lower_text(
        R"(FRAG
DCL IMAGE[0], 2D, PIPE_FORMAT_NONE
DCL BUFFER[0]
DCL OUT[0], COLOR
IMM[0] UINT32 {0, 0, 0, 0}
LOAD OUT[0], IMAGE[0], IMM[0], 2D
STORE BUFFER[0].x, IMM[0], IMM[0]
END
)",
        {}, no_writes);
    ASSERT_TRUE(l.ok) << l.error;
    const ir::Variable* image = variable(l.module, ir::VariableKind::StorageImage);
    ASSERT_NE(image, nullptr);
    EXPECT_TRUE(image->aliased && image->non_writable);
}

TEST(LowerMemory, SaturationDependsOnFormatsThatTheCallerKnows) {
    const auto error = [](const char* format) {
        lower::Options options;
        options.image_formats = {*tgsi::format_from_name(format)};
        return lower_text(
                   "FRAG\nDCL IMAGE[0], 2D, PIPE_FORMAT_NONE\nDCL OUT[0], COLOR\nIMM[0] UINT32 {0, 0, 0, 0}\n"
                   "LOAD_SAT OUT[0], IMAGE[0], IMM[0], 2D\nEND\n",
                   options)
            .error;
    };
    EXPECT_EQ(error("R16G16B16A16_FLOAT"), "");
    EXPECT_EQ(error("R8G8B8A8_UNORM"), "");
    EXPECT_THAT(error("R32_SINT"), HasSubstr("the image has integers"));
}

TEST(LowerMemory, FilesThatShareNumbersOfBuffersDoNotMeet) {
    const auto error = [](std::string_view declarations, std::string_view body) {
        return lower_text("COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\n" + std::string(declarations) +
                          "DCL SV[0], THREAD_ID\nDCL TEMP[0..3]\nIMM[0] UINT32 {0, 4, 8, 12}\n" + std::string(body) +
                          "\nEND\n")
            .error;
    };
    const std::string count = "ATOMUADD TEMP[0].x, HWATOMIC[0][1], IMM[0].xxxx, IMM[0].yyyy\n";
    EXPECT_THAT(error("DCL BUFFER[64]\nDCL HWATOMIC[0][0..3]\n", count + "STORE BUFFER[64].x, SV[0], TEMP[0]"),
                HasSubstr("HWATOMIC[0] and BUFFER[64] share one descriptor"));
    EXPECT_EQ(error("DCL BUFFER[63]\nDCL HWATOMIC[0][0..3]\n", count + "STORE BUFFER[63].x, SV[0], TEMP[0]"), "");
    EXPECT_THAT(error("DCL BUFFER[132]\nDCL MEMORY[0], GLOBAL\n",
                      "STORE MEMORY[0].x, SV[0], TEMP[0]\nSTORE BUFFER[132].x, SV[0], TEMP[0]"),
                HasSubstr("one descriptor"));
}

/// Returns the instructions of main that order memory or lanes, each as "scope semantics", in order.
std::string barriers(const ir::Module& m) {
    std::string found;
    for (const ir::Instruction& i : m.functions[m.entry.function].instructions) {
        if (i.op != ir::Op::MemoryBarrier && i.op != ir::Op::ControlBarrier) continue;
        if (!found.empty()) found += ", ";
        // The numbers of SPIR-V's header, which the translator uses.
        found += i.op == ir::Op::ControlBarrier ? "lanes wait"
                 : i.sub == 1                   ? "device"
                 : i.sub == 2                   ? "group"
                                                : "an unexpected scope";
        const std::pair<uint32_t, const char*> kBits[] = {
            {0x8, "acquire-release"}, {0x40, "buffers"}, {0x100, "shared"}, {0x800, "images"}};
        uint32_t rest = i.aux;
        for (const auto& [bit, name] : kBits) {
            if (rest & bit) found += std::string(" ") + name;
            rest &= ~bit;
        }
        if (rest != 0) found += " and unexpected bits";
    }
    return found;
}

/// Every ordering instruction, with immediate and with register operands, in stages with and without work groups. No
/// software device shows that a barrier is missing, so this test compares the translation itself with the documents.
TEST(LowerMemory, BarriersOrderTheMemoryThatIsNamed) {
    const char *kAll = "device acquire-release buffers shared images",
               *kNoGroup = "device acquire-release buffers images";
    const struct {
        const char* text;
        const char* compute;   ///< the expected barriers in COMP
        const char* fragment;  ///< in FRAG, which has no shared memory and no groups; null: the checker refuses it
    } kRows[] = {
        {"MEMBAR IMM[1].xxxx", "", ""},
        {"MEMBAR IMM[1].yyyy", "device acquire-release buffers", "device acquire-release buffers"},
        {"MEMBAR IMM[1].zzzz", "device acquire-release buffers", "device acquire-release buffers"},
        {"MEMBAR IMM[1].wwww", "device acquire-release images", "device acquire-release images"},
        {"MEMBAR IMM[2].xxxx", "device acquire-release shared", ""},
        {"MEMBAR IMM[2].yyyy", "", ""},  // a group bit without any kind of memory
        {"MEMBAR IMM[2].zzzz", "group acquire-release shared", ""},
        {"MEMBAR IMM[2].wwww", "group acquire-release buffers shared images", "device acquire-release buffers images"},
        {"MEMBAR IMM[3].xxxx", kAll, kNoGroup},
        {"MEMBAR IMM[3].yyyy", "group acquire-release buffers", "device acquire-release buffers"},
        // A mask from a register may contain any bits.
        {"MEMBAR TEMP[0].xxxx", kAll, kNoGroup},
        // The documents name no kinds of memory for these, so they order all.
        {"LFENCE BUFFER[0]", kAll, kNoGroup},
        {"SFENCE BUFFER[0]", kAll, kNoGroup},
        {"MFENCE BUFFER[0]", kAll, kNoGroup},
        {"BARRIER", "lanes wait acquire-release buffers shared images", nullptr},
    };
    for (const auto& row : kRows) {
        for (const bool compute : {true, false}) {
            const char* expected = compute ? row.compute : row.fragment;
            if (!expected) continue;
            const Lowered l =
                lower_text(std::string(compute ? "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\n" : "FRAG\n") +
                           "DCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nIMM[1] UINT32 {0, 1, 2, 4}\n"
                           "IMM[2] UINT32 {8, 16, 24, 31}\nIMM[3] UINT32 {15, 17, 0, 0}\n"
                           "LOAD TEMP[0], BUFFER[0], IMM[0]\n" +
                           row.text + "\nSTORE BUFFER[0].x, IMM[0], TEMP[0]\nEND\n");
            ASSERT_TRUE(l.ok) << row.text << ": " << l.error;
            EXPECT_EQ(barriers(l.module), expected) << row.text << (compute ? " COMP" : " FRAG");
        }
    }
}

TEST(LowerMemory, HelpersDoNotTryAnAtomicForEver) {
    const auto made = [](const char* stage) {
        return operations(lower_text(std::string(stage) +
                                     "\nDCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 4, 8, 12}\n"
                                     "ATOMINC_WRAP TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nEND\n")
                              .module);
    };
    EXPECT_THAT(made("FRAG"), HasSubstr("IsHelper LOr"));
    EXPECT_THAT(made("COMP"), testing::AllOf(HasSubstr("Atomic"), Not(HasSubstr("IsHelper"))));
}

TEST(LowerMemory, AnAtomicWithoutADestinationHappens) {
    for (const char* destination : {"NULL", "TEMP[0].x", "TEMP[0]."}) {
        const Lowered l =
            lower_text(shader("ATOMUADD " + std::string(destination) + ", BUFFER[0], IMM[0].xxxx, IMM[0].yyyy"));
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_THAT(operations(l.module), HasSubstr("Atomic")) << destination;
    }
}

TEST(LowerMemory, AtomicsWithoutAnInstructionAreLoops) {
    for (const char* opcode : {"ATOMFADD", "ATOMINC_WRAP", "ATOMDEC_WRAP"}) {
        const Lowered l = lower_text(shader(std::string(opcode) + " TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy"));
        ASSERT_TRUE(l.ok) << l.error;
        size_t loops = 0;
        for (const ir::Block& b : l.module.functions[0].blocks) loops += b.merge == ir::Merge::Loop;
        EXPECT_EQ(loops, 1u) << opcode;
    }
}

TEST(LowerMemory, FloatsAreAddedByAnInstructionWhereTheDeviceHasIt) {
    lower::Capabilities c;
    c.buffer_float32_atomic_add = true;
    const std::string text = shader(
        "ATOMFADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy, RESTRICT\n"
        "ATOMFADD TEMP[0].y, BUFFER[0], IMM[0].yyyy, IMM[0].yyyy, RESTRICT\nSTORE BUFFER[0].x, IMM[0].xxxx, "
        "TEMP[0], RESTRICT");
    const Lowered l = lower_text(text, {}, c);
    ASSERT_TRUE(l.ok) << l.error;
    size_t atomics = 0;
    for (const ir::Instruction& i : l.module.functions[0].instructions) {
        if (i.op != ir::Op::Atomic) continue;
        ++atomics;
        EXPECT_EQ(static_cast<ir::AtomicOp>(i.sub), ir::AtomicOp::FAdd);
        EXPECT_EQ(l.module.variables[i.aux].element, ir::f32());
    }
    EXPECT_EQ(atomics, 2u);
    // The word view and the float view are two variables of one descriptor, marked as aliased.
    size_t buffers = 0;
    for (const ir::Variable& v : l.module.variables) {
        if (v.kind != ir::VariableKind::StorageBuffer) continue;
        ++buffers;
        EXPECT_TRUE(v.aliased && !v.restricted && v.index == 0);
    }
    EXPECT_EQ(buffers, 2u);
    // An image without other atomics stays a float image.
    c.image_float32_atomic_add = true;
    const std::string image =
        "DCL IMAGE[0], 2D, PIPE_FORMAT_R32_FLOAT, WR\nATOMFADD TEMP[0].x, IMAGE[0], IMM[0], "
        "IMM[0].yyyy, 2D\nSTORE IMAGE[0], IMM[0], TEMP[0], 2D\n";
    const auto sampled = [&](const std::string& body) {
        const Lowered lowered = lower_text(shader(body), {}, c);
        EXPECT_TRUE(lowered.ok) << lowered.error;
        const ir::Variable* v = variable(lowered.module, ir::VariableKind::StorageImage);
        return v == nullptr ? ir::Scalar::Void : v->image.sampled;
    };
    EXPECT_EQ(sampled(image), ir::Scalar::F32);
    EXPECT_EQ(sampled(image + "ATOMXCHG TEMP[0].x, IMAGE[0], IMM[0], IMM[0].yyyy, 2D"), ir::Scalar::U32);
    // Shared memory cannot be viewed as a second type.
    const Lowered shared =
        lower_text(shader("DCL MEMORY[0], SHARED\nATOMFADD TEMP[0].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy"), {}, c);
    ASSERT_TRUE(shared.ok) << shared.error;
    EXPECT_THAT(operations(shared.module), HasSubstr("Phi"));
}

TEST(LowerMemory, ArraysOfImagesLeaveTexelBuffersOut) {
    const Lowered l = lower_text(
        shader("DCL IMAGE[0], BUFFER, PIPE_FORMAT_R32_UINT, WR\nDCL IMAGE[1..2], 2D, PIPE_FORMAT_R32_UINT, WR\n"
               "DCL IMAGE[3], BUFFER, PIPE_FORMAT_R32_UINT, WR\nLOAD TEMP[0], IMAGE[TEMP[1].x+1], IMM[0], 2D\n"
               "LOAD TEMP[0], IMAGE[0], IMM[0]\nSTORE IMAGE[2], IMM[0], TEMP[0], 2D\nLOAD TEMP[0], IMAGE[3], IMM[0]"));
    ASSERT_TRUE(l.ok) << l.error;
    std::vector<std::pair<uint32_t, uint32_t>> found;  // first register, length
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::StorageImage) found.emplace_back(v.index, v.array[0]);
    EXPECT_THAT(found, testing::UnorderedElementsAre(std::pair(1u, 2u), std::pair(0u, 0u), std::pair(3u, 0u)));
}

TEST(LowerMemory, RawRowsOfAnImage) {
    const Lowered l =
        lower_text(shader("DCL RES[0], 2D, WR, RAW\nLOAD TEMP[0].xz, RES[0], IMM[0]\nSTORE RES[0].yw, IMM[0], TEMP[0]\n"
                          "ATOMUADD TEMP[0].x, RES[0], IMM[0], IMM[0].yyyy"));
    ASSERT_TRUE(l.ok) << l.error;
    size_t reads = 0, writes = 0, atomics = 0;
    for (const ir::Instruction& i : l.module.functions[0].instructions) {
        reads += i.op == ir::Op::ImageRead;
        writes += i.op == ir::Op::ImageWrite;
        atomics += i.op == ir::Op::ImageAtomic;
    }
    EXPECT_EQ(reads, 2u);
    EXPECT_EQ(writes, 2u);
    EXPECT_EQ(atomics, 1u);
}

TEST(LowerMemory, RegistersOfTwoFilesThatAreOneBufferMayBeUsedAsBothAre) {
    for (const char* text :
         {"DCL RES[0], BUFFER, WR, RAW\nLOAD TEMP[0].x, BUFFER[0], IMM[0]\nSTORE RES[0].x, IMM[0], TEMP[0]",
          "DCL MEMORY[0], GLOBAL\nSTORE MEMORY[0].x, IMM[0], TEMP[0]\nLOAD TEMP[0].x, RGLOBAL, IMM[0]"}) {
        const Lowered l = lower_text(shader(text));
        ASSERT_TRUE(l.ok) << l.error;
        size_t buffers = 0;
        for (const ir::Variable& v : l.module.variables) {
            if (v.kind != ir::VariableKind::StorageBuffer) continue;
            ++buffers;
            EXPECT_FALSE(v.non_readable || v.non_writable) << text;
        }
        EXPECT_EQ(buffers, 1u);
    }
}

TEST(LowerMemory, KillIsAFlagThatWritesAskWithoutDemote) {
    const std::string text =
        "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
        "KILL_IF IN[0].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, IN[0].yyyy\nEND\n";
    const auto conditions = [](const Lowered& l) {
        size_t n = 0;
        for (const ir::Instruction& i : l.module.functions[0].instructions) n += i.op == ir::Op::LAnd;
        return n;
    };
    EXPECT_EQ(conditions(lower_text(text, {}, {.demote = false})), 1u);
    EXPECT_EQ(conditions(lower_text(text)), 0u);
}

TEST(LowerMemory, BuffersByAnIndexAreGoneThroughWhereTheDeviceCannot) {
    const std::string text = shader(
        "DCL BUFFER[1..2]\nLOAD TEMP[0].x, BUFFER[SV[0].x], IMM[0].xxxx\n"
        "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]");
    const auto lengths = [](const Lowered& l) {
        size_t n = 0;
        for (const ir::Instruction& i : l.module.functions[0].instructions) n += i.op == ir::Op::ArrayLength;
        return n;
    };
    EXPECT_EQ(lengths(lower_text(text, {}, {.storage_buffers = {true, true}})), 2u);
    EXPECT_EQ(lengths(lower_text(text)), 4u);
}

TEST(LowerMemory, UnsupportedAccessesAreRefusedByName) {
    struct Row {
        const char* text;
        const char* message;
    };
    const Row kRows[] = {
        {"VERT\nDCL TEMP[0]\nSTORE MEMORY[0], TEMP[0], TEMP[0]\nEND\n", "only COMP has shared memory"},
        {"FRAG\nDCL TEMP[0]\nDCL ADDR[0]\nRESQ TEMP[0], CONSTBUF[ADDR[0].x]\nEND\n",
         "only LOAD takes a CONSTBUF by an index"},
        {"FRAG\nDCL TEMP[0]\nDCL ADDR[0]\nDCL CONSTBUF[0..32]\nLOAD TEMP[0], CONSTBUF[ADDR[0].x], TEMP[0]\nEND\n",
         "more than 32 constant buffers"},
    };
    for (const Row& row : kRows) {
        const Lowered l = lower_text(row.text);
        EXPECT_FALSE(l.ok) << row.text;
        EXPECT_THAT(l.error, HasSubstr(row.message));
    }
}

TEST(LowerHandles, TheLowWordSelectsInAnArrayOfItsType) {
    const Lowered l = lower_text(
        R"(FRAG
DCL CONST[0][0]
DCL OUT[0], COLOR
DCL TEMP[0..2]
IMM[0] UINT32 {0, 0, 0, 0}
SAMP2HND TEMP[1].xy, SAMP[1], 2D
TEX TEMP[0], IMM[0], CONST[0][0].xyxy, 2D
STORE TEMP[1], IMM[0], TEMP[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT
MOV OUT[0], TEMP[0]
END
)",
        {.handles = 4});
    ASSERT_TRUE(l.ok) << l.error;
    const ir::Variable* texture = variable(l.module, ir::VariableKind::CombinedImage);
    ASSERT_NE(texture, nullptr);
    EXPECT_EQ(texture->array[0], 4u);
    EXPECT_GE(texture->index, 1024u);
    const ir::Variable* image = variable(l.module, ir::VariableKind::StorageImage);
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->array[0], 4u);
    EXPECT_TRUE(image->non_readable && !image->non_writable);
}

/// The handle of an image that has no descriptor does nothing; Clamp takes the last one, and Trust compares nothing.
TEST(LowerHandles, AnImageAfterTheLastDescriptorIsNotAccessed) {
    const auto operations_with = [](lower::OutOfRange policy) {
        lower::Options options{.handles = 4};
        options.bounds = {.images = lower::OutOfRange::Trust, .descriptors = policy};
        const Lowered l = lower_text(
            "FRAG\nDCL CONST[0][0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
            "STORE CONST[0][0], IMM[0], IMM[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\nEND\n",
            options);
        EXPECT_TRUE(l.ok) << l.error;
        return operations(l.module);
    };
    const std::string zero = operations_with(lower::OutOfRange::Zero),
                      clamp = operations_with(lower::OutOfRange::Clamp),
                      trust = operations_with(lower::OutOfRange::Trust);
    EXPECT_THAT(zero, AllOf(HasSubstr("UMin"), HasSubstr("BranchIf")));
    EXPECT_THAT(clamp, AllOf(HasSubstr("UMin"), Not(HasSubstr("BranchIf"))));
    EXPECT_THAT(trust, Not(AnyOf(HasSubstr("UMin"), HasSubstr("BranchIf"))));
}

TEST(LowerHandles, OfALanesOwnConstantMayDiffer) {
    const auto non_uniform = [](const char* handle) {
        const Lowered l = lower_text(
            "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL CONST[0..7]\nDCL OUT[0], COLOR\nDCL ADDR[0]\n"
            "UARL ADDR[0].x, IN[0].xxxx\nTEX OUT[0], IN[0], " +
                std::string(handle) + ", 2D\nEND\n",
            {.handles = 4}, [] {
                lower::Capabilities c;
                c.sampled_images.non_uniform = c.quad_divergent_implicit_lod = true;
                return c;
            }());
        EXPECT_TRUE(l.ok) << l.error;
        return l.module.image_ops.at(0).non_uniform;
    };
    EXPECT_FALSE(non_uniform("CONST[1].xyxy"));
    EXPECT_FALSE(non_uniform("CONST[CONST[0].x].xyxy"));
    EXPECT_TRUE(non_uniform("CONST[ADDR[0].x].xyxy"));
}

TEST(LowerCompute, TheBlockSizeIsFixedOrASpecializationConstant) {
    Lowered l = lower_text(shader("STORE BUFFER[0].x, IMM[0].xxxx, SV[0]"));
    EXPECT_EQ(l.module.entry.local_size, (std::array<uint32_t, 3>{8, 1, 1}));
    EXPECT_EQ(l.module.entry.local_size_ids, (std::array<uint32_t, 3>{ir::kNone, ir::kNone, ir::kNone}));
    l = lower_text(
        "COMP\nDCL SV[0], BLOCK_SIZE\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
        "STORE BUFFER[0].xyz, IMM[0].xxxx, SV[0]\nEND\n");
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(l.module.entry.local_size_ids, (std::array<uint32_t, 3>{10, 11, 12}));
}

TEST(LowerCompute, SystemValuesOfOtherStagesAreRefused) {
    for (const char* semantic : {"FACE", "VERTEXID", "SAMPLEMASK"}) {
        const Lowered l = lower_text("COMP\nDCL SV[0], " + std::string(semantic) +
                                     "\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
                                     "STORE BUFFER[0].x, IMM[0].xxxx, SV[0]\nEND\n");
        EXPECT_FALSE(l.ok);
        EXPECT_THAT(l.error, HasSubstr(semantic));
    }
}

TEST(LowerMemory, NoDescriptorIsABufferAndAnImage) {
    // An omitted target means BUFFER (semantics: Text), for any declaration.
    const char* head =
        "COMP\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\nDCL TEMP[0]\nLOAD TEMP[0], IMAGE[0], TEMP[0], 2D\n";
    const Lowered l =
        lower_text(std::string(head) + "RESQ TEMP[0], IMAGE[0]\nSTORE IMAGE[0], TEMP[0], TEMP[0], 2D\nEND\n");
    ASSERT_TRUE(l.ok);
    ASSERT_EQ(l.diagnostics.size(), 1u);
    EXPECT_EQ(l.diagnostics[0].severity, tgsi::Severity::Warning);
    EXPECT_EQ(l.diagnostics[0].code, "two-descriptors");
    EXPECT_THAT(l.diagnostics[0].message, testing::HasSubstr("IMAGE"));
    EXPECT_EQ(l.diagnostics[0].offset, std::string(head).size());
    EXPECT_TRUE(lower_text(std::string(head) + "RESQ TEMP[0], IMAGE[0], 3D\nEND\n").diagnostics.empty());
}

/// The state tells the type of an image whose text has no format. Atomics need one, a format in the text wins.
TEST(LowerMemory, ImagesWithoutAFormatHoldWhatTheStateSays) {
    lower::Options options;
    options.state.images[1] = lower::NumericType::SInt;
    const auto image_of = [&](const std::string& format, const std::string& body) -> ir::ImageType {
        const Lowered l = lower_text(shader("DCL IMAGE[1], 2D, PIPE_FORMAT_" + format + ", WR\n" + body), options);
        EXPECT_TRUE(l.ok) << l.error;
        const ir::Variable* image = variable(l.module, ir::VariableKind::StorageImage);
        return image == nullptr ? ir::ImageType{} : image->image;
    };
    const std::string store = "STORE IMAGE[1], SV[0], IMM[0], 2D, PIPE_FORMAT_";
    const ir::ImageType open = image_of("NONE", store + "NONE");
    EXPECT_EQ(open.sampled, ir::Scalar::U32);
    EXPECT_TRUE(open.sampled_is_signed);
    EXPECT_EQ(open.format, 0);
    EXPECT_EQ(image_of("R32_FLOAT", store + "R32_FLOAT").sampled, ir::Scalar::F32);
    const ir::ImageType counted = image_of("NONE", "ATOMUADD TEMP[0].x, IMAGE[1], SV[0], IMM[0], 2D, PIPE_FORMAT_NONE");
    EXPECT_TRUE(counted.sampled_is_signed);
    EXPECT_NE(counted.format, 0);
    options.state.images[1] = lower::NumericType::UInt;
    EXPECT_FALSE(image_of("NONE", store + "NONE").sampled_is_signed);
}

}  // namespace
}  // namespace tgsi2spv::test
