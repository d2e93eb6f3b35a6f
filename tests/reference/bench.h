// Runs shader text through the parser, the checker and the reference.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reference/run.h"
#include "tgsi/prepare.h"

namespace tgsi2spv::reference {

struct Shader {
    tgsi::Program program;
    tgsi::Registers registers;
    std::string error;  ///< the message of the parser or checker
};

inline Shader shader(std::string_view text) {
    Shader s;
    std::vector<tgsi::Diagnostic> diagnostics;
    tgsi::Survey survey;
    if (!tgsi::read_text(text, {}, s.program, survey, s.registers, diagnostics))
        for (const auto& d : diagnostics) s.error += tgsi::render(d, "test", text);
    return s;
}

inline Result run(std::string_view text, const Inputs& inputs, const Options& options = {}) {
    Shader s = shader(text);
    EXPECT_EQ(s.error, "");
    Result r = run(s.program, s.registers, inputs, options);
    EXPECT_EQ(r.error, "");
    return r;
}

/// Returns component c of OUT[register] in a lane.
inline Value out(const Result& r, uint32_t lane, size_t c = 0, int32_t reg = 0) {
    auto it = r.outputs.find(reg);
    if (it == r.outputs.end() || lane >= it->second.size()) return unknown();
    return it->second[lane][c];
}

inline std::string text_of(const Value& v) {
    char buffer[96];
    std::string s;
    auto put = [&](uint32_t w) {
        std::snprintf(buffer, sizeof buffer, " %08x (%g)", w, static_cast<double>(as_number(w)));
        s += buffer;
    };
    switch (v.kind) {
        case Kind::Unknown:
            return is_packed(v) ? "packed" : "unknown";
        case Kind::Words:
            for (size_t i = 0; i < v.count; ++i) put(v.words[i]);
            break;
        case Kind::Interval:
            for (size_t i = 0; i <= v.gaps; ++i) {
                s += i == 0 ? " from" : " or from";
                put(part_of(v, i).lo);
                s += " to";
                put(part_of(v, i).hi);
            }
            break;
    }
    return s + (v.maybe_nan ? " or any NaN" : "");
}

/// Returns lanes whose IN[0] holds one word in all components.
inline Inputs lanes_of(std::initializer_list<uint32_t> x) {
    Inputs in;
    in.lanes = static_cast<uint32_t>(x.size());
    for (uint32_t w : x) in.inputs[{0, 0}].push_back({w, w, w, w});
    return in;
}

/// Returns component c of OUT[0] in the first lanes, and expects each to be exactly known.
inline std::vector<uint32_t> exact_words(const Result& r, uint32_t lanes, size_t c = 0) {
    std::vector<uint32_t> w;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        EXPECT_TRUE(is_exact(out(r, lane, c))) << "lane " << lane << text_of(out(r, lane, c));
        w.push_back(out(r, lane, c).value);
    }
    return w;
}

}  // namespace tgsi2spv::reference
