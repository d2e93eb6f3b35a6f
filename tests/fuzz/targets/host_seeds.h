// Seeds of the targets of the host: messages, commands and recordings, as their files and the targets say.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "places.h"

namespace fuzz {

using Seeds = std::vector<std::pair<std::string, std::string>>;  ///< names and bytes

/// A number without its upper bytes, if `count` is less than four.
inline std::string bytes_of(uint32_t number, unsigned count) {
    std::string bytes;
    for (unsigned i = 0; i < count; i++) bytes += static_cast<char>(number >> 8 * i);
    return bytes;
}

inline std::ifstream open_seeds(const std::string& name) {
    return std::ifstream(tgsi2spv::test::source_path("tests/fuzz/seeds/" + name + ".txt"));
}

/// An action that gives the control queue of a machine a command. Its words are below 0xf0.
inline std::string control(uint32_t row, uint32_t context, uint32_t fence, const std::string& words) {
    return bytes_of(9 | row << 8 | (context << 2 | fence) << 16 | static_cast<uint32_t>(words.size()) << 24, 4) + words;
}

/// The seeds of a target. A name is before the lines of a seed (`NAME:`) or of a part of such (`NAME =`). In a line,
/// numbers are words or bytes, as was said last; `'text'`; `+NAME` is a part; `fill COUNT BYTE`; `part NAME` is a part
/// after its length, of two bytes. Lines of their own: `command NUMBER OBJECT WORDS` of virgl; `control ROW CONTEXT
/// FENCE WORDS` of a machine; `event KIND A B C` of a viewer.
inline Seeds read_seeds(const std::string& target, std::map<std::string, std::string> parts = {}) {
    Seeds seeds;
    std::string* into = nullptr;
    unsigned width = 4;
    std::ifstream file = open_seeds(target);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("# ")) continue;
        std::istringstream words(line);
        words >> std::setbase(0);
        std::string word;
        const auto number = [&] {
            uint32_t value = 0;
            words >> value;
            return value;
        };
        const auto numbers = [&](unsigned each) {
            std::string all;
            for (uint32_t value; words >> value;) all += bytes_of(value, each);
            return all;
        };
        if (line.ends_with(" =")) {
            into = &parts[line.substr(0, line.size() - 2)];
            continue;
        }
        if (line.ends_with(":")) {
            into = &seeds.emplace_back(line.substr(0, line.size() - 1), "").second;
            continue;
        }
        while (words >> word) {
            if (word == "words" || word == "bytes") {
                width = word == "words" ? 4 : 1;
            } else if (word == "command") {
                const uint32_t kind = number(), object = number();
                const std::string rest = numbers(4);
                *into += bytes_of(kind | object << 8 | static_cast<uint32_t>(rest.size()) << 14, 4) + rest;
            } else if (word == "control") {
                const uint32_t row = number(), context = number(), fence = number();
                *into += control(row, context, fence, numbers(1));
            } else if (word == "event") {
                const uint32_t kind = number();
                *into += bytes_of(1 | kind << 8, 2) + numbers(2);
            } else if (word == "fill") {
                const uint32_t count = number();
                into->append(count, static_cast<char>(number()));
            } else if (word == "part" && words >> word) {
                *into += bytes_of(static_cast<uint32_t>(parts.at(word).size()), 2) + parts.at(word);
            } else if (word[0] == '+') {
                *into += parts.at(word.substr(1));
            } else if (word[0] == '\'') {
                const size_t at = line.find(word), end = line.find('\'', at + 1);
                *into += line.substr(at + 1, end - at - 1);
                words.seekg(static_cast<std::streamoff>(end + 1));
            } else {
                *into += bytes_of(static_cast<uint32_t>(std::stoul(word, nullptr, 0)), width);
            }
        }
    }
    if (seeds.empty()) std::abort();
    return seeds;
}

inline Seeds virgl_seeds() {
    return read_seeds("virgl");
}

inline Seeds vtest_seeds() {
    Seeds seeds = read_seeds("vtest");
    // Sessions that submit.
    const std::string begin = std::exchange(seeds.back().second, {});
    seeds.pop_back();
    for (const auto& [name, commands] : virgl_seeds())
        seeds.emplace_back("submit-" + name,
                           begin + bytes_of(static_cast<uint32_t>(commands.size() / 4), 4) + bytes_of(6, 4) + commands);
    return seeds;
}

struct Sent {
    uint32_t type = 0, fence = 0, context = 0;
    std::vector<uint32_t> words{};  ///< after the header
};

/// What guest.txt says.
inline std::vector<Sent> sent_by_a_guest() {
    std::vector<Sent> all;
    std::ifstream file = open_seeds("guest");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Sent sent;
        if (!(words >> std::setbase(0) >> sent.type >> sent.fence >> sent.context)) continue;
        for (uint32_t word; words >> word;) sent.words.push_back(word);
        all.push_back(sent);
    }
    return all;
}

inline Seeds machine_seeds() {
    std::string guest;
    for (const auto& [type, fence, context, words] : sent_by_a_guest()) {
        std::string bytes;
        for (const uint32_t word : words) bytes += static_cast<char>(word);
        std::string action = control((type & 0x7f) | (type >> 8 == 2 ? 0x80 : 0), context, fence, bytes);
        if (type >= 0x300) action[0] = '\x89';
        guest += action;
        if (type == 0x100 || type == 0x10a) guest += std::string("\x06\x03\x20\x03\x58\x02");
    }
    return read_seeds("machine", {{"sent", guest}});
}

}  // namespace fuzz
