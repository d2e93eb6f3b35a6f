#include "inputs/json.h"

#include "files/json_shape.h"

namespace tgsi2spv::difftest {

namespace {
constexpr size_t kMaxDepth = 1000;
}

tl::expected<Json, std::string> read_json(std::string_view text) {
    if (std::string fault = json_shape_fault<Json>(text, kMaxDepth); !fault.empty())
        return tl::unexpected(std::move(fault));
    try {
        return Json::parse(text);
    } catch (const Json::exception& e) {
        // "[json.exception.parse_error.101] parse error at …"
        const std::string what = e.what();
        const auto name = what.find("] ");
        return tl::unexpected<std::string>(what.substr(name == what.npos ? 0 : name + 2));
    }
}

std::optional<Json> read_object(std::string_view text) {
    auto json = read_json(text);
    if (!json || !json->is_object()) return std::nullopt;
    return std::move(*json);
}

std::string json_line(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tgsi2spv::difftest
