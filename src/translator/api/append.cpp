#include "api/append.h"

// With the formatter's templates in sight, this file takes 4 s to compile, only to instantiate again what libfmt has.
// clang mangles one instance otherwise than gcc, which compiled libfmt.
#ifdef __clang__
#include <fmt/format.h>
#else
#include <fmt/core.h>
#endif

namespace tgsi2spv::api {

void append_formatted(std::pmr::string& out, fmt::string_view format, fmt::format_args args) {
    char text[256];
    const size_t size = fmt::vformat_to_n(text, sizeof text, format, args).size;
    if (size <= sizeof text) {
        out.append(text, size);
        return;
    }
    const size_t at = out.size();
    out.resize(at + size);
    fmt::vformat_to_n(out.data() + at, size, format, args);
}

}  // namespace tgsi2spv::api
