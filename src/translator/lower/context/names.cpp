#include "lower/context/names.h"

#include <charconv>
#include <limits>

namespace tgsi2spv::lower {

ir::Name indexed(std::string_view word, uint32_t index) {
    char digits[std::numeric_limits<uint32_t>::digits10 + 3] = {'['};
    char* const end = std::to_chars(std::begin(digits) + 1, std::end(digits), index).ptr;
    *end = ']';
    ir::Name name(word);
    name.append({digits, static_cast<size_t>(end + 1 - digits)});
    return name;
}

}  // namespace tgsi2spv::lower
