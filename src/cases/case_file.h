// One case in one text file that runs anywhere: `tgsi-difftest run FILE`.
//
//     tgsi-difftest case 1
//     case: frag/a.tgsi#2
//     device: llvmpipe (LLVM 15.0.6, 256 bits)
//     status: fail
//     dialect: auto
//     seed: 1
//     entry: 6          (only for a piece of a text: the instruction where main begins)
//     strict: yes       (only what was not as usual: also loops-in-memory, one-level-offsets,
//                       plain-immediates, zeros-alike: yes)
//     options-seed: 7   (likewise)
//     max-steps: 5000   (only if it was not as usual)
//     message: OUT[0] lane 3.x: got 0x3f800000 (1), permitted 0x3f000000 (0.5)
//     --- shader
//     FRAG
//     …
//     --- inputs
//     { tgsi-run's JSON }
//     --- expected
//     { tgsi-run's JSON with bounds }
//
// A texture message that no opcode expresses has no shader: it is recreated from the id and the seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "cases/cases.h"
#include "cases/judge.h"
#include "cases/result.h"

namespace tgsi2spv::difftest {

struct CaseFile {
    std::string id, device, message;
    Status status = Status::Fail;
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    uint64_t seed = 1;
    uint32_t entry = 0;
    bool strict = false, loops_in_memory = false, one_level_offsets = false, plain_immediates = false,
         zeros_alike = false;
    uint64_t options_seed = 0;
    uint64_t max_steps = JudgeOptions{}.max_steps;
    std::string shader, inputs, expected, got, spirv;
    bool operator==(const CaseFile&) const = default;
};

CaseFile case_file_of(const CaseResult& result, const JudgeOptions& judging);
/// Records with which settings the case is judged.
void set_judging(CaseFile& file, const JudgeOptions& judging);
/// Returns these settings, and the others from `rest`.
JudgeOptions judging_of(const CaseFile& file, const JudgeOptions& rest);
std::string write_case_file(const CaseFile& file);
/// Reads a case file. The error names the line.
tl::expected<CaseFile, std::string> read_case_file(std::string_view text);
/// Returns the case as a worker runs it, or an error if it has no shader and its id names no form of the texture pages.
tl::expected<CaseSpec, std::string> spec_of(const CaseFile& file);

/// Writes FOLDER/ID@DEVICE.case and, if there is a reduced case, ID@DEVICE.reduced.case. If the file of another case
/// has that name already, a number follows it. Returns the error, or an empty string.
std::string keep_case(const std::string& folder, const CaseResult& result, const JudgeOptions& judging);

/// Returns "auto", "oldest", "middle" or "newest".
std::string_view name(tgsi::Dialect dialect);

}  // namespace tgsi2spv::difftest
