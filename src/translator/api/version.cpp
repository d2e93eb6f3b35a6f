#include <iterator>

#include "tgsi2spv/tgsi2spv.h"
#include "tgsi2spv_source_id.h"

#define TGSI2SPV_TEXT_OF(x) #x
#define TGSI2SPV_TEXT(x) TGSI2SPV_TEXT_OF(x)

uint32_t tgsi2spv_version(void) noexcept {
    return TGSI2SPV_VERSION;
}

const char* tgsi2spv_version_string(void) noexcept {
    return TGSI2SPV_TEXT(TGSI2SPV_VERSION_MAJOR) "." TGSI2SPV_TEXT(TGSI2SPV_VERSION_MINOR) "." TGSI2SPV_TEXT(
        TGSI2SPV_VERSION_PATCH) "+" TGSI2SPV_SOURCE_ID;
}

const char* tgsi2spv_status_string(tgsi2spv_status status) noexcept {
    constexpr const char* kTexts[] = {"success",
                                      "invalid argument",
                                      "out of memory",
                                      "the text is not a valid TGSI program",
                                      "the program needs something that Vulkan, the target or the device lacks",
                                      "a limit was exceeded",
                                      "internal error"};
    const auto n = static_cast<size_t>(status);
    return n < std::size(kTexts) ? kTexts[n] : "unknown status";
}
