// Texts and what becomes of them: the cases of data/*.txt. tests/texts/README.md has their language; these are the
// words:
//
//     case the block size is fixed
//     set shared_words=16 -demote
//     $
//     STORE BUFFER[0].x, IMM[0].xxxx, SV[0]
//     => Store
//     : MOV TEMP[0], SV[0] => set -robust_buffers; 1 Store; !FNegate; "local_size_x=8"
//
// `set` has settings (settings.h), `=>` checks, `;` between them; a text ends with END, if it has none. It is lowered
// as it is written, or with the setting `simplified`. Stages of a pipeline have lines ---- between them. Checks are:
//
//     3 Store, >3 Store, <3 Store, Store, !Store   how many of an operation, of a kind of variables, or of
//                                                  `unwritten` ones
//     3 "text", "text", !"text", /regex/           the same, in the document: `operations: ` and those of main, the
//                                                  printed module. \n in quotes is the end of a line
//     3 Store after ControlBarrier                 of the printed functions
//     ops FMul FAdd                                operations() of main, exactly
//     spec 15 16                                   the ids of specialization constants, all of them
//     drops 1 2                                    the numbers of the instructions that nothing needs
//     image 2D depth, does ImageSample dref        first_image(), image_operation()
//     error words, code name, refused              the first error, and no module
//     warns code code, at 13, at text              the codes of all diagnostics; the offset of the first
//     also io_buffers -demote                      with these settings, too, it is lowered
//     given BUFFER[0] 1 2                          words of a buffer for the runs after it
//     runs 1 2 3 4 | 5 -> 6 _ 8 9                  what the evaluator computes, of the module as it is and simplified;
//                                                  a word alone stands for all four; KILLED
//     stage 1                                      of a pipeline: what follows is of this stage with its linkage.
//                                                  Before, the document is the linkages
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "ir/names.h"
#include "ir/print.h"
#include "lower/linked.h"
#include "lower/lowered.h"
#include "lower/plan/plan.h"
#include "lower/settings.h"
#include "texts/cases.h"
#include "texts/number.h"
#include "tgsi/parse/parse.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Parts between separators that are not in quotes, without blanks at their ends.
std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    for (size_t at = 0; at < text.size(); at++) {
        if (text[at] == '"') quoted = !quoted;
        if (!quoted && text.compare(at, separator.size(), separator) == 0) {
            parts.emplace_back();
            at += separator.size() - 1;
        } else if (text[at] != ' ' || !parts.back().empty()) {
            parts.back() += text[at];
        }
    }
    for (std::string& part : parts)
        while (part.ends_with(' ')) part.pop_back();
    return parts;
}

/// The stages of a pipeline, each with its END.
std::vector<std::string> stages_of(std::string text) {
    std::vector<std::string> all;
    for (bool more = true; more;) {
        const size_t line = text.find("----\n");
        more = line != std::string::npos;
        std::string& stage = all.emplace_back(text.substr(0, line));
        if (("\n" + stage).find("\nEND\n") == std::string::npos) stage += "END\n";
        if (more) text.erase(0, line + 5);
    }
    return all;
}

/// The numbers of the instructions that lowering may skip.
std::string dropped(const std::string& text) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    EXPECT_TRUE(tgsi::parse(text, {}, program, diagnostics)) << text;
    const tgsi::Registers registers = tgsi::gather(program);
    lower::Plan plan(std::pmr::get_default_resource());
    EXPECT_TRUE(lower::make_plan(program, registers, {.drop_unneeded = false}, {}, plan, diagnostics));
    EXPECT_FALSE(plan.drops);
    EXPECT_EQ(lower::drop_unneeded(program, false, plan), plan.drops);
    std::string numbers;
    for (uint32_t pc = 0; pc < program.instructions.size(); ++pc)
        if (plan.is_dropped(pc)) numbers += (numbers.empty() ? "" : " ") + std::to_string(pc);
    return numbers;
}

std::string first_image(const ir::Module& module) {
    for (const ir::Variable& v : module.variables) {
        if (v.kind == ir::VariableKind::CombinedImage) return image_type(v.image);
        if (v.kind == ir::VariableKind::SampledImage) return "view " + image_type(v.image);
        if (v.kind == ir::VariableKind::StorageImage) return "storage " + image_type(v.image);
    }
    return {};
}

