// Tests run a pass from text to text. The text of a body goes into a module with a few variables; the tests compare the
// printed result.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/parse.h"
#include "ir/pass_memory.h"
#include "ir/print.h"
#include "ir/text_cases.h"
#include "ir/verify.h"

namespace tgsi2spv::ir {

inline constexpr const char* kPassHead = R"(entry Fragment f0
$0 = StorageBuffer u32
$1 = Input f32x4 array0=3
$2 = Output f32x4
$3 = ConstantBuffer f32x4 array1=16
$4 = CombinedImage void
#0 = image $4
#1 = image $4 lod
)";

/// Words of a storage buffer and values derived from them, which no pass can know.
inline constexpr const char* kPassInputs = R"(function f0 "main" () -> void {
bentry:
  %i = Load u32 $0[u32(0)]
  %j = Load u32 $0[u32(1)]
  %v = Load u32x4 $5[u32(0)]
  %x = Bitcast f32 %i
  %y = Bitcast f32 %j
  %xy = Compose f32x2 %x.x, %y.x
  %c = ULt bool %i, %j
  %d = ULt bool %j, u32(9)
)";

inline std::string pass_module(const std::string& body) {
    std::string text = kPassHead;
    text += "$5 = ConstantBuffer u32x4 array1=16 index=1\n";
    return text.append(kPassInputs).append(body).append("  Return\n}\n");
}

/// Parses and verifies the text; returns its error, or an empty string.
inline std::string read_module(const std::string& text, Module& m) {
    if (const auto error = parse(text, m))
        return "line " + std::to_string(error->line) + ": " + error->text + "\n" + text;
    if (const auto broken = verify(m)) return describe(m, *broken) + "\n" + text;
    return "";
}

/// Returns the text after `pass`. A module that is broken before or after it fails the test in any case.
template <class Pass>
std::string run_pass(const std::string& text, Pass&& pass) {
    Module m;
    if (const std::string wrong = read_module(text, m); !wrong.empty()) {
        ADD_FAILURE() << "before the pass: " << wrong;
        return "";
    }
    PassMemory memory;
    memory.constants.fill(m);
    pass(m, memory);
    if (const auto broken = verify(m)) ADD_FAILURE() << "after the pass: " << describe(m, *broken) << "\n" << print(m);
    return print(m);
}

/// Returns the text as the printer writes it, with numbers for names. A broken module fails the test.
inline std::string normal(const std::string& text) {
    Module m;
    if (const std::string wrong = read_module(text, m); !wrong.empty()) {
        ADD_FAILURE() << wrong;
        return "";
    }
    return print(m);
}

/// Runs a pass over the cases of ir/data/FILE.txt. A text without `entry` is a body for pass_module(); the result is a
/// module, or `unchanged`.
template <class Pass>
void expect_cases(const std::string& file, Pass&& pass) {
    for (const TextCase& c : text_cases("ir/data/" + file)) {
        SCOPED_TRACE(c.name);
        const std::string before = c.before.starts_with("entry") ? c.before : pass_module(c.before);
        EXPECT_EQ(run_pass(before, pass), normal(c.after == "unchanged" ? before : c.after));
    }
}

}  // namespace tgsi2spv::ir
