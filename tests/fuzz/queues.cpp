// fuzz-queues: damaged rings and commands against a whole back end, drawing on a device. A front end and a driver play
// what guests have sent; the driver breaks rings, changes words of commands, also while they are read. The back end
// answers each request of a right ring once, in its room; stops wrong rings; lives on; and ends with its front end.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "edges.h"
#include "machine/vhost/front_end.h"
#include "targets/host_seeds.h"

using namespace tgsi2spv;
using vhost::Request;
using vhost::test::kBase;
using vhost::test::kMiddle;
using Words = std::vector<uint32_t>;

namespace {

constexpr uint64_t kCommands = kMiddle + 0x40000, kAnswers = kMiddle + 0xc0000, kTables = kMiddle + 0xe0000;
constexpr uint32_t kOfSlot = 0x1000, kRoom = 512, kCursor = 0x300;
constexpr uint32_t kDescriptors = 4;  // of a slot
constexpr auto kToAnswer = std::chrono::seconds(60);

struct Counts {
    uint64_t queues = 0, rings = 0, commands = 0, stopped = 0, answers = 0, refused = 0;
};

/// What guests have sent: commands with headers. Contents are where this memory is, and streams are for the context of
/// kmscube.
std::vector<Words> read_guest() {
    std::vector<Words> all;
    for (const auto& [type, fence, context, words] : fuzz::sent_by_a_guest()) {
        Words command{type, fence, 0, 0, context, 0};
        command.insert(command.end(), words.begin(), words.end());
        if (type == 0x106)
            for (size_t i = 8; i + 3 < command.size(); i += 4) {
                command[i] = static_cast<uint32_t>(kMiddle) + command[i] * 64;
                command[i + 2] *= 64;
            }
        all.push_back(command);
        if (type != 0x207) continue;
        for (const auto& [name, stream] : fuzz::virgl_seeds()) {
            Words submit{type, 1, 0, 0, context, 0, static_cast<uint32_t>(stream.size()), 0};
            submit.resize(8 + stream.size() / 4);
            std::memcpy(submit.data() + 8, stream.data(), stream.size());
            all.push_back(submit);
        }
    }
    return all;
}

class BackEnd {
  public:
    BackEnd(const std::string& host, const std::string& device, uint64_t seed, Counts& counts)
        : random_(seed), counts_(counts) {
        posix_spawn_file_actions_t files;
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, front_.other.number(), 3);
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
        std::array<std::string, 8> words{host, "--fd", "3", "--virgl", "--device", device, "--limit-memory", "64"};
        std::array<char*, 9> arguments{};
        std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
        if (posix_spawn(&process_, host.c_str(), &files, nullptr, arguments.data(), environ) != 0) process_ = -1;
        posix_spawn_file_actions_destroy(&files);
        front_.other = process::Descriptor();
    }
    /// Why it failed; empty: it has not.
    std::string begin();
    std::string play(const std::vector<Words>& guest, uint64_t queues);
    std::string end();

  private:
    size_t below(size_t n) { return random_() % n; }
    std::string begin_rings();
    bool wait_for_answer();
    void offer(uint32_t queue, uint32_t slot, const Words& command);
    void damage_ring(uint32_t queue, uint32_t slots);
    void kick(uint32_t queue);
    std::string wait(uint32_t queue, bool damaged, bool& stopped);
    std::string check(uint32_t queue);

    vhost::test::GuestMemory memory_;
    std::array<vhost::test::Driver, 2> drivers_{vhost::test::Driver(memory_, kBase + 0x1000, 256),
                                                vhost::test::Driver(memory_, kBase + 0x8000, 16)};
    std::array<process::Descriptor, 2> kicks_{vhost::test::make_event(), vhost::test::make_event()},
        calls_{vhost::test::make_event(), vhost::test::make_event()},
        errors_{vhost::test::make_event(), vhost::test::make_event()};
    std::array<uint16_t, 2> seen_{};
    vhost::test::FrontEnd front_;
    std::mt19937_64 random_;
    Counts& counts_;
    pid_t process_ = -1;
};

