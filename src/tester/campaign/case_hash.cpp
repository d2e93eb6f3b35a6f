#include "campaign/case_hash.h"

#include <fmt/format.h>

#include "api/hash.h"
#include "cases/sources.h"
#include "tgsi2spv_source_id.h"

namespace tgsi2spv::difftest {

namespace {

std::string digits(const api::Hasher& hasher) {
    std::string text;
    for (const uint8_t byte : hasher.finish().bytes) text += fmt::format("{:02x}", byte);
    return text;
}

/// Returns the settings as workers get them, without those that do not change results.
std::string line_of(WorkerSettings settings) {
    settings.devices.clear();
    for (const Setting& s : kSettings)
        if (!s.changes_answers) set_from_text(settings.judging, s, text_of(RunSettings{}, s));
    return write(settings);
}

}  // namespace

CaseHasher::CaseHasher(WorkerSettings settings)
    : settings_(line_of(std::move(settings))), generator_(TGSI2SPV_SOURCE_ID) {}

const std::string& CaseHasher::text(const CaseSpec& spec) {
    switch (spec.kind) {
        case CaseKind::File:
            if (spec.path != path_) text_ = read_source(spec.path).value_or(std::string());
            path_ = spec.path;
            return text_;
        case CaseKind::Generated:
            return generator_;
        case CaseKind::Sampling:
            return spec.name;  // it says which form
        case CaseKind::Given:
            break;
    }
    return spec.text;
}

std::string CaseHasher::of(const CaseSpec& spec) {
    api::Hasher hasher;
    hasher.text(settings_);
    hasher.number(static_cast<uint64_t>(spec.kind));
    hasher.text(text(spec));
    hasher.number(spec.kind == CaseKind::Sampling ? 0 : spec.number);  // of a form: its place in a list
    hasher.number(spec.input);
    hasher.text(spec.inputs);
    return digits(hasher);
}

std::string hash_on(std::string_view case_hash, std::string_view driver) {
    api::Hasher hasher;
    hasher.text(case_hash);
    hasher.text(driver);
    return digits(hasher);
}

std::string hash_of_list(const std::vector<CaseSpec>& cases, std::span<const std::string> devices) {
    api::Hasher hasher;
    hasher.number(devices.size());
    for (const auto& device : devices) hasher.text(device);
    for (const auto& spec : cases) hasher.text(id_of(spec));
    return digits(hasher);
}

}  // namespace tgsi2spv::difftest
