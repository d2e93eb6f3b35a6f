#include "cases/case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "cases/sampling/forms.h"
#include "files/files.h"
#include "inputs/case.h"

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;

constexpr std::string_view kFirstLine = "tgsi-difftest case 1";

struct Section {
    std::string_view name;
    std::string CaseFile::*text;
};
constexpr Section kSections[] = {
    {"shader", &CaseFile::shader}, {"inputs", &CaseFile::inputs}, {"expected", &CaseFile::expected},
    {"got", &CaseFile::got},       {"spirv", &CaseFile::spirv},
};

std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\r') c = ' ';
    return text;
}

/// The valid values of a setting, for errors.
std::string_view expectation(const Setting& setting) {
    if (std::holds_alternative<bool RunSettings::*>(setting.member)) return "'yes'";
    return setting.name == "dialect" ? "an edition" : "a number";
}

/// Reads one field. Returns the error, or an empty string.
std::string read_field(std::string_view key, std::string_view value, CaseFile& file) {
    if (key == "case") {
        file.id = value;
    } else if (key == "device") {
        file.device = value;
    } else if (key == "message") {
        if (file.message.empty()) file.message = value;
    } else if (key == "status") {
        int found = -1;
        for (int i = 0; i < kStatuses; i++)
            if (name(static_cast<Status>(i)) == value) found = i;
        if (found < 0) return fmt::format("unknown status '{}'", value);
        file.status = static_cast<Status>(found);
    } else {
        const auto* const setting = std::ranges::find(kSettings, key, &Setting::name);
        if (setting == std::end(kSettings) || !setting->changes_answers) return fmt::format("unknown field '{}'", key);
        if (!set_from_text(file.settings, *setting, value))
            return fmt::format("{}: expected {}, found '{}'", key, expectation(*setting), value);
    }
    return {};
}

/// Returns a file name, without its extension, that every file system accepts. Several cases may share it.
std::string file_name(std::string_view id, std::string_view device) {
    constexpr size_t kMax = 180;
    std::string s = fmt::format("{}@{}", id, device.substr(0, device.find(" (")));
    for (char& c : s)
        if (std::strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@#", c) == nullptr) c = '_';
    return s.substr(0, kMax);
}

/// Whether the file holds another case, or the same on another device.
bool holds_another(const std::string& path, const CaseResult& result) {
    constexpr size_t kMaxBytes = size_t{1} << 28;
    const auto held = read_case_file(read_file(path, kMaxBytes).value_or(""));
    return held && (held->id != one_line(result.id) || held->device != one_line(result.device));
}

/// Returns where the case is kept, without the extension: under its own name or, if another case has it, with a number.
std::string path_of(const std::string& folder, const CaseResult& result) {
    const std::string first = folder + "/" + file_name(result.id, result.device);
    std::string path = first;
    for (int n = 2; holds_another(path + ".case", result); n++) path = fmt::format("{}-{}", first, n);
    return path;
}

}  // namespace

CaseFile case_file_of(const CaseResult& result, const RunSettings& judging) {
    CaseFile f;
    f.id = result.id;
    f.device = result.device;
    f.message = one_line(result.message);
    f.status = result.status;
    f.settings = judging;
    f.shader = result.evidence.shader;
    f.inputs = result.evidence.inputs;
    f.expected = result.evidence.expected;
    f.got = result.evidence.got;
    f.spirv = result.evidence.spirv;
    return f;
}

RunSettings judging_of(const CaseFile& file, const RunSettings& rest) {
    RunSettings settings = file.settings;
    settings.timeout_ns = rest.timeout_ns;
    settings.evidence = rest.evidence;
    return settings;
}

