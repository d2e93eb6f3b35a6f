#include "api/append.h"

// Not <fmt/format.h>: with the formatter's templates in sight, this file would take 4 s to compile, to have once more
// what libfmt has.
#ifdef __GNUC__
#pragma GCC visibility push(default)  // libfmt has the instances, which clang would look for in this library alone
#endif
#include <fmt/core.h>
#ifdef __GNUC__
#pragma GCC visibility pop
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