std::string print_of(const char* name, const std::pmr::vector<lower::LinkedVarying>& all) {
    std::string line = name;
    for (const lower::LinkedVarying& v : all)
        line += " " + std::string(tgsi::name(v.semantic)) + "[" + std::to_string(v.index) + "]@" +
                std::to_string(v.location) + "." + "xyzw"[v.component & 3] + std::to_string(v.components);
    return line + "\n";
}
std::string print_of(const char* name, const std::pmr::vector<lower::RecordSlot>& all) {
    std::string line = name;
    for (const lower::RecordSlot& s : all)
        line += " " + std::string(tgsi::name(s.semantic)) + "[" + std::to_string(s.index) + "]";
    return line + "\n";
}
/// `0 outputs COLOR[0]@0.x4 GENERIC[3]@1.z2`: location, first component, components.
std::string print_of(const std::vector<lower::Linkage>& linkages) {
    std::string text;
    for (size_t i = 0; i < linkages.size(); i++) {
        const std::string n = std::to_string(i);
        const lower::Linkage& l = linkages[i];
        text += print_of((n + " inputs").c_str(), l.inputs) + print_of((n + " outputs").c_str(), l.outputs) +
                print_of((n + " patch inputs").c_str(), l.patch_inputs) +
                print_of((n + " patch outputs").c_str(), l.patch_outputs) +
                print_of((n + " record").c_str(), l.record) + print_of((n + " record before").c_str(), l.record_before);
        text += n + " clips " + std::to_string(l.num_clip) + "\n";
    }
    return text;
}

/// A word as it is written; nothing: it is not compared.
std::optional<uint32_t> word_of(const std::string& token) {
    if (token == "_") return std::nullopt;
    if (token == "nan") return kNan;
    Number number;
    EXPECT_TRUE(parse_number(token, number) || token == "KILLED") << "no word: " << token;
    return static_cast<uint32_t>(number.bits);
}
using Expected = std::array<std::optional<uint32_t>, 4>;
std::vector<Expected> registers_of(const std::string& text) {
    std::vector<Expected> all;
    for (const std::string& part : parts_of(text, "|")) {
        std::istringstream tokens(part);
        Expected words;
        size_t n = 0;
        for (std::string token; tokens >> token; n++)
            if (n < 4) words[n] = word_of(token);
        EXPECT_LE(n, 4u) << "a register has four words: " << part;
        if (n == 1) words.fill(words[0]);
        if (n != 0) all.push_back(words);
    }
    return all;
}

/// A case: its text, settings and checks, in their order.
struct Parts {
    std::string text;
    std::vector<std::string> settings, checks;
};
Parts parts_of(const Case& of) {
    Parts parts;
    for (const auto& [line, number] : of.lines) {
        const auto [word, rest] = first_word(line);
        if (word == "set")
            std::ranges::copy(words_of(rest), std::back_inserter(parts.settings));
        else if (word != "=>")
            parts.text += line + "\n";
        else
            for (const std::string& check : parts_of(rest, ";"))
                if (check.starts_with("set "))
                    std::ranges::copy(words_of(check.substr(4)), std::back_inserter(parts.settings));
                else if (!check.empty())
                    parts.checks.push_back(check);
    }
    return parts;
}

/// Judges the modules of a case.
class Judge {
  public:
    explicit Judge(const Parts& parts) : stages_(stages_of(parts.text)) {
        for (const std::string& stage : stages_) text_ += stage;
        for (const std::string& word : parts.settings) EXPECT_TRUE(adjust(word, setup_)) << "no setting: " << word;
        if (setup_.captured) setup_.options.stream_outputs = &setup_.captures;
        if (setup_.linked || stages_.size() > 1)
            link();
        else
            lower(stages_[0]);
        for (const std::string& check : parts.checks) take(check);
        EXPECT_TRUE(lowered_.ok || may_fail_) << lowered_.error << "\n" << text_;
    }

  private:
    std::vector<std::string> stages_;
    std::string text_, document_;
    Setup setup_;
    Pipeline pipeline_;
    Lowered lowered_;
    Surroundings around_;
    bool may_fail_ = false;

