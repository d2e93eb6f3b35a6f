// The guest's agent is this test, at the other end of the port.
#include "machine/agent/agent.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tgsi2spv::vdagent {
namespace {

using testing::ElementsAre;
using Words = std::vector<uint32_t>;

constexpr uint32_t kAll = 1 << kCanSetMonitors | 1 << kCanClipboardByDemand | 1 << kCanSelection;

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

class Agents : public testing::Test {
  protected:
    Agents() {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
        guest = process::Descriptor(ends[0]);
        agent.emplace(
            process::Descriptor(ends[1]), [this](const std::string& text) { texts.push_back(text); },
            [this] { return shown; }, log);
    }
    void step() {
        std::vector<pollfd> waits;
        agent->add_waits(waits);
        EXPECT_GE(poll(waits.data(), waits.size(), 0), 0);
        agent->serve(waits);
    }
    /// By pieces of so many bytes.
    void write_all(std::span<const std::byte> bytes, size_t piece = 4096) {
        while (!bytes.empty()) {
            const auto part = bytes.first(std::min(piece, bytes.size()));
            ASSERT_EQ(send(guest.number(), part.data(), part.size(), MSG_NOSIGNAL), static_cast<ssize_t>(part.size()));
            step();
            bytes = bytes.subspan(part.size());
        }
    }
    void say(uint32_t type, const Words& words, const std::string& content = {}) {
        std::vector<std::byte> bytes;
        write(bytes, static_cast<Message>(type), words, bytes_of(content));
        write_all(bytes);
    }
    struct Heard {
        uint32_t type = 0;
        Words words;  ///< the first two
        std::string content;
    };
    /// All messages that are there.
    std::vector<Heard> hear() {
        std::vector<Heard> all;
        for (;;) {
            std::array<std::byte, 65536> buffer;
            step();
            const ssize_t got = recv(guest.number(), buffer.data(), buffer.size(), 0);
            if (got <= 0) return all;
            for (std::span<const std::byte> bytes(buffer.data(), static_cast<size_t>(got)); !bytes.empty();) {
                EXPECT_TRUE(reader.read(bytes));
                if (!reader.has_message()) continue;
                const auto message = reader.message();
                Heard heard{reader.type(), Words(2), {}};
                EXPECT_GE(message.size(), 8u);
                std::memcpy(heard.words.data(), message.data(), 8);
                heard.content.assign(reinterpret_cast<const char*>(message.data()) + 8, message.size() - 8);
                all.push_back(std::move(heard));
            }
        }
    }
    void greet() {
        say(kCapabilities, {1, kAll});
        ASSERT_THAT(hear(), ElementsAre(testing::Field(&Heard::type, kCapabilities)));
    }

    /// Of each size that it has heard of since.
    std::vector<Size> hear_sizes() {
        std::vector<Size> sizes;
        for (const Heard& heard : hear()) {
            std::array<uint32_t, 2> monitor{};  // height before width
            EXPECT_EQ(heard.type, kMonitorsConfig);
            std::memcpy(monitor.data(), heard.content.data(), sizeof monitor);
            sizes.push_back({monitor[1], monitor[0]});
        }
        return sizes;
    }

    Size shown{1280, 800};
    std::vector<std::string> texts, lines;
    process::Log log{"test", 1000, [this](const std::string& line) { lines.push_back(line); }};
    process::Descriptor guest;
    std::optional<Agent> agent;
    Reader reader;
};

TEST_F(Agents, TextOfTheGuestComesOnceItIsGrabbed) {
    greet();
    say(kClipboard, {0, kUtf8}, "nobody has asked");
    say(kClipboardGrab, {0, kUtf8});
    const auto asked = hear();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].type, kClipboardRequest);
    EXPECT_THAT(asked[0].words, ElementsAre(0, kUtf8));
    say(kClipboard, {0, kUtf8}, "gr\xc3\xbc\xc3\x9f");
    say(kClipboard, {0, kUtf8}, "again");
    EXPECT_THAT(texts, ElementsAre("gr\xc3\xbc\xc3\x9f"));
}

