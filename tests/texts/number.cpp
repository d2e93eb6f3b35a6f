#include "texts/number.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace tgsi2spv::test {

std::vector<uint32_t> Number::words() const {
    const auto low = static_cast<uint32_t>(bits), high = static_cast<uint32_t>(bits >> 32);
    return is_wide ? std::vector{low, high} : std::vector{low};
}

bool parse_number(const std::string& text, Number& n) {
    const auto word = [](double x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); };
    if (const size_t colon = text.find(':'); colon != std::string::npos) {
        n = {word(std::strtod(text.c_str(), nullptr) / std::strtod(text.c_str() + colon + 1, nullptr)), false};
        return true;
    }
    const bool hex = text.find("0x") != std::string::npos,
               wide = (!hex || text.find('p') != text.npos) && text.ends_with('d');
    const bool is_float = hex ? text.find('p') != std::string::npos : text.find_first_of(".nfe^") != std::string::npos;
    char* end = nullptr;
    double x = 0;
    if (const size_t power = text.find("2^"); power != std::string::npos)
        x = std::ldexp(power == 1 ? -1 : 1, static_cast<int>(std::strtol(text.c_str() + power + 2, &end, 10)));
    else if (is_float || wide)
        x = std::strtod(text.c_str(), &end);
    if (wide)
        n = {std::bit_cast<uint64_t>(x), true};
    else if (is_float)
        n = {hex || text.find('^') != text.npos ? word(x) : std::bit_cast<uint32_t>(std::strtof(text.c_str(), &end)),
             false};
    else
        n = {text.starts_with('-') ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                   : std::strtoull(text.c_str(), &end, 0),
             text.ends_with('q')};
    if (!n.is_wide) n.bits = static_cast<uint32_t>(n.bits);
    return !text.empty() && end == text.c_str() + text.size() - n.is_wide;
}

}  // namespace tgsi2spv::test
