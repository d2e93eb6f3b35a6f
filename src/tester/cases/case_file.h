// One case in one text file that runs anywhere: `tgsi-difftest run FILE`.
//
//     tgsi-difftest case 1
//     case: frag/a.tgsi#2
//     device: llvmpipe (LLVM 15.0.6, 256 bits)
//     status: fail
//     dialect: auto
//     seed: 1
//     strict: yes       (settings that differ from their default: kSettings)
//     max-steps: 5000
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
    RunSettings settings;
    std::string shader, inputs, expected, got, spirv;
    bool operator==(const CaseFile&) const = default;
};

CaseFile case_file_of(const CaseResult& result, const RunSettings& judging);
/// The settings of a case file; those that change no answer from `rest`.
RunSettings judging_of(const CaseFile& file, const RunSettings& rest);
std::string write_case_file(const CaseFile& file);
/// Reads a case file. The error names the line.
tl::expected<CaseFile, std::string> read_case_file(std::string_view text);
/// Returns the case as a worker runs it, or an error if it has no shader and its id names no form of the texture pages.
tl::expected<CaseSpec, std::string> spec_of(const CaseFile& file);

/// Writes FOLDER/ID@DEVICE.case and, if there is a reduced case, ID@DEVICE.reduced.case. If the file of another case
/// has that name already, a number follows it. Returns the error, or an empty string.
std::string keep_case(const std::string& folder, const CaseResult& result, const RunSettings& judging);

}  // namespace tgsi2spv::difftest
