#include "cases/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cases/pattern.h"
#include "cases/sampling/groups.h"
#include "cases/sources.h"
#include "cases/variants.h"
#include "inputs/json.h"

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;

/// Keeps the cases that were chosen, and only these: a machine may run a thousandth of a billion.
struct Chosen {
    const CaseChoice& choice;
    std::optional<Pattern> filter;
    std::vector<CaseSpec> cases;
    uint64_t matching = 0;  ///< cases that the filter lets pass
    bool too_many = false;

    void add(const CaseSpec& spec) {
        if (filter && !occurs(*filter, id_of(spec))) return;
        if (matching++ % choice.shards != choice.shard) return;
        too_many |= cases.size() == kMaxCases;
        if (!too_many) cases.push_back(spec);
    }
    /// Adds a shader's cases, one for each set of inputs.
    void add_inputs(CaseSpec shader, uint32_t inputs) {
        for (shader.input = 0; shader.input < inputs; shader.input++) add(shader);
    }
};

/// Why a file's name cannot be in results and baselines, which are lines of UTF-8; empty if it can.
std::string unfit(const std::string& path) {
    std::string shown;
    for (const char c : path) shown += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", c & 0xff);
    if (read_json(json_line(path))->get<std::string>() != path) return fmt::format("{}: the name is not UTF-8", shown);
    if (path.find('\n') != std::string::npos) return fmt::format("{}: the name has several lines", shown);
    return {};
}

std::string list_files(const CaseSources& from, Chosen& cases) {
    const auto found = find_sources(from.paths, from.root);
    if (!found) return found.error();
    if (found->empty()) return "no *.tgsi files found";
    for (size_t i = 0; i < found->size(); i++) {
        const Source& source = (*found)[i];
        CaseSpec spec;
        spec.kind = CaseKind::File;
        spec.path = source.path;
        if (std::string why = unfit(source.path); !why.empty()) return why;
        spec.name = source.name;
        cases.add_inputs(spec, from.inputs.value_or(kShaderInputs));
        if (!from.variants) continue;
        for (int v = 0; v < kVariantKinds; v++) {
            spec.number = static_cast<uint64_t>(v) + 1;
            spec.name = fmt::format("{}~{}", source.name, name(static_cast<VariantKind>(v)));
            cases.add_inputs(spec, from.inputs.value_or(kInputs));
        }
    }
    return {};
}

void list_sampling(Chosen& cases) {
    const auto forms = sampling_forms();
    for (size_t i = 0; i < forms.size(); i++) {
        CaseSpec spec;
        spec.kind = CaseKind::Sampling;
        spec.name = "sampling/" + forms[i].name;
        spec.number = i;
        for (const auto& group : groups_of(forms[i], static_cast<uint32_t>(i))) {
            spec.input = group.number;
            cases.add(spec);
        }
    }
}

void list_generated(const CaseSources& from, Chosen& cases) {
    // Without a filter the number of chosen cases is known: no need to list cases that are refused.
    const uint32_t inputs = from.inputs.value_or(kInputs);
    cases.too_many |= !cases.filter && from.generated * inputs / cases.choice.shards > kMaxCases;
    for (uint64_t i = 0; i < from.generated && !cases.too_many; i++) {
        CaseSpec spec;
        spec.kind = CaseKind::Generated;
        spec.name = fmt::format("generated/{}/{}", from.seed, i);
        spec.number = i;
        cases.add_inputs(std::move(spec), inputs);
    }
}

}  // namespace

std::string id_of(const CaseSpec& spec) {
    return spec.input == 0 ? spec.name : fmt::format("{}#{}", spec.name, spec.input);
}

tl::expected<std::vector<CaseSpec>, std::string> list_cases(const CaseSources& sources, const CaseChoice& choice) {
    Chosen chosen{choice, {}, {}};
    if (!choice.filter.empty()) {
        auto filter = compile_pattern(choice.filter);
        if (!filter) return Error(filter.error());
        chosen.filter = std::move(*filter);
    }
    if (!sources.paths.empty())
        if (auto error = list_files(sources, chosen); !error.empty()) return Error(error);
    if (sources.sampling) list_sampling(chosen);
    list_generated(sources, chosen);
    if (chosen.too_many)
        return Error(fmt::format("more than {} cases: choose fewer with --shard or --filter", kMaxCases));
    return std::move(chosen.cases);
}

tl::expected<CaseChoice, std::string> read_shard(const std::string& text) {
    CaseChoice c;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, c.shard);
    const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
    const auto second = slash ? std::from_chars(first.ptr + 1, end, c.shards) : first;
    if (!slash || second.ec != std::errc() || second.ptr != end || c.shard >= c.shards)
        return Error(fmt::format("invalid shard '{}': expected i/n with i from 0 to n-1", text));
    return c;
}

}  // namespace tgsi2spv::difftest
