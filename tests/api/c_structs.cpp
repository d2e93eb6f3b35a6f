#include "api/c_structs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "places.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv::test {
namespace {

/// The members of a struct whose text this is, laid out as C does.
void add_struct(CHeaders& headers, const std::string& name, const std::string& body) {
    static const std::regex kDeclaration(R"((const )?(\w+)((?: const)?\*)*\s+([^;]*);)"), kName(R"((\w+)(\[(\d+)\])?)");
    size_t end = 0, most = 4;
    for (std::sregex_iterator d(body.begin(), body.end(), kDeclaration), none; d != none; ++d) {
        const std::string type = (*d)[2], names = (*d)[4];
        const bool is_long = (*d)[3].matched || type == "size_t" || type == "uint64_t";
        const auto inner = headers.sizes.find(type);
        const size_t size = is_long ? 8 : inner != headers.sizes.end() ? inner->second : type == "uint8_t" ? 1 : 4;
        const size_t alignment = is_long ? 8 : std::min<size_t>(size, 4);
        most = std::max(most, alignment);
        for (std::sregex_iterator n(names.begin(), names.end(), kName); n != none; ++n) {
            const size_t count = (*n)[3].matched ? std::stoul((*n)[3]) : 1;
            end = (end + alignment - 1) / alignment * alignment;
            headers.structs[name][(*n)[1]] = {type, end, size, count};
            end += size * count;
        }
    }
    headers.sizes[name] = (end + most - 1) / most * most;
}

/// `1 << n`, `(1 << n) - 1` or a number.
uint32_t enumerant(const std::string& text) {
    const size_t shift = text.find("<< ");
    if (shift == text.npos) return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 0));
    return (1u << std::stoul(text.substr(shift + 3))) - (text.starts_with('(') ? 1 : 0);
}

CHeaders read_headers() {
    CHeaders headers;
    std::string text;
    for (const char* name : {"reflection", "state", "device", ""}) {
        std::ifstream in(source_path("include/tgsi2spv/tgsi2spv" + std::string(*name != 0 ? "_" : "") + name + ".h"));
        text.append(std::istreambuf_iterator<char>(in), {});
    }
    for (size_t at = 0; (at = text.find("/*", at)) != text.npos;) text.erase(at, text.find("*/", at) + 2 - at);
    static const std::regex kType(R"(typedef (struct|enum) (\w+) \{([^}]*)\})"),
        kEnumerant(R"(TGSI2SPV_(\w+) = ([^,\n]*))");
    for (std::sregex_iterator t(text.begin(), text.end(), kType), none; t != none; ++t) {
        const std::string body = (*t)[3];
        if ((*t)[1] == "struct" && body.find("(*") == body.npos) add_struct(headers, (*t)[2], body);
        for (std::sregex_iterator e(body.begin(), body.end(), kEnumerant); e != none; ++e)
            headers.constants[(*e)[1]] = enumerant((*e)[2]);
    }
    return headers;
}

}  // namespace

const CHeaders& c_headers() {
    static const CHeaders headers = read_headers();
    return headers;
}

void* member_at(void* object, const std::string& type, const std::string& path) {
    const size_t end = std::min(path.find('.'), path.size()), bracket = std::min(path.find('['), end);
    const size_t index = bracket < end ? std::stoul(path.substr(bracket + 1)) : 0;
    const auto of = c_headers().structs.find(type);
    if (of == c_headers().structs.end() || !of->second.contains(path.substr(0, bracket))) {
        ADD_FAILURE() << type << " has no " << path;
        return nullptr;
    }
    const CMember& member = of->second.at(path.substr(0, bracket));
    void* const at = static_cast<char*>(object) + member.offset + index * member.size;
    EXPECT_LT(index, member.count) << path;
    return end < path.size() ? member_at(at, member.type, path.substr(end + 1)) : at;
}

std::string set_members(const void* object, const std::string& type, const std::string& prefix) {
    std::string text;
    for (const auto& [name, member] : c_headers().structs.at(type))
        for (size_t i = 0; i < member.count && member.size % 8 != 0; ++i) {
            const auto* const at = static_cast<const char*>(object) + member.offset + i * member.size;
            const std::string path = prefix + '.' + name + (member.count > 1 ? '[' + std::to_string(i) + ']' : "");
            uint32_t word = 0;
            std::memcpy(&word, at, sizeof word);
            if (c_headers().structs.contains(member.type))
                text += set_members(at, member.type, path);
            else if (word != 0)
                text += ' ' + path + '=' + std::to_string(word);
        }
    return text;
}

uint32_t c_value(const std::string& words) {
    uint32_t value = 0;
    std::istringstream in(words);
    for (std::string word; std::getline(in, word, '|');) {
        const auto constant = c_headers().constants.find(word);
        char* end = nullptr;
        value |= constant != c_headers().constants.end() ? constant->second
                                                         : static_cast<uint32_t>(std::strtoll(word.c_str(), &end, 0));
        EXPECT_TRUE(end == nullptr || (*end == 0 && !word.empty())) << word;
    }
    return value;
}

/// Else every row would set something else.
TEST(CStructs, AreLaidOutAsTheCompilerDoes) {
    const std::map<std::string, size_t> sizes = {
        {"tgsi2spv_options", sizeof(tgsi2spv_options)},         {"tgsi2spv_state", sizeof(tgsi2spv_state)},
        {"tgsi2spv_device_caps", sizeof(tgsi2spv_device_caps)}, {"tgsi2spv_module_info", sizeof(tgsi2spv_module_info)},
        {"tgsi2spv_resource", sizeof(tgsi2spv_resource)},       {"tgsi2spv_variable", sizeof(tgsi2spv_variable)},
        {"tgsi2spv_diagnostic", sizeof(tgsi2spv_diagnostic)},   {"tgsi2spv_binding", sizeof(tgsi2spv_binding)}};
    for (const auto& [name, size] : sizes) EXPECT_EQ(c_headers().sizes.at(name), size) << name;
    EXPECT_EQ(c_value("STATE_FLAT_SHADE|STATE_ALPHA_TEST|1"), 128u + 32 + 1);
}

}  // namespace tgsi2spv::test
