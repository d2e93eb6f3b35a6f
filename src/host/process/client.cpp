#include "process/client.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <utility>

namespace tgsi2spv::process {

tl::expected<Client, int> make_client(unsigned number, Log log) {
    auto progress = Shared<Progress>::create();
    if (!progress) return tl::unexpected(progress.error());
    auto pipe = make_pipe();
    if (!pipe) return tl::unexpected(pipe.error());
    return Client{.number = number,
                  .progress = std::move(*progress),
                  .log = std::move(log),
                  .printed = std::move(pipe->first),
                  .prints = std::move(pipe->second),
                  .line = {}};
}

void print_to_server(Client& client) {
    for (const int file : {STDOUT_FILENO, STDERR_FILENO}) dup2(client.prints.number(), file);
    client.prints = Descriptor();
    client.printed = Descriptor();
}

namespace {

/// The line may begin as those of a log in that process.
void log_line(Client& client) {
    const std::string from = client.number != 0 ? fmt::format("client {}: ", client.number) : std::string();
    std::string_view line = client.line;
    for (const std::string& begin : {client.log.prefix() + ": ", from})
        if (line.starts_with(begin)) line.remove_prefix(begin.size());
    client.log.line(from + std::string(line));
    client.line.clear();
}

}  // namespace

void log_printed(Client& client, bool all) {
    constexpr int kMostParts = 16;
    std::array<char, 4096> part;
    for (int i = 0; i < kMostParts; i++) {
        const ssize_t got = read(client.printed.number(), part.data(), part.size());
        if (got == 0) client.printed = Descriptor();  // closed: otherwise it would always be ready
        if (got <= 0) break;
        for (const char c : std::string_view(part.data(), static_cast<size_t>(got)))
            if (c == '\n')
                log_line(client);
            else if (client.line.size() <= kMostLineBytes)
                client.line += c;
    }
    if (all && !client.line.empty()) log_line(client);
}

namespace {

/// Keeps no other file: a connection would stay open with it.
[[noreturn]] void log_all(Client& client, int ended) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);  // it ends with the other process
    const unsigned printed = static_cast<unsigned>(client.printed.number()), last = static_cast<unsigned>(ended);
    close_range(STDERR_FILENO + 1, std::min(printed, last) - 1, 0);
    close_range(std::min(printed, last) + 1, std::max(printed, last) - 1, 0);
    close_range(std::max(printed, last) + 1, ~0u, 0);
    while (client.printed.number() >= 0) {
        pollfd wait{client.printed.number(), POLLIN, 0};
        poll(&wait, 1, -1);
        log_printed(client, false);
    }
    log_printed(client, true);
    _exit(0);
}

}  // namespace

LoggedOutput::LoggedOutput(const Log& log) {
    auto client = make_client(0, log.of_client(nullptr));
    auto end = make_pipe();
    std::fflush(nullptr);
    const pid_t process = client && end ? fork() : -1;
    if (process < 0) return;
    if (process == 0) log_all(*client, end->second.number());
    print_to_server(*client);
    ended_ = std::move(end->first);
}

LoggedOutput::~LoggedOutput() {
    if (!works()) return;
    std::fflush(nullptr);
    for (const int file : {STDOUT_FILENO, STDERR_FILENO}) close(file);
    pollfd wait{ended_.number(), POLLIN, 0};
    while (poll(&wait, 1, -1) < 0 && errno == EINTR) continue;
}

bool is_stuck(Client& client, std::chrono::seconds timeout, Clock::time_point now) {
    const uint64_t reads = (*client.progress).reads;
    const bool waits_for_guest = reads % 2 != 0;
    if (waits_for_guest || reads != client.reads) client.since = now;
    client.reads = reads;
    return now - client.since >= timeout;
}

}  // namespace tgsi2spv::process
