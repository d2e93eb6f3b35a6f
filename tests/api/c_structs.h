// The structs and enumerants of the public headers by name, read from their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace tgsi2spv::test {

struct CMember {
    std::string type;
    size_t offset, size, count;  ///< of one element; how many
};

struct CHeaders {
    std::map<std::string, std::map<std::string, CMember>> structs;
    std::map<std::string, size_t> sizes;
    std::map<std::string, uint32_t> constants;  ///< without TGSI2SPV_
};
const CHeaders& c_headers();

/// The member that a path like `kinds[0].is_set` names. Null, with a failed test: there is none.
void* member_at(void* object, const std::string& type, const std::string& path);
/// ` prefix.member=value` for each word of a struct that is not 0; without its pointers.
std::string set_members(const void* object, const std::string& type, const std::string& prefix);
/// The value of names and numbers with | between them.
uint32_t c_value(const std::string& words);

}  // namespace tgsi2spv::test
