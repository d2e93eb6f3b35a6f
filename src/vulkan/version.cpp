#include "vulkan/version.h"

#include <cctype>
#include <charconv>

namespace tgsi2spv::vulkan {

Version read_version(std::string_view text) {
    Version version;
    for (const char* at = text.data(); at != text.data() + text.size();) {
        uint32_t number = 0;
        const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
        if (error != std::errc()) break;
        version.push_back(number);
        if (end == text.data() + text.size() || *end != '.') break;
        at = end + 1;
    }
    return version;
}

Version version_of(std::string_view driver) {
    for (size_t at = 0; at < driver.size(); at++)
        if (std::isdigit(static_cast<unsigned char>(driver[at])) != 0 && (at == 0 || driver[at - 1] == ' '))
            return read_version(driver.substr(at));
    return {};
}

}  // namespace tgsi2spv::vulkan