std::string write_case_file(const CaseFile& file) {
    std::string text = fmt::format("{}\ncase: {}\ndevice: {}\nstatus: {}\n", kFirstLine, one_line(file.id),
                                   one_line(file.device), name(file.status));
    for (const Setting& setting : kSettings) {
        const bool always = setting.name == "dialect" || setting.name == "seed";
        if (setting.changes_answers && (always || !is_default(file.settings, setting)))
            text += fmt::format("{}: {}\n", setting.name, text_of(file.settings, setting));
    }
    text += fmt::format("message: {}\n", one_line(file.message));
    for (const Section& s : kSections) {
        const std::string& body = file.*s.text;
        if (body.empty() && !(s.text == &CaseFile::inputs && !file.shader.empty())) continue;
        text += fmt::format("--- {}\n{}", s.name, body.empty() ? "{}" : body);
        if (text.back() != '\n') text += '\n';
    }
    return text;
}

tl::expected<CaseFile, std::string> read_case_file(std::string_view text) {
    CaseFile file;
    std::string* section = nullptr;
    bool has_message = false;
    for (size_t number = 1; !text.empty(); number++) {
        std::string_view whole = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), whole.size() + 1));
        if (whole.ends_with('\r')) whole.remove_suffix(1);
        const auto fail = [&](const std::string& why) { return Error(fmt::format("line {}: {}", number, why)); };
        if (number == 1) {
            if (whole != kFirstLine) return fail(fmt::format("not a case file: expected '{}'", kFirstLine));
        } else if (whole.starts_with("--- ")) {
            section = nullptr;
            for (const Section& s : kSections)
                if (s.name == whole.substr(4)) section = &(file.*s.text);
            if (section == nullptr) return fail(fmt::format("unknown section '{}'", whole.substr(4)));
            if (!section->empty()) return fail(fmt::format("there is a section '{}' already", whole.substr(4)));
        } else if (section != nullptr) {
            section->append(whole).append("\n");
        } else if (!whole.empty()) {
            const size_t colon = whole.find(": ");
            if (colon == std::string_view::npos) return fail("expected 'field: value' or '--- section'");
            has_message |= whole.starts_with("message: ");
            if (auto why = read_field(whole.substr(0, colon), whole.substr(colon + 2), file); !why.empty())
                return fail(why);
        }
    }
    if (file.id.empty()) return Error("missing field 'case'");
    // A file that was cut off is not a case of zeros.
    if (file.shader.empty() && !has_message) return Error("missing field 'message', the last one");
    if (!file.shader.empty() && file.inputs.empty()) return Error("there is no section 'inputs' for the shader");
    return file;
}

tl::expected<CaseSpec, std::string> spec_of(const CaseFile& file) {
    CaseSpec spec;
    spec.name = file.id;
    if (!file.shader.empty()) {
        spec.kind = CaseKind::Given;
        spec.text = file.shader;
        spec.inputs = file.inputs;
        if (const auto inputs = read_inputs(file.inputs); !inputs) return Error("inputs: " + inputs.error());
        return spec;
    }
    constexpr std::string_view kSampling = "sampling/";
    const size_t hash = file.id.rfind('#');
    if (hash != std::string::npos) {
        const char* end = file.id.data() + file.id.size();
        const auto read = std::from_chars(file.id.data() + hash + 1, end, spec.input);
        if (read.ec == std::errc() && read.ptr == end) spec.name = file.id.substr(0, hash);
    }
    const auto forms = sampling_forms();
    for (size_t i = 0; spec.name.starts_with(kSampling) && i < forms.size(); i++)
        if (forms[i].name == std::string_view(spec.name).substr(kSampling.size())) {
            spec.kind = CaseKind::Sampling;
            spec.number = i;
            return spec;
        }
    return Error(fmt::format("the case has no shader, and '{}' names no form of the sampling matrix", spec.name));
}

std::string keep_case(const std::string& folder, const CaseResult& result, const RunSettings& judging) {
    const std::string path = path_of(folder, result);
    const auto write = [&](const std::string& name, const std::string& text) {
        const std::string why = write_file(name, text);
        return why.empty() ? why : cannot_write(name, why);
    };
    // A reduced case is written in addition to the full one.
    std::string error = write(path + ".case", write_case_file(case_file_of(result, judging)));
    if (error.empty() && !result.evidence.reduced.empty())
        error = write(path + ".reduced.case", result.evidence.reduced);
    return error;
}

}  // namespace tgsi2spv::difftest
