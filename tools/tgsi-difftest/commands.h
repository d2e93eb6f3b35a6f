// The commands of tgsi-difftest, one function each: takes arguments, returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace tools {

inline constexpr int kExpected = 0, kUnexpected = 1, kUsage = 2;
inline constexpr int kUndecided = 125;  ///< git bisect run's status for a commit that cannot be tested

/// `tgsi-difftest PATH… --generate N --sampling`
int campaign_command(int argc, char** argv);
/// `tgsi-difftest merge A.jsonl B.jsonl`
int merge_command(int argc, char** argv);
/// `tgsi-difftest run CASE`
int run_command(int argc, char** argv);
/// `tgsi-difftest reduce CASE -o OUT`
int reduce_command(int argc, char** argv);

/// `tgsi-difftest stats A.jsonl B.jsonl`
int stats_command(int argc, char** argv);

/// The whole program. `worker` is its main function in a worker process.
int run_difftest(int argc, char** argv, int (*worker)(int argc, char** argv));
/// The command line that starts a worker of this program.
std::vector<std::string> worker_command();
inline constexpr const char* kWorkerFlag = "--worker";

}  // namespace tools
