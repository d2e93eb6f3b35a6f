#include "output_cache.h"

#include <span>
#include <utility>
#include <vector>

namespace tools {

using namespace tgsi2spv;

bool OutputCache::open(const std::string& folder, std::string options, std::string device, bool names) {
    options_ = std::move(options);
    device_ = std::move(device);
    names_ = names;
    open_ = folder_.open(folder);
    return open_;
}

api::Key OutputCache::key_of(std::string_view name, std::string_view text) const {
    api::Key key;
    api::Hasher h(&key.request);
    h.text(tgsi2spv_version_string());
    h.text(options_);
    h.text(device_);
    h.text(names_ ? name : "");
    h.text_by_reference(text);
    key.hash = h.finish();
    key.text = text;
    return key;
}

bool OutputCache::load(std::string_view name, std::string_view text, std::string& output) const {
    std::pmr::vector<uint8_t> bytes;
    if (!open_ || !folder_.load(key_of(name, text), bytes)) return false;
    output.assign(bytes.begin(), bytes.end());
    return true;
}

void OutputCache::store(std::string_view name, std::string_view text, std::string_view output) const {
    if (!open_) return;
    const auto* bytes = reinterpret_cast<const uint8_t*>(output.data());
    (void)folder_.store(key_of(name, text), std::span(bytes, output.size()));
}

}  // namespace tools
