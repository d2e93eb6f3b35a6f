// Parts that the constructs of flow share (flow.cpp, exits.cpp). Internal to this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

/// Merges this path with another one; either may have ended.
void meet(Shader& shader, const State& other, bool other_ended);

struct Condition {
    std::string line;
    bool uniform = false;
};
/// Computes a condition, and returns the line that opens the IF.
Condition open_if(Shader& shader);

/// Sets the register's x to a literal.
void write_word(Shader& shader, int reg);
/// Words of write_word() are at most this.
inline constexpr uint32_t kMaxKept = 0xffff;

/// Adds this state to those in which lanes leave the loop or the switch.
void note_exit(Shader& shader);
/// Adds this state to those in which lanes return from the subroutine.
void note_return(Shader& shader);

enum class Exit : uint8_t { Break, Continue, Return, Kill };
/// How lanes may leave here, if all lanes do the same (`uniform`) or not.
std::vector<Exit> exits(const Shader& shader, bool uniform);

/// An exit of some lanes by one instruction, under a predicate or (`tests`, for BRK and KILL) with a condition.
void leave_in_some_lanes(Shader& shader, Exit exit, bool tests);
/// A BRK, CONT or RET of all lanes.
void leave_in_all_lanes(Shader& shader, Exit exit);
/// A KILL of all lanes after everything else in a subroutine, perhaps with text after it.
void kill_at_end(Shader& shader);

/// Writes what is inside a construct.
using Fill = std::function<void()>;
/// An IF. `then` is given the state of the lanes that skip it. With an ELSE, THEN must not end its path.
void in_if(Shader& shader, const std::function<void(const State& skips)>& then, const Fill& otherwise = {});
/// A loop or a SWITCH with this inside. If it does not exist, with random statements. A loop that is given its contents
/// changes nothing else that is read after it.
void loop(Shader& shader, const Fill& fill = {});
void switch_case(Shader& shader, const Fill& fill = {});

/// Writes an exit of every kind, in every construct, with or without values that matter after the construct that it
/// leaves: written before the exit, after it beside it, and after it elsewhere (exits.cpp).
void exit_with_values(Shader& shader);

}  // namespace tgsi2spv::difftest::generate