    void lower(const std::string& text) {
        lowered_ = setup_.simplified ? lower_simplified(text, setup_.device, setup_.options)
                                     : lower_text(text, setup_.options, setup_.device);
        document_ = lowered_.ok ? "operations: " + operations(lowered_.module) + "\n" + ir::print(lowered_.module) : "";
    }
    void link() {
        pipeline_ = linked(stages_, setup_.limits, setup_.options, setup_.device);
        lowered_.ok = pipeline_.ok;
        lowered_.error = pipeline_.error;
        lowered_.diagnostics = pipeline_.diagnostics;
        document_ = pipeline_.ok ? print_of(pipeline_.linkages) : "";
    }

    void take(const std::string& check) {
        const size_t blank = check.find(' ');
        const std::string word = check.substr(0, blank),
                          rest = blank == std::string::npos ? "" : check.substr(blank + 1);
        const auto expect = [&](const std::string& got, const std::string& expected) {
            EXPECT_EQ(got, expected) << check << "\n" << text_;
        };
        if (word == "error" || word == "code" || word == "refused") {
            may_fail_ = true;
            EXPECT_FALSE(lowered_.ok) << check << "\n" << text_;
            EXPECT_EQ(word == "refused", rest.empty()) << check;
            const bool says = word != "error" || lowered_.error.find(rest) != std::string::npos;
            EXPECT_TRUE(says) << rest << ", not in: " << lowered_.error;
            if (word == "code")
                expect(lowered_.diagnostics.empty() ? "" : std::string(lowered_.diagnostics[0].code.name()), rest);
        } else if (word == "warns") {
            std::string codes;
            for (const tgsi::Diagnostic& d : lowered_.diagnostics) codes += " " + std::string(d.code.name());
            expect(codes, rest.empty() ? "" : " " + rest);
        } else if (word == "at") {
            ASSERT_FALSE(lowered_.diagnostics.empty()) << check;
            const bool is_number = rest.find_first_not_of("0123456789") == std::string::npos;
            EXPECT_EQ(lowered_.diagnostics[0].offset, is_number ? std::stoul(rest) : text_.find(rest)) << check;
        } else if (word == "also") {
            Setup other = setup_;
            std::istringstream words(rest);
            for (std::string setting; words >> setting;) EXPECT_TRUE(adjust(setting, other)) << setting;
            expect(lower_text(text_, other.options, other.device).error, "");
        } else if (word == "stage") {
            setup_.options.linkage = &pipeline_.linkages.at(std::stoul(rest));
            lower(stages_.at(std::stoul(rest)));
        } else if (!lowered_.ok) {
            ADD_FAILURE() << check << ": " << lowered_.error << "\n" << text_;
        } else if (word == "ops") {
            expect(operations(lowered_.module), rest);
        } else if (word == "image") {
            expect(first_image(lowered_.module), rest);
        } else if (word == "spec") {
            std::set<int32_t> ids;
            for (const ir::Constant& constant : lowered_.module.constants)
                if (constant.spec_id >= 0) ids.insert(constant.spec_id);
            std::string numbers;
            for (const int32_t id : ids) numbers += (numbers.empty() ? "" : " ") + std::to_string(id);
            expect(numbers, rest);
        } else if (word == "drops") {
            expect(dropped(stages_[0]), rest);
        } else if (word == "does") {
            expect(image_operation(lowered_.module), rest);
        } else if (word == "given") {
            give(rest);
        } else if (word == "runs") {
            run_it(rest);
        } else {
            count_it(check);
        }
    }

    /// `BUFFER[1] 2 3`
    void give(const std::string& words) {
        std::istringstream tokens(words.substr(words.find(']') + 1));
        auto& buffer = around_.buffers[static_cast<uint32_t>(std::stoul(words.substr(words.find('[') + 1)))];
        buffer.clear();
        for (std::string token; tokens >> token;) buffer.push_back(word_of(token).value_or(0));
    }

