#include "difftest/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "difftest/pattern.h"
#include "difftest/sampling/judge.h"
#include "difftest/sources.h"
#include "difftest/variants.h"

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;

/// Adds a shader's cases, one for each set of inputs.
void add_inputs(std::vector<CaseSpec>& cases, const CaseSpec& shader, uint32_t inputs) {
    for (uint32_t i = 0; i < inputs; i++) {
        cases.push_back(shader);
        cases.back().input = i;
    }
}

/// Returns a name that is not among `names` yet, and adds it: two folders may contain files of the same name, and a
/// file of a folder may have the name of one that is listed by its path.
std::string name_of(const Source& source, std::unordered_set<std::string>& names) {
    if (names.insert(source.shown).second) return source.shown;
    std::string name = source.path;
    for (int n = 2; !names.insert(name).second; n++) name = fmt::format("{} ({})", source.path, n);
    return name;
}

std::string list_files(const CaseSources& from, std::vector<CaseSpec>& cases) {
    const auto found = find_sources(from.paths);
    if (!found) return found.error();
    if (found->empty()) return "no *.tgsi files found";
    std::unordered_set<std::string> paths, names;
    for (size_t i = 0; i < found->size(); i += std::max(1u, from.sample)) {
        const Source& source = (*found)[i];
        CaseSpec spec;
        spec.kind = CaseKind::File;
        spec.path = source.path;
        if (!paths.insert(source.path).second) continue;  // named twice
        spec.name = name_of(source, names);
        add_inputs(cases, spec, from.inputs);
        if (!from.variants) continue;
        const std::string original = spec.name;
        for (int v = 0; v < kVariantKinds; v++) {
            spec.number = static_cast<uint64_t>(v) + 1;
            spec.name = fmt::format("{}~{}", original, name(static_cast<VariantKind>(v)));
            add_inputs(cases, spec, from.inputs);
        }
    }
    return {};
}

void list_sampling(const CaseSources& from, std::vector<CaseSpec>& cases) {
    const auto forms = sampling_forms();
    for (size_t i = 0; i < forms.size(); i += std::max(1u, from.sample)) {
        CaseSpec spec;
        spec.kind = CaseKind::Sampling;
        spec.name = "sampling/" + forms[i].name;
        spec.number = i;
        for (const auto& group : groups_of(forms[i], static_cast<uint32_t>(i))) {
            spec.input = group.number;
            cases.push_back(spec);
        }
    }
}

void list_generated(const CaseSources& from, std::vector<CaseSpec>& cases) {
    for (uint64_t i = 0; i < from.generated; i += std::max(1u, from.sample)) {
        CaseSpec spec;
        spec.kind = CaseKind::Generated;
        spec.name = fmt::format("generated/{}/{}", from.seed, i);
        spec.number = i;
        add_inputs(cases, spec, from.inputs);
    }
}

}  // namespace

std::string id_of(const CaseSpec& spec) {
    return spec.input == 0 ? spec.name : fmt::format("{}#{}", spec.name, spec.input);
}

tl::expected<std::vector<CaseSpec>, std::string> list_cases(const CaseSources& sources, const CaseChoice& choice) {
    std::vector<CaseSpec> all;
    if (!sources.paths.empty())
        if (auto error = list_files(sources, all); !error.empty()) return Error(error);
    if (sources.sampling) list_sampling(sources, all);
    list_generated(sources, all);
    if (!choice.filter.empty()) {
        const auto filter = compile_pattern(choice.filter);
        if (!filter) return Error(filter.error());
        std::erase_if(all, [&](const CaseSpec& spec) { return !occurs(*filter, id_of(spec)); });
    }
    if (choice.shards <= 1) return all;
    std::vector<CaseSpec> mine;
    for (size_t i = choice.shard; i < all.size(); i += choice.shards) mine.push_back(std::move(all[i]));
    return mine;
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
