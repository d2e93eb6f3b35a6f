// Compares results with the answers of runs.
#include "reference/runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "reference/agrees.h"
#include "reference/bench.h"
#include "texts/number.h"
#include "tgsi/program/resource_numbers.h"

namespace tgsi2spv::reference {
namespace {

using test::Number;
using test::parse_number;
using test::split;

bool permits(const Value* v, const Number& n) {
    return n.is_wide ? permits(join_halves(v[0], v[1]), n.bits) : reference::permits(*v, static_cast<uint32_t>(n.bits));
}
uint64_t nominal(const Value* v, bool is_wide) {
    return is_wide ? uint64_t{v[1].value} << 32 | v[0].value : v->value;
}

/// Judges `about~width`.
bool is_about(const Value& v, float about, float width) {
    return v.kind == Kind::Interval && permits(v, as_word(about)) && as_number(v.hi) - as_number(v.lo) <= width &&
           std::abs(as_number(v.value) - about) <= 1e-5f * (1 + std::abs(about));
}

/// Judges a/b, a@ulps, a..b and nan as tests/meanings has them.
size_t judge_expected(const std::string& token, const Value* values, size_t count, std::string& wrong) {
    meanings::Expect e;
    const size_t at = token.find('@'), dots = token.find("..");
    std::string numbers = token;
    if (token == "nan") e.kind = Expect::Kind::Nan;
    if (at != std::string::npos) {
        e.kind = Expect::Kind::Near;
        e.ulps = std::strtof(token.c_str() + at + 1, nullptr);
        numbers.erase(at);
    } else if (dots != std::string::npos) {
        e.kind = Expect::Kind::Between;
        numbers.replace(dots, 2, "/");
    }
    for (const std::string& item : split(token == "nan" ? "" : numbers, '/')) {
        Number n;
        if (!parse_number(item, n)) wrong = "no number: " + item;
        if (n.is_wide && count < 2) wrong = "half of a double";
        if (!wrong.empty()) return 1;
        e.words.push_back(static_cast<uint32_t>(n.bits));
        if (!n.is_wide) continue;
        e.words.push_back(static_cast<uint32_t>(n.bits >> 32));
        if (e.kind == Expect::Kind::Near) {
            e.kind = Expect::Kind::Double;
            if (const auto r = agrees(values[0], values[1], e); !r) wrong = r.message();
        } else if (values[0].value != e.words[0] || values[1].value != e.words[1] || !is_exact(values[0]) ||
                   !is_exact(values[1])) {
            wrong = "permits" + text_of(values[0]) + text_of(values[1]);
        }
        return 2;
    }
    if (const auto r = agrees(*values, e); !r) wrong = r.message();
    return 1;
}

}  // namespace

size_t judge(const std::string& token, const Value* v, size_t count, std::string& wrong) {
    Number n;
    const auto fails = [&](bool fine) {
        if (!fine && wrong.empty()) wrong = "permits" + text_of(*v) + ", nominally " + fmt::format("{:#x}", v->value);
    };
    if (token == "_") return 1;
    if (token[0] == '?') {
        fails(is_free(*v) && (token.size() == 1 || (parse_number(token.substr(1), n) && v->value == n.bits)));
        return 1;
    }
    if (const size_t tilde = token.find('~'); tilde != std::string::npos) {
        Number width;
        fails(parse_number(token.substr(0, tilde), n) && parse_number(token.substr(tilde + 1), width) &&
              is_about(*v, as_number(static_cast<uint32_t>(n.bits)), as_number(static_cast<uint32_t>(width.bits))));
        return 1;
    }
    if (token[0] != '{') return judge_expected(token, v, count, wrong);
    bool is_wide = false;
    for (const std::string& item : split(token.substr(1, token.size() - 2), ',')) {
        const bool refused = item[0] == '!', is_nominal = item[0] == '=';
        if (!parse_number(item.substr(refused || is_nominal ? 1 : 0), n)) wrong = "no number: " + item;
        is_wide = n.is_wide;
        if (is_wide && count < 2) wrong = "half of a double";
        if (wrong.empty()) fails(is_nominal ? nominal(v, is_wide) == n.bits : permits(v, n) != refused);
    }
    return is_wide ? 2 : 1;
}

namespace {

/// Compares the result of a run with what the file expects.
class Judge {
  public:
    Judge(const test::Case& of, const Run& run, const Result& result, const std::string& error)
        : case_(of), run_(run), result_(result), error_(error) {
        uint32_t lane = 0;
        for (const Expectation& e : run.expected)
            if (e.name == "error")
                EXPECT_NE(error_.find(e.tokens[0].at(0)), std::string::npos) << error_;
            else if (e.name == "place")
                expect_place(e);
            else if (error_ != "")
                wrong(e, error_);
            else if (e.name.empty())
                expect_row(e, lane++);
            else
                try {
                    expect_named(e);
                } catch (const std::out_of_range&) {
                    wrong(e, "no such result");
                }
    }

