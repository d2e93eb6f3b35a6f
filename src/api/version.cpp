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
                                      "an argument of the call is wrong",
                                      "out of memory",
                                      "the text is no TGSI program",
                                      "the program needs what Vulkan, the target or the device lacks",
                                      "a limit was reached",
                                      "an internal error",
                                      "a file or folder could not be made, read or written"};
    const auto n = static_cast<size_t>(status);
    return n < std::size(kTexts) ? kTexts[n] : "no status";
}