TEST_F(Agents, TextThatIsNotUtf8HasQuestionMarks) {
    const std::array<std::pair<std::string, std::string>, 7> rows{{{"\xff\xc3*", "??*"},
                                                                   {"\xc0\xaf", "??"},
                                                                   {"\xe0\x80\xaf", "???"},
                                                                   {"\xed\xa0\x80", "???"},
                                                                   {"\xf4\x90\x80\x80", "????"},
                                                                   {"\xe2\x82", "??"},
                                                                   {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}}};
    greet();
    for (const auto& [copied, seen] : rows) {
        say(kClipboardGrab, {0, kUtf8});
        say(kClipboard, {0, kUtf8}, copied);
        EXPECT_EQ(texts.back(), seen);
        hear();
        agent->offer(copied);
        say(kClipboardRequest, {0, kUtf8});
        EXPECT_EQ(hear().back().content, seen) << "to the guest, too";
    }
}

TEST_F(Agents, PicturesAndThePrimarySelectionAreLeftAlone) {
    greet();
    say(kClipboardGrab, {0, 2});
    say(kClipboardGrab, {1, kUtf8});
    say(kClipboardRequest, {1, kUtf8});
    EXPECT_TRUE(hear().empty());
}

TEST_F(Agents, TextOfViewersIsOfferedAndGivenWhenAProgramPastes) {
    greet();
    const std::string text(100'000, 'x');
    agent->offer(text);
    const auto offered = hear();
    ASSERT_EQ(offered.size(), 1u);
    EXPECT_EQ(offered[0].type, kClipboardGrab);
    say(kClipboardRequest, {0, kUtf8});
    const auto given = hear();
    ASSERT_EQ(given.size(), 1u);
    EXPECT_EQ(given[0].type, kClipboard);
    EXPECT_EQ(given[0].content, text);
}

TEST_F(Agents, AnAgentThatComesLaterIsToldWhatWasAskedFor) {
    agent->offer("early");
    EXPECT_FALSE(agent->ask_for_size({800, 600}));
    EXPECT_EQ(agent->time_to_wait(), -1);
    EXPECT_TRUE(hear().empty());
    EXPECT_THAT(lines, ElementsAre(testing::HasSubstr("no agent has answered"))) << "once";
    say(kCapabilities, {1, kAll});
    EXPECT_EQ(hear().size(), 3u);  // an answer, the offer, and the size
    say(kClipboardGrab, {0, 2});   // a program of the guest has copied something else
    say(kCapabilities, {1, kAll});
    EXPECT_EQ(hear().size(), 1u);
}

TEST_F(Agents, SizesAreSetByAgentsThatCan) {
    greet();
    EXPECT_TRUE(agent->ask_for_size({800, 600}));
    const auto asked = hear();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].type, kMonitorsConfig);
    EXPECT_THAT(asked[0].words, ElementsAre(1, 0));
    std::array<uint32_t, 5> monitor;
    ASSERT_EQ(asked[0].content.size(), sizeof monitor);
    std::memcpy(monitor.data(), asked[0].content.data(), sizeof monitor);
    EXPECT_THAT(monitor, ElementsAre(600, 800, 32, 0, 0));  // height before width
}

TEST_F(Agents, ABusyDesktopIsAskedForOneSizeAtATimeTheNewest) {
    greet();
    for (uint32_t i = 0; i < 1000; i++) EXPECT_TRUE(agent->ask_for_size({800 + i, 600}));
    EXPECT_THAT(hear_sizes(), ElementsAre(Size{800, 600}));
    EXPECT_GT(agent->time_to_wait(), 0);
    shown = {};  // the display is off before it has another mode
    EXPECT_TRUE(hear_sizes().empty());
    shown = {800, 600};
    EXPECT_THAT(hear_sizes(), ElementsAre(Size{1799, 600}));
    EXPECT_EQ(agent->time_to_wait(), -1);
}

