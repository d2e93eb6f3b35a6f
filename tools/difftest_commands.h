// The commands of tgsi-difftest, a function each: arguments in, exit status out.
#pragma once

#include <string>
#include <vector>

namespace tools {

inline constexpr int kExpected = 0, kUnexpected = 1, kUsage = 2;

/// `tgsi-difftest PATH… --generate N --sampling`
int campaign_command(int argc, char** argv);
/// `tgsi-difftest merge A.jsonl B.jsonl`
int merge_command(int argc, char** argv);
/// `tgsi-difftest run CASE`
int run_command(int argc, char** argv);
/// `tgsi-difftest reduce CASE -o OUT`
int reduce_command(int argc, char** argv);

/// `tgsi-difftest mutate PATH…`
int mutate_command(int argc, char** argv);
/// The process that holds a shader's mutants.
int mutants_child(int argc, char** argv);
inline constexpr const char* kMutantsFlag = "--mutants";

/// What starts a worker of this program.
std::vector<std::string> worker_command();
inline constexpr const char* kWorkerFlag = "--worker";

}  // namespace tools
