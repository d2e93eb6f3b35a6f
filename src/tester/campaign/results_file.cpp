#include "campaign/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>

#include "cases/case_file.h"
#include "files/files.h"
#include "inputs/json.h"

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;

/// Locks the file for as long as it is open. Returns whether another process has it; a file system without locks says
/// that none has.
bool is_taken(int file) {
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// Longer than any header, and than any evidence; /dev/zero is a line without an end.
constexpr size_t kMaxHeader = size_t{1} << 20, kMaxLine = size_t{1} << 28;

/// Reads a line of at most `most` bytes. Returns false at the end of the file, for an incomplete line, and for errors.
bool next_line(std::ifstream& file, size_t most, std::string& line, bool& too_long) {
    line.clear();
    char piece[1 << 16];
    while (line.size() <= most) {
        file.getline(piece, sizeof piece);
        line.append(piece, static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
        if (file.eof() || file.bad()) return false;
        if (!file.fail()) {  // the newline is counted; getline has stored a NUL in its place
            line.pop_back();
            return true;
        }
        file.clear();
    }
    too_long = true;
    return false;
}

bool read_header(const std::string& line, RunHeader& header) {
    const auto j = read_object(line);
    if (!j || !j->contains("campaign") || !(*j)["campaign"].is_object()) return false;
    const Json& c = (*j)["campaign"];
    if (!c.contains("seed") || !c["seed"].is_number_unsigned()) return false;
    if (!c.contains("dialect") || !c["dialect"].is_string()) return false;
    for (const char* name : {"compile_only", "validation"})
        if (c.contains(name) && !c[name].is_boolean()) return false;
    const auto flag = [&](const char* name) { return c.contains(name) && c[name] == true; };
    header = {c["seed"].get<uint64_t>(), c["dialect"].get<std::string>(), flag("compile_only"), flag("validation")};
    // Older files have its number.
    if (std::string& dialect = header.dialect; !dialect.empty() && dialect[0] >= '0' && dialect[0] <= '3')
        dialect.replace(0, 1, name(static_cast<tgsi::Dialect>(dialect[0] - '0')));
    for (const char* name : {"shard", "shards", "results"})
        if (c.contains(name) && !c[name].is_number_unsigned()) return false;
    header.shard = c.value("shard", 0u);
    header.shards = c.value("shards", 1u);
    header.results = c.value("results", uint64_t{0});
    if (c.contains("list") && !c["list"].is_string()) return false;
    header.list = c.value("list", std::string());
    if (j->contains("runs") && (*j)["runs"].is_array())
        for (const Json& run : (*j)["runs"]) header.runs.push_back(read_environment(run));
    return header.shard < header.shards;
}

std::string header_line(const RunHeader& header) {
    Json line;
    line["campaign"] = {{"seed", header.seed},
                        {"dialect", header.dialect},
                        {"compile_only", header.compile_only},
                        {"validation", header.validation},
                        {"shard", header.shard},
                        {"shards", header.shards},
                        {"results", header.results}};
    if (!header.list.empty()) line["campaign"]["list"] = header.list;
    for (const Environment& run : header.runs) line["runs"].push_back(to_json(run));
    return json_line(line) + "\n";
}

/// The settings on which the meaning of results depends, as options.
std::set<std::string> options_of(const RunHeader& header) {
    std::set<std::string> options = {fmt::format("--seed {}", header.seed)};
    if (header.compile_only) options.insert("--compile-only");
    if (header.validation) options.insert("--validation");
    std::string_view rest = header.dialect;  // summary_of()
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(", "), rest.size());
        options.insert(fmt::format("--{}", rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return options;
}

}  // namespace

void put(ResultSet& set, CaseResult result) {
    const auto [place, fresh] = set.places.try_emplace({result.id, result.device}, set.results.size());
    if (fresh)
        set.results.push_back(std::move(result));
    else
        set.results[place->second] = std::move(result);
}

CaseResult together(CaseResult a, CaseResult b) {
    const auto passes = [](const CaseResult& r) { return r.status == Status::Pass || r.status == Status::Flake; };
    if (is_failure(a.status) && passes(b)) std::swap(a, b);
    if (passes(a) && is_failure(b.status)) {
        b.status = Status::Flake;
        b.message.insert(0, "passed in one run and failed in another: ");
        b.expected = b.expected && a.expected;
        return b;
    }
    // Two of one status may have been judged with different baselines, or only one of them was reduced.
    const auto order = [&](const CaseResult& r) {
        const int rank = is_failure(r.status) ? 3 : r.status == Status::Flake ? 2 : passes(r);
        return std::tuple(rank, r.status, !r.expected, !r.evidence.reduced.empty(), write_result_line(r));
    };
    return order(a) > order(b) ? a : b;
}

std::string difference_of(const RunHeader& file, const RunHeader& settings, std::string_view others) {
    const auto there = options_of(file), here = options_of(settings);
    std::vector<std::string> only_there, only_here;
    std::ranges::set_difference(there, here, std::back_inserter(only_there));
    std::ranges::set_difference(here, there, std::back_inserter(only_here));
    const auto list = [](const auto& options) { return fmt::format("{}", fmt::join(options, " ")); };
    if (only_there.empty() && only_here.empty()) return {};
    if (only_there.empty()) return fmt::format(" was made without {}", list(only_here));
    return fmt::format(" was made with {}, {} {}", list(only_there), others,
                       only_here.empty() ? "without" : "with " + list(only_here));
}

ResultsWriter::~ResultsWriter() {
    if (file_ >= 0) close(file_);
}

std::string ResultsWriter::open(const std::string& path) {
    path_ = path;
    std::error_code error;
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, error);  // opening shows if that failed
    for (;;) {
        struct stat held {
        }, named{};
        const auto opened = open_output(path, Output::Longer);
        if (!opened) return cannot_write(path, opened.error());
        file_ = *opened;
        is_regular_ = fstat(file_, &held) == 0 && S_ISREG(held.st_mode);
        if (is_regular_ && is_taken(file_)) return fmt::format("{}: another process is writing it", path);
        // start_with() of another process may have replaced the file between opening and locking.
        if (!is_regular_ || (stat(path.c_str(), &named) == 0 && named.st_ino == held.st_ino)) return {};
        close(file_);
    }
}

std::string ResultsWriter::cut(off_t size) {
    return is_regular_ && ftruncate(file_, size) != 0 ? fmt::format("{}: {}", path_, std::strerror(errno)) : "";
}

std::string ResultsWriter::start(const RunHeader& header) {
    const std::string error = cut(0);
    return error.empty() ? append(header_line(header)) : error;
}

std::string ResultsWriter::start_with(const RunHeader& header, const std::vector<CaseResult>& results) {
    ResultsWriter fresh;
    std::string error = fresh.open(path_ + ".new");  // in the same folder, so that a rename can replace the file
    if (error.empty()) error = fresh.start(header);
    for (size_t i = 0; error.empty() && i < results.size(); i++) error = fresh.write(results[i]);
    if (error.empty() && std::rename(fresh.path_.c_str(), path_.c_str()) != 0)
        error = fmt::format("{}: {}", path_, std::strerror(errno));
    if (error.empty())
        std::swap(file_, fresh.file_);  // the new file stays locked; only now does the old one go
    else
        unlink(fresh.path_.c_str());
    return error;
}

std::string ResultsWriter::write(const CaseResult& result) {
    return append(write_result_line(result) + "\n");
}

std::string ResultsWriter::append(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file_, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fmt::format("{}: {}", path_, std::strerror(errno));
        text.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

tl::expected<RunHeader, std::string> read_results(const std::string& path,
                                                  const std::function<void(CaseResult)>& each) {
    if (const std::string why = why_not_read(path); !why.empty()) return Error(cannot_read(path, why));
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) return Error(fmt::format("{}: {}", path, std::strerror(errno)));
    RunHeader header;
    std::string line;
    size_t number = 1;
    for (;; number++) {
        bool too_long = false;
        if (!next_line(file, number == 1 ? kMaxHeader : kMaxLine, line, too_long)) {
            // A read error is not the end of the file: results may be missing.
            if (file.bad()) return Error(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
            if (too_long && number != 1)
                return Error(fmt::format("{}:{}: line is longer than {} bytes", path, number, kMaxLine));
            break;  // the end, or an incomplete line
        }
        if (number == 1) {
            if (!read_header(line, header)) break;
            continue;
        }
        auto result = read_result_line(line);
        if (!result) return Error(fmt::format("{}:{}: {}", path, number, result.error()));
        each(std::move(*result));
    }
    if (number == 1) return Error(path + ":1: not a results file of tgsi-difftest");
    return header;
}

}  // namespace tgsi2spv::difftest