  private:
    const test::Case& case_;
    const Run& run_;
    const Result& result_;
    const std::string& error_;

    void wrong(const Expectation& e, const std::string& why) {
        case_.wrong(e.line, e.name + ": " + why + "\n" + run_.text);
    }
    /// One token for each value, or one for all. Returns how many values were judged.
    size_t expect(const Expectation& e, const std::vector<std::string>& tokens, std::span<const Value> values) {
        size_t i = 0, t = 0;
        for (; i < values.size() && (t < tokens.size() || tokens.size() == 1); ++t) {
            const std::string& token = tokens[tokens.size() == 1 ? 0 : t];
            std::string why;
            const size_t first = i;
            i += judge(token, &values[i], values.size() - i, why);
            if (!why.empty()) wrong(e, fmt::format("value {} is not {}: {}", first, token, why));
        }
        if (t < tokens.size()) wrong(e, "more tokens than values");
        return i;
    }
    void expect_row(const Expectation& e, uint32_t lane) {
        for (size_t r = 0; r < e.tokens.size(); ++r) {
            const auto found = result_.outputs.find(static_cast<int32_t>(r));
            if (found == result_.outputs.end()) return wrong(e, "no such output");
            const auto components = found->second[lane];
            const std::vector<Value> values(components.begin(), components.end());
            expect(e, e.tokens[r], values);
        }
    }
    void expect_lanes(const Expectation& e, const OutputLanes& lanes) {
        const size_t c = std::string("xyzw").find(e.name.back());
        std::vector<Value> values;
        // A device's draw may have more.
        const size_t count = std::min<size_t>(lanes.size(), std::max(run_.inputs.lanes, run_.inputs.patches));
        for (size_t lane = 0; lane < count; ++lane) values.push_back(lanes[lane][c]);
        if (expect(e, e.tokens.at(0), values) != count) wrong(e, fmt::format("has {} lanes", count));
    }
    void expect_words(const Expectation& e, const std::vector<Component>& components) {
        const std::vector<Value> values(components.begin(), components.end());
        if (expect(e, e.tokens[0], values) != values.size()) wrong(e, fmt::format("has {} words", values.size()));
    }
    void expect_text(const Expectation& e, const std::vector<std::string>& got) {
        if (got != e.tokens.at(0)) wrong(e, "is " + testing::PrintToString(got));
    }
    void expect_place(const Expectation& e) {
        const Shader s = shader(run_.text);
        EXPECT_EQ(result_.error_position, s.program.instructions.at(std::stoul(e.tokens[0][0])).position);
    }
    static std::vector<std::string> digits(const std::vector<bool>& bits) {
        std::vector<std::string> all;
        for (const bool b : bits) all.push_back(b ? "1" : "0");
        return all;
    }
    std::vector<std::string> emitted(size_t lane) {
        std::vector<std::string> all;
        for (const Emitted& v : result_.emitted.at(lane)) {
            const Value x = v.outputs.at(0)[v.stream];
            all.push_back(fmt::format("{}/{}:{}{}", v.stream, v.primitive, is_exact(x) ? "" : "?", x.value));
        }
        return all;
    }
    void expect_named(const Expectation& e) {
        const size_t bracket = e.name.find('['), second = e.name.find("][");
        const std::string kind = e.name.substr(0, bracket);
        const auto i = bracket == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(e.name.substr(bracket + 1)));
        if (kind == "OUT" && second != std::string::npos) {
            const auto reg = static_cast<int32_t>(std::stoul(e.name.substr(second + 2)));
            expect_lanes(e, result_.vertex_outputs.at({static_cast<int32_t>(i), reg}));
        } else if (kind == "OUT") {
            expect_lanes(e, result_.outputs.at(static_cast<int32_t>(i)));
        } else if (kind == "BUFFER") {
            expect_words(e, result_.buffers.at(i));
        } else if (kind == "RGLOBAL") {
            expect_words(e, result_.buffers.at(tgsi::kGlobalMemory));
        } else if (kind == "HWATOMIC") {
            expect_words(e, result_.hwatomics.at(i));
        } else if (kind == "IMAGE") {
            expect_words(e, result_.images.at(i).at(0));
        } else if (kind == "emitted") {
            expect_text(e, emitted(i));
        } else if (kind == "lost") {
            expect_text(e, digits(result_.emitted_unknown));
        } else if (kind == "killed") {
            expect_text(e, digits(result_.killed));
        } else if (kind == "undecided") {
            expect_text(e, digits(result_.killed_unknown));
        } else if (kind == "written") {
            expect_text(e, {std::to_string(result_.written.at(static_cast<int32_t>(i)))});
        } else {
            wrong(e, "no such result");
        }
    }
};

}  // namespace

void judge(const test::Case& of, const Run& run, const Result& result, const std::string& error) {
    const auto trace = of.trace(run.line);
    Judge(of, run, result, error);
}

}  // namespace tgsi2spv::reference
