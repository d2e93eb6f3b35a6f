// Each message of all versions: its calls of the renderer, the guest's answer, and the valid lengths.
#include <gmock/gmock.h>

#include "guest.h"

namespace tgsi2spv::vtest::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kMade = "create 5 target 2 format 1 bind 8 4x4x1 array 1 last level 0 samples 0 memory 0";

TEST(Session, NegotiatesVersion2AsMesaDoes) {
    const Talk run(hello() + bytes_of({0, 10}) + wait_for(0, 0) + ask_version(2));
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_EQ(run.stream.received, bytes_of({0, 10, 1, 7, 0, 1, 11, 2}));
    EXPECT_THAT(run.lines, ElementsAre("log: draws for gears\n"));
}

TEST(Session, AnswersTheNewestVersionThatBothKnow) {
    for (const auto& [asked, answer] : {std::pair{0u, 0u}, {1, 0}, {2, 2}, {3, 3}, {4, 3}, {UINT32_MAX, 3}})
        EXPECT_EQ(Talk(hello() + ask_version(asked)).stream.received, bytes_of({1, 11, answer})) << asked;
    // Mesa 26 asks a second time.
    EXPECT_EQ(Talk(hello() + ask_version(4) + ask_version(2)).stream.received, bytes_of({1, 11, 3, 1, 11, 2}));
}

TEST(Session, MayOfferOnlyOlderVersions) {
    for (const uint32_t version : {0u, 2u}) {
        Limits limits;
        limits.version = version;
        EXPECT_EQ(Talk(hello() + ask_version(4), limits).stream.received, bytes_of({1, 11, version}));
    }
}

/// The caps that a guest of this version gets.
virgl::CapsV2 caps_of(uint32_t version, bool can_map) {
    const Talk run(hello() + ask_version(version) + bytes_of({0, 9}), {}, [&](Talk& r) {
        r.renderer.can_map = can_map;
        r.renderer.offered.host_feature_check_version = 22;
    });
    virgl::CapsV2 caps{};
    EXPECT_EQ(run.stream.received.size(), 12 + 8 + sizeof caps);
    std::memcpy(&caps, run.stream.received.data() + 20, sizeof caps);
    return caps;
}

TEST(Session, OffersMappedBuffersInVersion3) {
    EXPECT_EQ(caps_of(3, true).capability_bits, virgl::kCapArbBufferStorage);
    EXPECT_EQ(caps_of(3, true).host_feature_check_version, 23u);
    for (const auto& [version, can_map] : {std::pair{2u, true}, {3u, false}}) {
        EXPECT_EQ(caps_of(version, can_map).capability_bits, 0u) << version;
        EXPECT_EQ(caps_of(version, can_map).host_feature_check_version, 22u) << "the guest asks for version 2 then";
    }
}

TEST(Session, Version3GivesHandlesItself) {
    const Talk run(hello() + ask_version(3) + make2(0, 64) + make_blob(100) + make2(0, 0) + put2(1, 16) + forget(2) +
                       make2(0, 0) + wait_for(4),
                   {}, [](Talk& r) { r.renderer.keeps = true; });
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_EQ(run.stream.received, bytes_of({1, 11, 3, 1, 12, 1, 1, 18, 2, 1, 12, 3, 1, 12, 4, 1, 7, 0}));
    ASSERT_THAT(run.stream.files, SizeIs(2));
    EXPECT_THAT(run.stream.files[1], SizeIs(100));
    run.stream.files[1][99] = std::byte{5};
    EXPECT_EQ(run.renderer.memories.at(2)->bytes[99], std::byte{5}) << "the same memory";
    EXPECT_EQ(run.renderer.calls[1], "map 2 number 100000007 memory 100");
}

TEST(Session, RefusesWhatIsNotMappedMemory) {
    EXPECT_EQ(Talk(hello() + ask_version(3) + make2(1, 64)).ending, Ending::Refused) << "a handle in version 3";
    for (const Bytes& wrong : {make_blob(100, 1), make_blob(100, 3), make_blob(100, 2, 3), make_blob(0)}) {
        const Talk run(hello() + ask_version(3) + wrong);
        EXPECT_EQ(run.ending, Ending::Refused);
        EXPECT_THAT(run.renderer.calls, IsEmpty());
    }
    const Talk run(hello() + ask_version(3) + make_blob(100), {}, [](Talk& r) { r.renderer.can_map = false; });
    EXPECT_EQ(run.ending, Ending::Refused);
}