    void run_it(const std::string& row) {
        const size_t arrow = row.find("->");
        ASSERT_NE(arrow, std::string::npos) << row;
        const auto in = registers_of(row.substr(0, arrow)), out = registers_of(row.substr(arrow + 2));
        const bool killed = row.find("KILLED") != std::string::npos;
        std::map<uint32_t, Words> inputs;
        for (uint32_t i = 0; i < 8; i++)
            for (size_t k = 0; k < 4; k++) inputs[i][k] = i < in.size() ? in[i][k].value_or(0) : 0;
        const Lowered simplified = lower_simplified(stages_[0], setup_.device, setup_.options);
        for (const Lowered* l : {&std::as_const(lowered_), &simplified}) {
            const Evaluation e = evaluate(l->module, inputs, around_);
            EXPECT_EQ(e.error, "") << row << "\n" << text_;
            for (const std::string& undefined : e.undefined) ADD_FAILURE() << undefined << ": " << row << "\n" << text_;
            EXPECT_EQ(e.killed, killed) << row << "\n" << text_;
            auto at = e.outputs.begin();
            for (size_t o = 0; o < out.size() && !killed; o++) {
                const Words got = at == e.outputs.end() ? Words{} : (at++)->second;
                for (size_t c = 0; c < 4; c++)
                    EXPECT_EQ(got[c], out[o][c].value_or(got[c])) << "OUT[" << o << "][" << c << "]: " << row << "\n"
                                                                  << text_;
            }
        }
    }

    size_t found(const std::string& what) {
        if (const size_t after = what.find(" after "); after != std::string::npos && what[0] != '"' && what[0] != '/') {
            const std::string main = document_.substr(document_.find('{'));
            size_t at = std::min(main.find("\n  " + what.substr(after + 7)), main.size()), n = 0;
            EXPECT_LT(at, main.size()) << "nothing is after what there is not: " << what;
            const std::string op = what.substr(0, after) + " ";
            while ((at = main.find(op, at + 1)) != std::string::npos) n++;
            return n;
        }
        if (what[0] == '"' || what[0] == '/') {
            const std::string inside = replaced(what.substr(1, what.size() - 2), "\\n", "\n");
            size_t n = 0;
            if (what[0] == '"') {
                for (size_t at = 0; (at = document_.find(inside, at)) != std::string::npos; at++) n++;
                return n;
            }
            const std::regex regex(inside);
            return static_cast<size_t>(
                std::distance(std::sregex_iterator(document_.begin(), document_.end(), regex), {}));
        }
        for (int op = 0; op < ir::kOpCount; op++)
            if (what == ir::info(static_cast<ir::Op>(op)).name) return count(lowered_.module, static_cast<ir::Op>(op));
        if (what == "unwritten")
            return static_cast<size_t>(std::ranges::count(lowered_.module.variables, true, &ir::Variable::unwritten));
        const auto kinds = ir::names<ir::VariableKind>();
        const auto kind = std::ranges::find(kinds, what) - kinds.begin();
        EXPECT_LT(kind, std::ssize(kinds)) << "neither a check, nor an operation, nor a kind of variables: " << what;
        return static_cast<size_t>(
            std::ranges::count(lowered_.module.variables, static_cast<ir::VariableKind>(kind), &ir::Variable::kind));
    }

    void count_it(const std::string& check) {
        const bool above = check[0] == '>', below = check[0] == '<', none = check[0] == '!';
        const std::string plain = check.substr(above || below || none);
        const bool has_number = plain.find_first_of("0123456789") == 0;
        EXPECT_FALSE(has_number ? none : above || below) << check;
        const size_t number = has_number ? std::stoul(plain) : 0;
        const size_t n = found(has_number ? plain.substr(plain.find(' ') + 1) : plain);
        const bool holds = none ? n == 0 : !has_number ? n > 0 : above ? n > number : below ? n < number : n == number;
        EXPECT_TRUE(holds) << check << ": there are " << n << " in\n" << document_ << "of\n" << text_;
    }
};

class LowerTexts : public testing::TestWithParam<CaseId> {};

TEST_P(LowerTexts, BecomeWhatTheCasesSay) {
    for (const Case& of : expand(GetParam())) {
        const auto trace = of.trace();
        Judge(parts_of(of));
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, LowerTexts, testing::ValuesIn(cases_of("tests/lower/data")), test_name);

}  // namespace
}  // namespace tgsi2spv::test
