#include "campaign/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/protocol.h"
#include "cases/judge.h"
#include "cases/judge_parts.h"
#include "files/files.h"
#include "vulkan/floats.h"

namespace tgsi2spv::difftest {

namespace {

constexpr size_t kMaxShown = 200;  // bytes of a line that is not a job

/// Reads and writes lines. The worker ends if the campaign is gone.
struct Pipes {
    int in = STDIN_FILENO, out = -1;
    std::string unread = {};

    std::optional<std::string> line() {
        for (;;) {
            if (const size_t end = unread.find('\n'); end != std::string::npos) {
                std::string one = unread.substr(0, end);
                unread.erase(0, end + 1);
                return one;
            }
            char buffer[1 << 16];
            const ssize_t n = read(in, buffer, sizeof buffer);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return std::nullopt;
            unread.append(buffer, static_cast<size_t>(n));
        }
    }
    void say(const WorkerMessage& message) const {
        const std::string text = write(message) + "\n";
        for (size_t done = 0; done < text.size();) {
            const ssize_t n = ::write(out, text.data() + done, text.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) _exit(0);
            done += static_cast<size_t>(n);
        }
    }
};

WorkerMessage message_of(WorkerMessage::Kind kind, const WorkerJob& job, size_t device) {
    WorkerMessage m;
    m.kind = kind;
    m.key = job.key;
    m.device = static_cast<uint32_t>(device);
    return m;
}

/// Reports, once for each device, facts that users of its driver should know.
class Notes {
  public:
    void tell(const Workplace& workplace, const Pipes& pipes) {
        told_.resize(workplace.devices.size());
        for (size_t d = 0; d < told_.size(); d++) {
            if (told_[d] || !workplace.devices[d]->changed_floats) continue;
            told_[d] = true;
            WorkerMessage m;
            m.kind = WorkerMessage::Kind::Note;
            m.device = static_cast<uint32_t>(d);
            m.text = vulkan::kChangesFloats;
            pipes.say(m);
        }
    }

  private:
    std::vector<bool> told_;
};

std::string version_text(uint32_t version) {
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

bool is_asked(const WorkerJob& job, size_t device) {
    return device < 64 && (job.devices >> device & 1) != 0;
}

void run_job(const WorkerJob& job, const RunSettings& options, const Planted& planted, Workplace& workplace,
             Notes& notes, const Pipes& pipes) {
    using Kind = WorkerMessage::Kind;
    size_t first = 0;
    while (first + 1 < workplace.devices.size() && !is_asked(job, first)) first++;
    pipes.say(message_of(Kind::Begin, job, first));
    Stopwatch watch;
    const MadeCase made = make_case(job.spec, options, workplace);
    const double maker_ms = watch.lap();
    if (job.describe) {
        auto m = message_of(Kind::Result, job, first);
        if (!made.decided)
            m.result = begin_result(made, workplace.devices[first]->report().info.name, workplace.context);
        m.result.id = id_of(job.spec);
        m.result.evidence = evidence_of(made, workplace);
        pipes.say(m);
        return;
    }
    const auto hook = planted.hook_of ? planted.hook_of(id_of(job.spec), job.attempt) : ModuleHook();
    for (size_t d = first; d < workplace.devices.size(); d++) {
        if (!is_asked(job, d)) continue;
        if (d != first) pipes.say(message_of(Kind::Begin, job, d));
        workplace.turn = [&](bool driver) {
            auto turn = message_of(Kind::Turn, job, d);
            turn.driver = driver;
            pipes.say(turn);
        };
        auto m = message_of(Kind::Result, job, d);
        m.result = judge_case(made, d, options, workplace, hook);
        if (d == first) m.result.times.maker_ms = maker_ms;
        bool lost = workplace.devices[d]->lost;
        if (planted.is_lost && planted.is_lost(id_of(job.spec), job.attempt)) {
            lost = true;
            m.result.status = Status::DeviceLost;
            m.result.reason = Reason::None;
            m.result.message = "vkWaitForFences failed: VK_ERROR_DEVICE_LOST";
            m.result.evidence = evidence_of(made, workplace);
        }
        notes.tell(workplace, pipes);
        pipes.say(m);
        if (lost || lacks_memory(m.result))
            _exit(0);  // a driver thread may never finish, and objects may be in the way
    }
    workplace.turn = {};
}

/// Keeps compiled shaders between runs, separate from those of other programs: a campaign with a warm cache takes a
/// tenth of the time. lavapipe's cache key omits some variables (the vector width), so the name of the folder depends
/// on them. Variables that the user has set are kept.
void keep_compiled_shaders() {
    std::string state;
    for (const char* name : {"LP_NATIVE_VECTOR_WIDTH", "LP_DEBUG", "LP_PERF", "GALLIVM_PERF", "GALLIVM_DEBUG"})
        if (const char* value = std::getenv(name)) state += std::string(name) + "=" + value + ";";
    const std::string folder = cache_folder("tgsi-difftest/" + std::to_string(std::hash<std::string>()(state)));
    if (folder.empty()) return;
    setenv("MESA_SHADER_CACHE_DISABLE", "false", 0);
    setenv("MESA_SHADER_CACHE_DIR", folder.c_str(), 0);
    setenv("__GL_SHADER_DISK_CACHE_PATH", folder.c_str(), 0);  // NVIDIA
}

}  // namespace

int worker_main(const Planted& planted) {
    Pipes pipes;
    pipes.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // drivers may print to standard output
    const auto first = pipes.line();
    const auto settings = first ? read_settings(*first) : std::nullopt;
    if (!settings) return 2;
    keep_compiled_shaders();
    if (planted.at_start) planted.at_start();
    auto workplace = open_workplace(settings->devices, settings->validation,
                                    settings->compile_only ? harness::Use::CompileOnly : harness::Use::Run);
    WorkerMessage hello;
    hello.kind = workplace ? WorkerMessage::Kind::Ready : WorkerMessage::Kind::Error;
    if (workplace)
        for (const auto& d : workplace->devices) {
            hello.names.push_back(d->report().info.name);
            hello.drivers.push_back(d->report().info.driver);
            hello.vulkan.push_back(version_text(d->report().info.api_version));
        }
    else
        hello.text = workplace.error();
    hello.validates = !workplace || !settings->validation || workplace->instance->validates();
    pipes.say(hello);
    if (!workplace) return 2;
    Notes notes;
    while (const auto line = pipes.line()) {
        const auto job = read_job(*line);
        if (!job) {  // its sender waits for an answer
            WorkerMessage error;
            error.kind = WorkerMessage::Kind::Error;
            error.text = "not a job: " + line->substr(0, kMaxShown);
            pipes.say(error);
            _exit(1);
        }
        run_job(*job, settings->judging, planted, *workplace, notes, pipes);
    }
    _exit(0);  // faster than the drivers' own cleanup, and nothing is left to do
}

}  // namespace tgsi2spv::difftest