TEST(Session, SendsBothCaps) {
    const Talk run(hello() + bytes_of({0, 9, 0, 1}), {},
                   [](Talk& r) { std::memset(static_cast<void*>(&r.renderer.offered), 7, sizeof r.renderer.offered); });
    const Bytes v2(1408, std::byte{7}), v1(308, std::byte{7});
    EXPECT_EQ(run.stream.received, bytes_of({1409, 2}) + v2 + bytes_of({309, 1}) + v1);
}

TEST(Session, AnswersWhetherAResourceIsBusy) {
    const Talk idle(hello() + wait_for(9, 1) + wait_for(9, 0));
    EXPECT_EQ(idle.stream.received, bytes_of({1, 7, 0, 1, 7, 0}));
    EXPECT_THAT(idle.renderer.calls, ElementsAre("wait 9", "busy 9"));
    const Talk busy(hello() + wait_for(9, 0), {}, [](Talk& r) { r.renderer.is_busy = true; });
    EXPECT_EQ(busy.stream.received, bytes_of({1, 7, 1}));
}

TEST(Session, EndsWithItsDevice) {
    const Talk run(hello() + bytes_of({1, 6, 0, 1, 6, 0}), {}, [](Talk& r) { r.renderer.loses_device = true; });
    EXPECT_EQ(run.ending, Ending::Device);
    EXPECT_THAT(run.renderer.calls, ElementsAre("submit 0"));
}

TEST(Session, Version0SendsDataInTheMessages) {
    const Bytes where = bytes_of({5, 1, 16, 64, 1, 2, 3, 4, 5, 6, 3});
    const Bytes data = text_bytes("abc");
    const Talk run(hello() + make(5) + bytes_of({12, 5}) + where + data + bytes_of({11, 4}) + where + forget(5));
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_THAT(run.renderer.calls, ElementsAre(kMade, "write 5 level 1 strides 16 64 at 1 2 3 size 4 5 6 61 62 63",
                                                "read 5 level 1 strides 16 64 at 1 2 3 size 4 5 6 3", "destroy 5"));
    EXPECT_EQ(run.stream.received, Bytes(3, std::byte{0xab})) << "raw bytes, without a header";
}

TEST(Session, Version2SharesMemory) {
    const Talk run(hello() + ask_version(2) + make2(5, 64) + put2(5, 16) + get2(5, 8) + forget(5), {},
                   [](Talk& r) { r.renderer.keeps = true; });
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_THAT(run.renderer.calls,
                ElementsAre("create 5 target 2 format 1 bind 8 4x4x1 array 1 last level 0 samples 0 memory 64",
                            "write from memory 5 level 0 strides 0 0 at 0 0 0 size 4 4 1 16",
                            "read to memory 5 level 0 strides 0 0 at 0 0 0 size 4 4 1 8", "destroy 5"));
    ASSERT_THAT(run.stream.files, SizeIs(1));
    ASSERT_THAT(run.stream.files[0], SizeIs(64));
    run.stream.files[0][63] = std::byte{9};
    EXPECT_EQ(run.renderer.memories.at(5)->bytes[63], std::byte{9})
        << "the same memory, also after the guest forgot it";
}

TEST(Session, ResourcesWithoutDataShareNothing) {
    const Talk run(hello() + ask_version(2) + make2(5, 0) + put2(5, 0) + get2(5, 0));
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_THAT(run.stream.files, IsEmpty());
    EXPECT_THAT(run.renderer.calls, ElementsAre(kMade));
}

TEST(Session, SubmitsWordsAndGoesOnIfTheyAreRefused) {
    const Talk run(hello() + bytes_of({2, 6, 0xa, 0xb}) + bytes_of({0, 6}));
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_THAT(run.renderer.calls, ElementsAre("submit a b", "submit "));
}

