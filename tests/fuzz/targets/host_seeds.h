// Seeds of the targets of the host: messages, commands and recordings, as their descriptions say.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "machine_guest.h"

namespace fuzz {

inline std::string words(const std::vector<uint32_t>& list) {
    std::string out(list.size() * 4, '\0');
    if (!list.empty()) std::memcpy(out.data(), list.data(), out.size());
    return out;
}

/// Names and bytes: command buffers.
inline std::vector<std::pair<std::string, std::string>> virgl_seeds() {
    const auto command = [](uint32_t number, std::vector<uint32_t> list, uint32_t object = 0) {
        list.insert(list.begin(), number | object << 8 | static_cast<uint32_t>(list.size()) << 16);
        return words(list);
    };
    const std::string begin = command(29, {1}) + command(28, {1});
    const std::string upload = command(43, {5, 0, 0, 0, 0, 0, 0, 4, 4, 1, 1, 0, 0, 1});
    const std::string copy = command(45, {5, 0, 16, 64, 0, 0, 0, 4, 4, 1, 1, 6, 0, 0});
    const std::string shader = command(1, {7, 0, 16, 10, 0, 0x54524556, 0x444e450a, 0x0a, 0}, 4);
    const std::string outputs = command(1, {8, 2, 4, 10, 1, 4, 0, 0, 0, 0x401, 0, 0x4d4f4547}, 4);
    const std::string query = command(1, {9, 0, 0, 6}, 9) + command(19, {9}) + command(20, {9}) + command(21, {9, 0});
    const std::string draw = command(6, {16, 0, 5}) + command(7, {4, 0, 0, 0, 0, 0, 0, 0}) +
                             command(8, {0, 3, 4, 0, 1, 0, 0, 0, 0, 0, 2, 0});
    return {{"draw", begin + draw},
            {"transfers", begin + upload + copy},
            {"shaders", begin + shader + outputs},
            {"query", begin + query},
            {"nothing", command(44, {0, 0, 0, 0})}};
}

/// Sessions of all versions, and recordings.
inline std::vector<std::pair<std::string, std::string>> vtest_seeds() {
    const std::string hello = words({8, 8}) + std::string("example\0", 8);
    const std::string caps = words({0, 9, 0, 1}), transfer = words({5, 0, 16, 64, 0, 0, 0, 4, 1, 1, 16});
    std::vector<std::pair<std::string, std::string>> seeds{
        {"version-0", hello + caps + words({10, 2, 5, 2, 1, 8, 4, 4, 1, 1, 0, 0}) + words({15, 5}) + transfer +
                          std::string(16, 'x') + words({11, 4}) + transfer + words({2, 7, 5, 1, 1, 3, 5})},
        {"version-2", hello + words({0, 10, 2, 7, 0, 0, 1, 11, 2}) + caps +
                          words({11, 12, 5, 2,  1,  8, 4, 4, 1, 1, 0, 0, 64, 14, 14, 5, 0, 0, 0, 0, 4, 4,
                                 1,  16, 0, 10, 13, 5, 0, 0, 0, 0, 4, 4, 1,  64, 0,  2, 7, 5, 1, 1, 3, 5})},
        {"version-3",
         hello + words({1, 11, 3}) + caps + words({12, 6, 48 | 11 << 16, 0, 64, 16, 4096, 1, 1, 1, 0, 0, 6, 7, 6, 18,
                                                   2,  1, 4096,          0, 7,  0,  2,    7, 1, 1, 1, 3, 1})}};
    const std::string resources =
        words({11, 12, 5, 2, 1, 8, 4, 4, 1, 1, 0, 0, 64, 11, 12, 6, 0, 64, 1 << 17, 16, 1, 1, 1, 0, 0, 16});
    for (const auto& [name, commands] : virgl_seeds())
        seeds.emplace_back("submit-" + name, hello + words({1, 11, 2}) + resources +
                                                 words({static_cast<uint32_t>(commands.size() / 4), 6}) + commands);
    seeds.emplace_back("recording",
                       "rtgsi-host recording 1.0\n" + words({308}) + std::string(308, '\0') +
                           words({1, 44, 5, 2, 1, 8, 4, 4, 1, 1, 0, 0, 16, 9,  12, 5, 0, 7, 3,  4, 0, 7, 48, 5, 0,
                                  0, 0,  0, 0, 0, 1, 1, 1, 0, 0, 8, 4, 5,  10, 12, 5, 0, 7, 11, 4, 5, 2, 4,  5}));
    return seeds;
}

/// Drivers' actions on a device, for machine.cpp.
inline std::vector<std::pair<std::string, std::string>> machine_seeds() {
    // A command of the control queue, with or without a fence; its words are below 0xf0.
    const auto command = [](uint8_t row, const std::vector<uint8_t>& words, bool fence = false, uint8_t context = 1) {
        std::string action{'\x09', static_cast<char>(row), static_cast<char>(context << 2 | (fence ? 1 : 0)),
                           static_cast<char>(words.size())};
        return action.append(words.begin(), words.end());
    };
    const std::string connect = "\x05", answer = "\x06\x03\x20\x03\x58\x02", read{"\x06\x01\0\0\0\0", 6};
    const std::string flat = command(1, {1, 1, 32, 32}) + command(6, {1, 1, 0x40, 0, 64, 0});
    const std::string shown = command(3, {0, 0, 32, 32, 0, 1}) + command(5, {0, 0, 32, 16, 0, 0, 1, 0}) +
                              command(4, {0, 0, 32, 32, 1, 0}, true);
    std::string cursor = command(1, {2, 1, 64, 64}) + "\x89";
    cursor.append({0, 0, 8, 0, 5, 5, 0, 2, 1, 1, 0});
    const std::string drawn = command(0x80, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) +
                              command(0x84, {3, 2, 1, 2, 8, 8, 1, 1, 0, 0, 0, 0}) + command(6, {3, 1, 0x40, 0, 64, 0}) +
                              command(0x82, {3, 0}) + command(0x87, {8, 0, 1, 2}, true) +
                              command(0x85, {0, 0, 0, 8, 8, 1, 0, 0, 3, 0, 0, 0}) +
                              command(0x86, {0, 0, 0, 8, 8, 1, 0, 0, 3, 0, 0, 0}, true) + command(0x83, {3, 0}) +
                              command(0x85, {0, 0, 0, 8, 8, 1, 0, 0, 3, 0, 0, 0}) + command(0x81, {});
    const std::string asked =
        connect + command(0, {}) + answer + command(10, {0, 0}) + answer + command(8, {1, 0}) + command(9, {2, 2});
    const std::string restarted{"\x03\x01\x83\x01\x04\0\x04\x01", 8};
    const std::string broken{"\x08\0\0\x18\x40\0\x04\x01\x01\0\0\x02\xff\xff\x07", 15};
    std::string guest = connect;
    for (const auto& [type, fence, context, words] : sent_by_a_guest()) {
        std::string action = command(type & 0x7f, words, fence != 0, context);
        if (type >= 0x300) action[0] = '\x89';
        if (type >> 8 == 2) action[1] = static_cast<char>(action[1] | 0x80);
        guest += action;
        if (type == 0x100 || type == 0x10a) guest += answer;
    }
    return {{"flat", connect + flat + shown + read},
            {"guest", guest + read},
            {"cursor", connect + cursor},
            {"drawn", drawn},
            {"asked", asked},
            {"restarted", flat + restarted + shown},
            {"broken", flat + broken + restarted + flat}};
}

/// Actions of viewers' processes and of the driver of a keyboard and a pointer, for viewers.cpp.
inline std::vector<std::pair<std::string, std::string>> viewers_seeds() {
    using namespace std::string_literals;
    const auto event = [](uint8_t kind, uint16_t a, uint16_t b, uint16_t c) {
        std::string bytes{'\x01', static_cast<char>(kind)};
        for (const uint16_t word : {a, b, c}) bytes.append({static_cast<char>(word), static_cast<char>(word >> 8)});
        return bytes;
    };
    const std::string enter = "\0"s, leave = "\x03", read = "\x04", kick = "\x0e\x1e";
    // A buffer in each descriptor of both events' rings.
    std::string buffers;
    for (const char device : {'\x06', '\x16'})
        for (char i = 0; i < 4; i++)
            buffers += std::string{
                static_cast<char>(device + 1), i, '\0', static_cast<char>(1 + i), 8, '\0', 2, '\0', device, i};
    const std::string typed = event(1, 30, 1, 0) + event(1, 30, 0, 0) + event(1, 42, 1, 0),
                      pointed = event(2, 100, 200, 0) + event(2, 32767, 0, 0x19f) + event(2, 1, 1, 0x60);
    std::string config;
    for (const char device : {'\x05', '\x15'})
        for (const auto& [what, of] :
             std::vector<std::pair<char, char>>{{1, 0}, {3, 0}, {0x11, 1}, {0x11, 2}, {0x11, 3}, {0x12, 1}})
            config += std::string{device, 0, 1, what, of};
    std::string crowd;
    for (int i = 0; i < 20; i++) crowd += '\xe0';
    return {{"typed", enter + buffers + typed + kick + leave},
            {"pointed", enter + pointed + buffers + kick + enter + pointed + leave},
            {"sized", enter + event(3, 800, 600, 0) + "\x0b" + event(3, 64, 64, 0) + "\x1b" + event(3, 65, 65, 0)},
            {"shown", enter + "\x0a\0\x20\x21"s + read + "\x0a\0\x21\x20\x0a\1\x10\x10"s + enter + read},
            {"config", config},
            {"restarted", enter + buffers + typed + "\x09\x49\x0c\x0d" + buffers + pointed + kick},
            {"pieces", enter + "\x02\x05\1\0\0\0\x1e"s + "\x02\x0b\0\0\0\1\0\0\0\0\0\0\0"s + leave},
            {"copied", enter + "\x0f\x06\1\x62\0"s + "\x0f\x07\0\1\0\x0f\x04\0\1\4text"s + read + event(4, 4, 0, 0) +
                           event(1, 2, 3, 4) + "\x0f\x08\0\1\0"s + event(3, 640, 480, 0)},
            {"agent", "\xff\x0c\1\0\0\0\0\1\0\0wrong"s},
            {"crowd", crowd + "\xf0\xc0\xb0\xd0"s}};
}

/// What a machine and a viewer write to the viewer's process, for viewer.cpp.
inline std::vector<std::pair<std::string, std::string>> viewer_seeds() {
    using namespace std::string_literals;
    const auto both = [](const std::string& machine, const std::string& viewer) {
        return std::string{static_cast<char>(machine.size()), static_cast<char>(machine.size() >> 8)} + machine +
               viewer;
    };
    const std::string frame = words({8, 0, 20 + 4 * 4, 0, 1, 2, 2, 2, 1, 2, 3, 4}), off = words({7, 0, 12, 0, 0, 0}),
                      moved = words({4, 0, 12, 0, 3, 3}) + words({5, 0, 12, 0, 3, 3}), stays = words({0x100, 0, 0});
    std::string cursor = words({6, 0, 20 + 64 * 64 * 4, 0, 1, 1, 2, 2});
    cursor.resize(cursor.size() + 64 * 64 * 4, '\x90');
    // Raw, a cursor, extended keys, sizes; an update of everything; keys, the pointer, a size.
    const std::string encodings = "\2\0\0\5\0\0\0\0\xff\xff\xff\x11\xff\xff\xfe\xfe\xff\xff\xfe\xcc\xff\xff\xff\x21"s,
                      update = "\3\0\0\0\0\0\0\x28\0\x1e"s,
                      keys = "\4\1\0\0\0\0\0\x61\4\0\0\0\0\0\xff\x0d\xff\0\0\1\0\0\0\x61\0\0\0\x1e"s,
                      pointer = "\5\1\0\x0a\0\x0b\5\0\xff\xff\xff\xff"s,
                      resized = "\xfb\0\0\x80\0\x60\1\0\0\0\0\1\0\0\0\0\0\x80\0\x60\0\0\0\0"s,
                      format = "\0\0\0\0\x10\x10\1\1\0\x1f\0\x3f\0\x1f\0\5\x0b\0\0\0"s, text = "\6\0\0\0\0\0\0\3abc"s;
    return {{"seen", both(frame, encodings + update)},
            {"cursor", both(cursor + moved, encodings + update)},
            {"typed", both(frame + off, encodings + keys + pointer)},
            {"sized", both(words({7, 0, 12, 0, 64, 20}) + frame, encodings + update + resized + update)},
            {"long", both(words({7, 0, 0xfffffffc}), encodings + update)},
            {"line", both(words({7, 0, 12, 0, 64, 0}), encodings + pointer)},
            {"stays", both(stays, encodings + resized)},
            {"formats", both(frame, format + encodings + update + text)},
            {"copied", both(words({0x101, 0, 8, 3, 0x636261}), "\2\0\0\1\xc0\xa1\xe5\xce"s + text + update)}};
}

}  // namespace fuzz