TEST_F(Agents, ADesktopThatKeepsItsSizeIsAskedForTheNextOneLater) {
    greet();
    agent->ask_for_size({800, 600});
    agent->ask_for_size({900, 600});
    EXPECT_THAT(hear_sizes(), ElementsAre(Size{800, 600}));
    EXPECT_EQ(poll(nullptr, 0, agent->time_to_wait()), 0);
    EXPECT_EQ(agent->time_to_wait(), 0);
    EXPECT_THAT(hear_sizes(), ElementsAre(Size{900, 600}));
    shown = {896, 600};
    agent->ask_for_size({896, 600});  // which it has: nothing to wait for
    agent->ask_for_size({800, 600});
    EXPECT_THAT(hear_sizes(), ElementsAre(Size{896, 600}, Size{800, 600}));
}

TEST_F(Agents, MessagesComeInAnyPieces) {
    std::vector<std::byte> bytes;
    write(bytes, kCapabilities, std::array{0u, kAll});
    write(bytes, kClipboardGrab, std::array{0u, uint32_t{kUtf8}});
    write(bytes, kClipboard, std::array{0u, uint32_t{kUtf8}}, bytes_of(std::string(5000, 'y')));
    for (const size_t piece : {1, 7, 2056}) write_all(bytes, piece);
    EXPECT_THAT(texts, ElementsAre(std::string(5000, 'y'), std::string(5000, 'y'), std::string(5000, 'y')));
}

TEST_F(Agents, LongTextsAndThePortOfTheServerArePassedOver) {
    greet();
    say(kClipboardGrab, {0, kUtf8});
    say(kClipboard, {0, kUtf8}, std::string(kMostText + 1, 'z'));
    constexpr std::array<uint32_t, 3> kToServer{kServerPort, 4, 0xffffffff};
    write_all(std::as_bytes(std::span(kToServer)));
    say(kClipboard, {0, kUtf8}, "short");
    EXPECT_THAT(texts, ElementsAre("short"));
}

TEST_F(Agents, AfterABrokenProtocolTheNextAgentCounts) {
    greet();
    const std::array<uint32_t, 7> wrong{kClientPort, 20, 2, kClipboard, 0, 0, 0};  // another protocol
    write_all(std::as_bytes(std::span(wrong)));
    EXPECT_FALSE(agent->ask_for_size({800, 600}));
    EXPECT_THAT(lines, testing::Contains(testing::HasSubstr("the agent breaks its protocol")));
    say(kCapabilities, {1, kAll});
    EXPECT_THAT(hear(), testing::Contains(testing::Field(&Heard::type, kCapabilities)));
    EXPECT_TRUE(agent->ask_for_size({800, 600}));
}

TEST_F(Agents, AnAgentThatIsKilledInAMessageIsFollowedByAnother) {
    greet();
    std::vector<std::byte> text;
    write(text, kClipboard, std::array{0u, uint32_t{kUtf8}}, bytes_of(std::string(5000, 'y')));
    for (const ptrdiff_t written : {1, 30, 1000, 2056, 4000}) {
        std::vector<std::byte> bytes(text.begin(), text.begin() + written);
        write(bytes, kCapabilities, std::array{1u, kAll});
        write_all(bytes);
        EXPECT_THAT(hear(), ElementsAre(testing::Field(&Heard::type, kCapabilities)));
        say(kClipboardGrab, {0, kUtf8});
        hear();
        say(kClipboard, {0, kUtf8}, "copied");
        EXPECT_THAT(texts, ElementsAre("copied")) << "after " << written << " bytes";
        texts.clear();
    }
}

TEST_F(Agents, AGuestThatDoesNotReadCostsABoundedAmount) {
    greet();
    agent->offer(std::string(kMostText, 'x'));
    for (int i = 0; i < 100; i++) say(kClipboardRequest, {0, kUtf8});
    size_t bytes = 0;
    for (const Heard& heard : hear()) bytes += heard.content.size();
    EXPECT_LE(bytes, 6u << 20);  // what waits, the one that was too much, and the socket's own
    EXPECT_GE(bytes, 4u << 20);
}

}  // namespace
}  // namespace tgsi2spv::vdagent
