// Shaders as logs, terminals, mail programs and forums dress them: what comes out is equal, or something is reported.
#include <gtest/gtest.h>

#include <cstdlib>

#include <functional>

#include "shader_files.h"
#include "tgsi/extract.h"
#include "tgsi/log_line.h"
#include "tgsi/parse.h"
#include "tgsi/print.h"

namespace tgsi2spv::tgsi {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
    Lines lines;
    for (size_t at = 0; at < text.size();) lines.emplace_back(next_line(text, at));
    return lines;
}

/// The canonical text; empty if it is none.
std::string canonical(const std::string& text) {
    Program program;
    std::vector<Diagnostic> diagnostics;
    return parse(text, {}, program, diagnostics) ? print(program) : std::string();
}

std::string each_line(const std::string& text, const std::function<std::string(size_t, const std::string&)>& dress) {
    std::string out;
    size_t number = 0;
    for (const std::string& line : lines_of(text)) out += dress(number++, line);
    return out;
}

std::string wrapped(const std::string& text, size_t width) {
    return each_line(text, [&](size_t, const std::string& line) {
        std::string out;
        for (size_t at = 0; at < line.size(); at += width) out += line.substr(at, width) + '\n';
        return line.empty() ? "\n" : out;
    });
}

/// Between words, as mail programs do.
std::string wrapped_by_mail(const std::string& text, size_t width) {
    return each_line(text, [&](size_t, std::string line) {
        std::string out;
        while (line.size() > width) {
            const size_t blank = line.rfind(' ', width);
            if (blank == line.npos || line.find_first_not_of(' ') >= blank) break;
            out += line.substr(0, blank) + '\n';
            line.erase(0, blank + 1);
        }
        return out + line + '\n';
    });
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size()) text.replace(at, what.size(), with);
    return text;
}

std::string escaped(const std::string& text) {
    return replaced(replaced(text, "\\", "\\\\"), "\n", "\\n");
}

struct Dress {
    const char* name;
    bool may_be_reported;  ///< instead of found
    std::string (*put_on)(const std::string& text);
};

const Dress kDresses[] = {
    {"nothing", false, [](const std::string& t) { return t; }},
    {"60 columns", true, [](const std::string& t) { return wrapped(t, 60); }},
    {"70 columns", true, [](const std::string& t) { return wrapped(t, 70); }},
    {"80 columns", true, [](const std::string& t) { return wrapped(t, 80); }},
    {"80 columns after a prefix", true,
     [](const std::string& t) {
         return wrapped(each_line(t, [](size_t, const std::string& l) { return "[   12.345678] virgl: " + l + '\n'; }),
                        80);
     }},
    {"mail", true, [](const std::string& t) { return wrapped_by_mail(t, 72); }},
    {"time stamps", false,
     [](const std::string& t) {
         return each_line(t, [](size_t n, const std::string& l) {
             return "[" + std::string(n < 7 ? " " : "") + std::to_string(n + 3) + ".25] drm: " + l + '\n';
         });
     }},
    {"grep -n", false,
     [](const std::string& t) {
         return each_line(t, [](size_t n, const std::string& l) { return std::to_string(n + 8) + ':' + l + '\n'; });
     }},
    {"carriage returns", false, [](const std::string& t) { return replaced(t, "\n", "\r"); }},
    {"a literal", false, [](const std::string& t) { return "const char* text = \"" + escaped(t) + "\";\n"; }},
    {"a literal of Python", false, [](const std::string& t) { return "shader = '" + escaped(t) + "'\n"; }},
    {"a literal of several lines", false, [](const std::string& t) { return "let text = \"" + t + "\";\n"; }},
    {"backticks", false, [](const std::string& t) { return "const text = `" + t + "`;\n"; }},
    {"JSON", false, [](const std::string& t) { return "{\"stage\": \"fs\", \"text\": \"" + escaped(t) + "\"}\n"; }},
    {"a line of JSON for each", false,
     [](const std::string& t) {
         return each_line(t, [](size_t, const std::string& l) {
             return R"({"log":")" + l + R"(\n","stream":"stderr","time":"2026-11-30T02:31:30.1Z"})" + '\n';
         });
     }},
    {"a trace of gallium", false,
     [](const std::string& t) {
         return "<arg name='state'><uint>0</uint><member name='tokens'><string>" + replaced(t, "\n", "&#10;") +
                "</string></member><uint>0</uint></arg>\n";
     }},
    {"CDATA", false, [](const std::string& t) { return "<text><![CDATA[" + t + "]]></text>\n"; }},
    {"a forum", false, [](const std::string& t) { return "[code]" + t + "[/code]\n"; }},
    {"HTML", false, [](const std::string& t) { return "<p>It says:<pre>" + t + "</pre>\n"; }},
    {"a line after the stage", false,
     [](const std::string& t) {
         const size_t end = t.find('\n') + 1;
         return t.substr(0, end) + "libGL: OpenDriver: trying r600_dri.so\n" + t.substr(end);
     }},
};

TEST(Extract, DressedShadersComeOutEqualOrAreReported) {
    const char* full = std::getenv("TGSI2SPV_FULL");
    const bool takes_all = full != nullptr && *full != '\0';
    size_t found_equal = 0, all = 0, number = 0;
    for (const test::ShaderFile& file : test::all_shaders()) {
        if (!takes_all && number++ % 40 != 0) continue;
        // Comments may hold anything, and a stage does not begin each file's first line.
        const std::string text = canonical(file.text);
        ASSERT_NE(text, "") << file.path;
        for (const Dress& dress : kDresses) {
            std::vector<uint32_t> headers;
            const auto shaders = extract(dress.put_on(text), &headers);
            bool reported = !headers.empty() || shaders.empty();
            for (const Extracted& e : shaders)
                reported |= !e.complete || e.missing || e.left_out || e.mixed || canonical(e.text).empty();
            const bool equal = shaders.size() == 1 && canonical(shaders[0].text) == text;
            ++all;
            found_equal += equal && !reported;
            EXPECT_TRUE(dress.may_be_reported ? equal || reported : equal && !reported)
                << file.path << ", " << dress.name << '\n'
                << (shaders.empty() ? std::string("no shader") : shaders[0].text);
        }
    }
    EXPECT_GE(found_equal * 100, all * 97);
}

TEST(Extract, ThreadsWriteAtOnce) {
    const auto files = test::all_shaders();
    for (size_t i = 0; i + 1 < files.size(); i += 2) {
        const Lines a = lines_of(canonical(files[i].text)), b = lines_of(canonical(files[i + 1].text));
        std::string log;
        for (size_t line = 0; line < std::max(a.size(), b.size()); ++line) {
            if (line < a.size()) log += "[tid 1] " + a[line] + '\n';
            if (line < b.size()) log += "[tid 2] " + b[line] + '\n';
        }
        const auto shaders = extract(log);
        ASSERT_EQ(shaders.size(), 2u) << files[i].path;
        EXPECT_EQ(canonical(shaders[0].text), canonical(files[i].text));
        EXPECT_EQ(canonical(shaders[1].text), canonical(files[i + 1].text));
        EXPECT_FALSE(shaders[0].mixed || shaders[1].mixed) << files[i].path;
    }
}

}  // namespace
}  // namespace tgsi2spv::tgsi