TEST(Session, RefusedResourcesDoNothingButAreAnswered) {
    const Bytes make999 = bytes_of({11, 12, 5, 2, 999, 8, 4, 4, 1, 1, 0, 0, 64});
    const Talk two(hello() + ask_version(2) + make999 + put2(5, 0) + get2(5, 0) + wait_for(5) + forget(5) +
                   make2(5, 8));
    EXPECT_EQ(two.ending, Ending::Closed);
    EXPECT_THAT(two.stream.files, SizeIs(2)) << "the guest waits for the file";
    EXPECT_THAT(two.renderer.calls, ElementsAre(HasSubstr("format 999"), "wait 5", HasSubstr("format 1 ")));
    const Bytes get = bytes_of({11, 4, 5, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4});
    const Talk zero(hello() + bytes_of({10, 2, 5, 2, 999, 8, 4, 4, 1, 1, 0, 0}) + get);
    EXPECT_EQ(zero.stream.received, Bytes(4));
    const Talk read(hello() + make(5) + get, {}, [](Talk& r) { r.renderer.refuses_reads = true; });
    EXPECT_EQ(read.stream.received, Bytes(4)) << "nothing that the renderer left behind";
}

TEST(Session, UnknownResourcesDoNothingButAreAnswered) {
    const Talk zero(hello() + bytes_of({11, 4, 5, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4}) + forget(6));
    EXPECT_EQ(zero.ending, Ending::Closed);
    EXPECT_EQ(zero.stream.received, Bytes(4));
    EXPECT_THAT(zero.renderer.calls, IsEmpty());
    EXPECT_THAT(zero.lines, ElementsAre(HasSubstr("gears"), "log: resource 5 does not exist\n",
                                        "log: resource 6 does not exist\n"));
    const Talk two(hello() + ask_version(2) + put2(5, 0) + get2(5, 0));
    EXPECT_EQ(two.ending, Ending::Closed);
    EXPECT_THAT(two.renderer.calls, IsEmpty());
}

TEST(Session, RefusesHandlesThatAreNotNew) {
    for (const uint32_t version : {0u, 2u})
        for (const uint32_t handle : {0u, 5u}) {
            const auto create = [&](uint32_t h) { return version == 0 ? make(h) : make2(h, 8); };
            const Talk run(hello() + ask_version(version) + create(5) + create(handle));
            EXPECT_EQ(run.ending, Ending::Refused);
            EXPECT_THAT(run.renderer.calls, SizeIs(1));
        }
}

TEST(Session, BeginsWithCreateRenderer) {
    for (const Bytes& early : {bytes_of({0, 1}), bytes_of({0, 9}), bytes_of({0, 10}), make(5), wait_for(0, 0),
                               ask_version(2), bytes_of({0, 6})}) {
        const Talk run(early);
        EXPECT_EQ(run.ending, Ending::Refused);
        EXPECT_THAT(run.stream.received, IsEmpty());
    }
    EXPECT_EQ(Talk(hello() + hello()).ending, Ending::Refused);
    EXPECT_EQ(Talk({}).ending, Ending::Closed);
}

TEST(Session, NamesMayBeAnythingButNotEndless) {
    const Talk run(bytes_of({5, 8}) + text_bytes("a\n\x1b\xff\x01"));
    EXPECT_EQ(run.ending, Ending::Closed);
    EXPECT_THAT(run.lines, ElementsAre("log: draws for a\\x0a\\x1b\\xff\\x01\n"));
    EXPECT_EQ(Talk(bytes_of({0, 8})).ending, Ending::Closed);
    EXPECT_EQ(Talk(bytes_of({1u << 20, 8}) + Bytes(1u << 20)).ending, Ending::Closed);
    for (const uint32_t size : {(1u << 20) + 1, UINT32_MAX}) {
        const Talk long_name(bytes_of({size, 8}) + Bytes(1u << 20));
        EXPECT_EQ(long_name.ending, Ending::Refused);
        EXPECT_EQ(long_name.stream.left(), 1u << 20) << "nothing more is read";
    }
}

TEST(Session, MessagesBelongToTheirVersion) {
    const Bytes transfer = bytes_of({5, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0});
    for (const Bytes& zero : {make(5), bytes_of({11, 4}) + transfer, bytes_of({11, 5}) + transfer}) {
        EXPECT_EQ(Talk(hello() + zero).ending, Ending::Closed);
        EXPECT_EQ(Talk(hello() + ask_version(2) + zero).ending, Ending::Refused);
    }
    for (const Bytes& two : {make2(5, 8), put2(5, 0), get2(5, 0)}) {
        EXPECT_EQ(Talk(hello() + two).ending, Ending::Refused);
        EXPECT_EQ(Talk(hello() + ask_version(2) + two).ending, Ending::Closed);
    }
    for (const uint32_t version : {0u, 2u})
        EXPECT_EQ(Talk(hello() + ask_version(version) + make_blob(8)).ending, Ending::Refused);
}