bool BackEnd::wait_for_answer() {
    pollfd wait{front_.socket(), POLLIN, 0};
    return poll(&wait, 1, 60'000) > 0 && !front_.answer().empty();
}

std::string BackEnd::begin() {
    front_.send(Request::SetProtocolFeatures, vhost::kReplyAck | vhost::kResetDevice | vhost::kConfig);
    front_.send(Request::SetFeatures, vhost::test::kFeatures | 3);
    front_.send_memory(memory_);
    for (uint32_t i = 0; i < 2; i++) front_.send(Request::SetVringErr, uint64_t{i}, std::array{errors_[i].number()});
    return begin_rings();
}

/// As a driver does that starts.
std::string BackEnd::begin_rings() {
    for (uint32_t i = 0; i < 2; i++) {
        front_.send(Request::GetVringBase, vhost::QueueState{i, 0});
        if (!wait_for_answer()) return "no answer to GET_VRING_BASE";
    }
    front_.send(Request::ResetDevice);
    for (uint32_t i = 0; i < 2; i++) {
        drivers_[i].available() = {0, 0};
        drivers_[i].used() = {0, 0};
        seen_[i] = 0;
        vhost::test::count_of(errors_[i]);
        front_.send_ring(drivers_[i], i, 0, kicks_[i].number(), calls_[i].number());
    }
    front_.send(Request::GetFeatures);
    return wait_for_answer() ? "" : "no answer to GET_FEATURES";
}

/// A chain of one of the forms that drivers make.
void BackEnd::offer(uint32_t queue, uint32_t slot, const Words& command) {
    const uint64_t at = kCommands + uint64_t{slot} * kOfSlot, answer = kAnswers + uint64_t{slot} * kRoom;
    const auto bytes = static_cast<uint32_t>(std::min<size_t>(command.size() * 4, kOfSlot));
    memory_.write(at, std::as_bytes(std::span(command)).first(bytes));
    const uint32_t cut = below(2) == 0 ? bytes : static_cast<uint32_t>(below(bytes)), first = slot * kDescriptors;
    std::vector<vring_desc> chain{{at, cut, VRING_DESC_F_NEXT, 0}};
    if (cut < bytes) chain.push_back({at + cut, bytes - cut, VRING_DESC_F_NEXT, 0});
    chain.push_back({answer, kRoom, VRING_DESC_F_WRITE, 0});
    const bool indirect = below(3) == 0;
    for (uint32_t i = 0; i < chain.size(); i++) {
        if ((chain[i].flags & VRING_DESC_F_NEXT) != 0)
            chain[i].next = static_cast<uint16_t>((indirect ? 0 : first) + i + 1);
        (indirect ? memory_.as<vring_desc>(kTables + (first + i) * sizeof(vring_desc))
                  : drivers_[queue].descriptor(first + i)) = chain[i];
    }
    if (indirect)
        drivers_[queue].descriptor(first) = {kTables + first * sizeof(vring_desc),
                                             static_cast<uint32_t>(chain.size() * sizeof(vring_desc)),
                                             VRING_DESC_F_INDIRECT, 0};
    drivers_[queue].offer(static_cast<uint16_t>(first));
}

void BackEnd::damage_ring(uint32_t queue, uint32_t slots) {
    vhost::test::Driver& driver = drivers_[queue];
    const auto which = static_cast<uint32_t>(below(slots * kDescriptors));
    vring_desc& descriptor =
        below(2) == 0 ? driver.descriptor(which) : memory_.as<vring_desc>(kTables + which * sizeof(vring_desc));
    const auto number = static_cast<uint32_t>(random_());
    switch (below(7)) {
        case 0:
            descriptor.addr = fuzz::damaged(static_cast<uint32_t>(descriptor.addr), number, random_) |
                              (below(4) == 0 ? random_() << 32 : 0);
            return;
        case 1:
            descriptor.len = fuzz::damaged(descriptor.len, number, random_);
            return;
        case 2:
            descriptor.flags = static_cast<uint16_t>(below(8));
            return;
        case 3:
            descriptor.next = static_cast<uint16_t>(fuzz::damaged(descriptor.next, number % 64, random_));
            return;
        case 4:
            driver.available().ring[below(driver.size)] = static_cast<uint16_t>(below(driver.size + 2u));
            return;
        case 5:
            driver.available().idx = static_cast<uint16_t>(driver.available().idx + below(driver.size + 2u));
            return;
        default:
            driver.available().flags = static_cast<uint16_t>(number);
            driver.used_event() = static_cast<uint16_t>(number >> 16);
    }
}

void BackEnd::kick(uint32_t queue) {
    const uint64_t one = 1;
    if (write(kicks_[queue].number(), &one, sizeof one) != sizeof one) std::abort();
}

/// Until all requests are answered, or the ring is stopped. Damage may have hidden the call.
std::string BackEnd::wait(uint32_t queue, bool damaged, bool& stopped) {
    const auto end = std::chrono::steady_clock::now() + kToAnswer;
    vhost::test::Driver& driver = drivers_[queue];
    for (;;) {
        stopped = vhost::test::count_of(errors_[queue]) > 0;
        if (stopped && !damaged) return "a right ring is stopped";
        if (stopped || std::atomic_ref(driver.used().idx).load() == driver.available().idx) return "";
        if (waitpid(process_, nullptr, WNOHANG) == process_) return process_ = -1, "it has ended";
        if (std::chrono::steady_clock::now() > end) return "a request has no answer";
        std::array<pollfd, 2> waits{{{calls_[queue].number(), POLLIN, 0}, {errors_[queue].number(), POLLIN, 0}}};
        poll(waits.data(), waits.size(), damaged ? 1 : 100);
        vhost::test::count_of(calls_[queue]);
    }
}

/// The answers of a right ring.
std::string BackEnd::check(uint32_t queue) {
    vhost::test::Driver& driver = drivers_[queue];
    for (; seen_[queue] != driver.used().idx; seen_[queue]++) {
        const auto [id, length] = driver.used().ring[seen_[queue] % driver.size];
        if (id % kDescriptors != 0 || length > kRoom) return "an answer that was not asked for, or is too long";
        counts_.answers++;
        const auto type = memory_.as<uint32_t>(kAnswers + uint64_t{id} / kDescriptors * kRoom);
        counts_.refused += queue == 0 && type >= 0x1200;
    }
    return "";
}

std::string BackEnd::play(const std::vector<Words>& guest, uint64_t queues) {
    size_t at = 0;
    for (uint64_t i = 0; i < queues; i++, counts_.queues++) {
        // A queue is a few commands in a row, all of one ring.
        const uint32_t queue = guest[at % guest.size()][0] >= kCursor ? 1 : 0, most = queue == 0 ? 48 : 3;
        const bool damages = at >= guest.size() && below(4) == 0;
        uint32_t slots = 0;
        for (const size_t wanted = 1 + below(most); slots < wanted; slots++, at++) {
            Words command = guest[at % guest.size()];
            if ((command[0] >= kCursor) != (queue == 1)) break;
            for (size_t times = at < guest.size() ? 0 : below(3); times > 0; times--, counts_.commands++) {
                uint32_t& word = command[below(command.size())];
                word = fuzz::damaged(word, command[below(command.size())], random_);
            }
            offer(queue, slots, command);
        }
        drivers_[queue].used_event() = static_cast<uint16_t>(drivers_[queue].available().idx - 1);
        if (damages) damage_ring(queue, slots);
        kick(queue);
        // While it reads.
        if (at >= guest.size() && below(2) == 0)
            for (size_t times = below(8); times > 0; times--)
                memory_.as<uint32_t>(kCommands + below(slots * kOfSlot / 4) * 4) = static_cast<uint32_t>(random_());
        bool stopped = false;
        if (const std::string why = wait(queue, damages, stopped); !why.empty()) return why;
        counts_.rings += damages;
        counts_.stopped += stopped;
        if (damages) seen_[queue] = drivers_[queue].used().idx;  // of its answers, nothing is known
        const std::string why = stopped ? begin_rings() : check(queue);
        if (!why.empty()) return why;
        if (stopped) at = 0;
    }
    return "";
}

std::string BackEnd::end() {
    front_.close();
    int status = 0;
    for (int i = 0; process_ > 0 && i < 600; i++, usleep(100'000)) {
        if (waitpid(process_, &status, WNOHANG) != process_) continue;
        return status == 0 ? "" : "its status is " + std::to_string(status);
    }
    if (process_ > 0) kill(process_, SIGKILL), waitpid(process_, &status, 0);
    return "it does not end";
}

}  // namespace

int main(int argc, char** argv) {
    std::string host, device = "llvmpipe";
    uint64_t queues = 10'000, of_machine = 500, seed = 1;
    CLI::App app("Damage rings and commands of virtio-gpu, before a whole back end.");
    app.add_option("host", host, "tgsi-host")->required()->check(CLI::ExistingFile);
    app.add_option("--queues", queues, "Number of queues of commands");
    app.add_option("--of-machine", of_machine, "Of them, so many are of one machine");
    app.add_option("--seed", seed, "Seed of the first machine; each further one has the next number");
    app.add_option("--device", device, "Vulkan device; none: 2D only");
    CLI11_PARSE(app, argc, argv);
    const std::vector<Words> guest = read_guest();
    Counts counts;
    std::string why;
    for (; counts.queues < queues && why.empty(); seed++) {
        std::printf("seed %llu, after %llu queues\n", static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(counts.queues));
        std::fflush(stdout);
        BackEnd machine(host, device, seed, counts);
        why = machine.begin();
        if (why.empty()) why = machine.play(guest, std::min(of_machine, queues - counts.queues));
        if (const std::string at_end = machine.end(); why.empty()) why = at_end;
    }
    std::printf(
        "%llu queues: %llu damaged rings, of which %llu were stopped; %llu damaged words of commands; %llu "
        "answers, of which %llu are errors\n",
        static_cast<unsigned long long>(counts.queues), static_cast<unsigned long long>(counts.rings),
        static_cast<unsigned long long>(counts.stopped), static_cast<unsigned long long>(counts.commands),
        static_cast<unsigned long long>(counts.answers), static_cast<unsigned long long>(counts.refused));
    if (!why.empty()) std::printf("FAILED: %s\n", why.c_str());
    return why.empty() ? 0 : 1;
}
