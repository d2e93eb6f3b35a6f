// The words of --dialect.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tgsi/tables/types.h"

namespace tools {

inline std::vector<std::pair<std::string, tgsi2spv::tgsi::Dialect>> dialect_words() {
    using tgsi2spv::tgsi::Dialect;
    return {
        {"auto", Dialect::Auto}, {"oldest", Dialect::Oldest}, {"middle", Dialect::Middle}, {"newest", Dialect::Newest}};
}

}  // namespace tools
