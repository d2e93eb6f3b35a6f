#include "process/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
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
    const std::string from = fmt::format("client {}: ", client.number);
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

bool is_stuck(Client& client, std::chrono::seconds timeout, Clock::time_point now) {
    const uint64_t reads = (*client.progress).reads;
    const bool waits_for_guest = reads % 2 != 0;
    if (waits_for_guest || reads != client.reads) client.since = now;
    client.reads = reads;
    return now - client.since >= timeout;
}

}  // namespace tgsi2spv::process