TEST(Session, MessagesHaveTheirLengths) {
    struct Case {
        const char* name;
        uint32_t version, number, length, words;
        std::vector<std::pair<size_t, uint32_t>> set;  ///< words that are not 0
    };
    const std::vector<Case> cases{
        {"GET_CAPS", 0, 1, 0, 0, {}},
        {"RESOURCE_CREATE", 0, 2, 10, 10, {{0, 5}}},
        {"RESOURCE_UNREF", 0, 3, 1, 1, {}},
        {"TRANSFER_GET", 0, 4, 11, 11, {{10, 8}}},
        {"TRANSFER_PUT", 0, 5, 13, 13, {{10, 8}}},
        {"RESOURCE_BUSY_WAIT", 0, 7, 2, 2, {}},
        {"GET_CAPS2", 0, 9, 0, 0, {}},
        {"PING_PROTOCOL_VERSION", 0, 10, 0, 0, {}},
        {"PROTOCOL_VERSION", 0, 11, 1, 1, {}},
        {"RESOURCE_CREATE2", 2, 12, 11, 11, {{0, 5}}},
        {"TRANSFER_GET2", 2, 13, 10, 10, {{8, 8}}},
        {"TRANSFER_PUT2", 2, 14, 12, 10, {{8, 8}}},
        {"RESOURCE_CREATE_BLOB", 3, 18, 6, 6, {{0, 2}, {1, 1}, {2, 8}}},
    };
    for (const Case& c : cases) {
        const auto ending = [&](uint32_t length) {
            std::vector<uint32_t> words(c.words);
            for (const auto& [at, value] : c.set) words[at] = value;
            Bytes payload(words.size() * 4);
            if (!words.empty()) std::memcpy(payload.data(), words.data(), payload.size());
            return Talk(hello() + ask_version(c.version) + bytes_of({length, c.number}) + payload).ending;
        };
        EXPECT_EQ(ending(c.length), Ending::Closed) << c.name;
        for (const uint32_t wrong : {c.length - 1, c.length + 1, c.length + 4, 0x80000000 + c.length, UINT32_MAX}) {
            EXPECT_EQ(ending(wrong), Ending::Refused) << c.name << " " << wrong;
        }
        if (c.length > 0) {
            EXPECT_EQ(ending(0), Ending::Refused) << c.name;
        }
    }
}

TEST(Session, SizesOfTransfersMayBeAnyBytes) {
    for (uint32_t size = 0; size < 10; size++) {
        const uint32_t words = (size + 3) / 4;
        const Bytes at = bytes_of({5, 0, 0, 0, 0, 0, 0, 1, 1, 1, size});
        const Talk put(hello() + make(5) + bytes_of({11 + words, 5}) + at + Bytes(size, std::byte{1}) + wait_for(0));
        EXPECT_EQ(put.ending, Ending::Closed) << size;
        EXPECT_EQ(put.renderer.calls.back(), "wait 0") << "the data is not padded";
    }
    // Sizes whose words do not fit into 32 bits, and lengths that would fit if they were cut.
    for (const uint32_t size : {UINT32_MAX, UINT32_MAX - 3, (1u << 30) + 1})
        for (const uint32_t length : {11u, 11 + size / 4, 11 + size / 4 + 1}) {
            const Talk put(hello() + make(5) + bytes_of({length, 5, 5, 0, 0, 0, 0, 0, 0, 1, 1, 1, size}));
            EXPECT_EQ(put.ending, Ending::Refused) << size << " " << length;
            const Talk get(hello() + make(5) + bytes_of({11, 4, 5, 0, 0, 0, 0, 0, 0, 1, 1, 1, size}));
            EXPECT_EQ(get.ending, Ending::Refused) << size;
        }
}

TEST(Session, UnknownMessagesEndIt) {
    for (const uint32_t number : {0u, 15u, 16u, 19u, 38u, 0x80000006u, UINT32_MAX}) {
        const Talk run(hello() + bytes_of({0, number}));
        EXPECT_EQ(run.ending, Ending::Refused) << number;
        EXPECT_THAT(run.lines.back(), HasSubstr("does not exist"));
    }
}

}  // namespace
}  // namespace tgsi2spv::vtest::test
