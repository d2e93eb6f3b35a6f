// fuzz-text: tries every prefix of small shaders, some prefixes of larger ones, random mutations, and texts made from
// the opcode table. Nothing may crash or hang. A refused text must have a diagnostic. An accepted text must print back,
// then validate or be refused with a diagnostic.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "damage.h"
#include "judge.h"
#include "options.h"
#include "places.h"
#include "shaped.h"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace {

namespace fs = std::filesystem;

constexpr size_t kSmall = 4 << 10, kLarge = 64 << 10;
constexpr unsigned kSecondsPerText = 60;
constexpr int kEnough = 1000;  ///< from this number of texts on, the share that converts does not depend on the seed
constexpr const char* kCrashFile = "fuzz-crash.tgsi";

/// The text under test, to be saved if the process dies.
std::string_view g_text;

void save_crash() {
    const int file = open(kCrashFile, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return;
    constexpr std::string_view kDied = "\nfuzz-text: died; the text is in fuzz-crash.tgsi\n";
    ssize_t written = write(file, g_text.data(), g_text.size());
    written = write(2, kDied.data(), kDied.size());
    (void)written;
    close(file);
}

extern "C" void on_signal(int signal) {
    save_crash();
    std::signal(signal, SIG_DFL);
    raise(signal);
}

struct Arguments {
    std::string corpus;
    uint64_t seed = 1;
    int mutations = 3000;
    int shaped = 2000;  ///< texts made from the opcode table
    int prefixed = 20;  ///< number of small shaders of which every prefix is tried
    int cuts = 5;       ///< number of prefixes of each other shader
    int failures = 20;  ///< number of failures after which the program gives up
    bool all = false;
    std::string replay, save, write;
};

std::vector<std::string> read_texts(const std::string& folder) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".tgsi") paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<std::string> texts;
    for (const fs::path& path : paths) {
        std::ifstream file(path, std::ios::binary);
        texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return texts;
}

/// Returns the texts of the parser's own tests, for use without a corpus.
std::vector<std::string> own_texts() {
    std::vector<std::string> texts;
    std::ifstream file(tgsi2spv::test::source_path("tests/tgsi/data/forms/forms.txt"));
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("# "))
            texts.emplace_back();
        else if (!texts.empty() && !line.starts_with("= ") && !line.starts_with("! "))
            texts.back() += line + '\n';
    }
    return texts;
}

class Run {
  public:
    explicit Run(const Arguments& arguments) : arguments_(arguments) {}

    void text(const std::string& what, std::string_view text, uint64_t variant) {
        if (failed_ >= arguments_.failures) return;
        g_text = text;
        alarm(kSecondsPerText);
        const std::string wrong = judge_.judge(text, variant);
        alarm(0);
        if (wrong.empty()) return;
        ++failed_;
        std::printf("FAILED %s, variant %llu: %s\n", what.c_str(), static_cast<unsigned long long>(variant),
                    wrong.c_str());
        if (arguments_.save.empty()) return;
        fs::create_directories(arguments_.save);
        const std::string file = arguments_.save + "/" + std::to_string(failed_) + ".tgsi";
        std::ofstream(file, std::ios::binary) << text;
        std::printf("  saved as %s\n", file.c_str());
    }

    /// Writes a text that converts, so that its results can be judged. Leaves out texts with loops, which may never
    /// end.
    void write(const std::string& name, std::string_view text) {
        if (arguments_.write.empty() || text.find("BGNLOOP") != text.npos) return;
        if (tgsi2spv::api::Context context; !tgsi2spv::api::convert(context, text, {})) return;
        fs::create_directories(arguments_.write);
        std::ofstream(arguments_.write + "/" + name, std::ios::binary) << text;
    }

    uint64_t converted() const { return judge_.tally().converted; }

    /// Texts that are refused at once test only the parser, so at least `least` texts since `before` must have become
    /// modules; fewer mean that the generator of the texts has degenerated.
    void expect_converted(const char* what, uint64_t before, uint64_t least) {
        if (converted() - before >= least || failed_ >= arguments_.failures) return;
        ++failed_;
        std::printf("FAILED only %llu %s converted, at least %llu should\n",
                    static_cast<unsigned long long>(converted() - before), what,
                    static_cast<unsigned long long>(least));
    }

    int finish() const {
        const fuzz::Tally& t = judge_.tally();
        std::printf("%llu texts, %llu accepted by the checker, %llu converted and validated, %d failed\n",
                    static_cast<unsigned long long>(t.texts), static_cast<unsigned long long>(t.parsed),
                    static_cast<unsigned long long>(t.converted), failed_);
        for (const auto& [code, n] : t.refusals)
            std::printf("  %llu refused: %s\n", static_cast<unsigned long long>(n), code.c_str());
        return failed_ == 0 ? 0 : 1;
    }

  private:
    const Arguments& arguments_;
    fuzz::Judge judge_;
    int failed_ = 0;
};

void run_prefixes(Run& run, const std::vector<std::string>& texts, const Arguments& a) {
    int small = 0;
    const uint64_t before = run.converted();
    for (size_t i = 0; i < texts.size(); ++i) {
        const std::string& text = texts[i];
        // Takes small texts at a stride, so that they are spread over the corpus.
        const bool every = text.size() < kSmall && small < a.prefixed &&
                           (texts.size() <= static_cast<size_t>(a.prefixed) ||
                            i % (texts.size() / static_cast<size_t>(std::max(a.prefixed, 1)) / 2 + 1) == 0);
        if (every) {
            ++small;
            for (size_t n = 0; n <= text.size(); ++n)
                run.text("prefix " + std::to_string(n) + " of text " + std::to_string(i), {text.data(), n}, n);
        } else if (text.size() < kLarge) {
            fuzz::Random random(a.seed ^ (i << 20));
            for (int cut = 0; cut < a.cuts; ++cut) {
                const size_t n = random.below(text.size() + 1);
                run.text("prefix " + std::to_string(n) + " of text " + std::to_string(i), {text.data(), n},
                         random.next());
            }
        }
    }
    // The longest prefix is the text itself; some of the parser's own texts are wrong on purpose.
    run.expect_converted("prefixes", before, static_cast<uint64_t>(small) / 2);
}

void run_mutations(Run& run, const std::vector<std::string>& texts, const Arguments& a) {
    std::vector<size_t> usable;
    for (size_t i = 0; i < texts.size(); ++i)
        if (texts[i].size() < kLarge) usable.push_back(i);
    const uint64_t before = run.converted();
    for (int n = 0; n < a.mutations; ++n) {
        fuzz::Random random(a.seed + static_cast<uint64_t>(n) * 1'000'003u);
        const std::string& text = texts[usable[random.below(usable.size())]];
        const std::string& other = texts[usable[random.below(usable.size())]];
        const std::string damaged = fuzz::mutate(text, other, random);  // before the options: the same order everywhere
        run.text("mutation " + std::to_string(n) + " of seed " + std::to_string(a.seed), damaged, random.next());
    }
    // Measured: 17 % of the parser's own texts, 24 % of real ones.
    if (a.mutations >= kEnough) run.expect_converted("mutations", before, static_cast<uint64_t>(a.mutations) / 10);
}

void run_shaped(Run& run, const Arguments& a) {
    const uint64_t before = run.converted();
    for (int n = 0; n < a.shaped; ++n) {
        fuzz::Random random(~a.seed + static_cast<uint64_t>(n) * 1'000'003u);
        const std::string text = fuzz::shaped(random);
        run.text("shaped text " + std::to_string(n) + " of seed " + std::to_string(a.seed), text, random.next());
        run.write("shaped_" + std::to_string(a.seed) + "_" + std::to_string(n) + ".tgsi", text);
    }
    if (a.shaped >= kEnough) run.expect_converted("shaped texts", before, static_cast<uint64_t>(a.shaped) / 2);  // 63 %
}

}  // namespace

int main(int argc, char** argv) {
    Arguments a;
    if (const char* corpus = std::getenv("TGSI2SPV_CORPUS")) a.corpus = corpus;
    constexpr tools::NumberRange kCount{0, std::numeric_limits<int>::max()};
    tools::App app("Convert damaged texts: nothing may crash, and accepted texts must give valid modules");
    app.add_option("corpus", a.corpus, "Folder of shaders (default: TGSI2SPV_CORPUS)");
    app.add_option("--seed", a.seed, "Seed of all cuts and mutations");
    app.add_option("--mutations", a.mutations, "Number of random mutations").check(kCount);
    app.add_option("--shaped", a.shaped, "Number of texts made from the opcode table").check(kCount);
    app.add_option("--prefixed", a.prefixed, "Number of shaders under 4 KB of which every prefix is tried")
        .check(kCount);
    app.add_option("--cuts", a.cuts, "Number of prefixes tried of each other shader under 64 KB").check(kCount);
    app.add_option("--failures", a.failures, "Number of failures after which to stop")
        .check(tools::NumberRange{1, std::numeric_limits<int>::max()});
    app.add_option("--save", a.save, "Write the texts that fail to this folder");
    app.add_option("--write", a.write,
                   "Write the texts made from the opcode table that convert to this folder, for tgsi-difftest");
    app.add_option("--replay", a.replay, "Convert only this text, with every kind of options");
    app.add_flag("--all,--full", a.all,
                 "Use every prefix of 200 shaders, 50 cuts of each other, at least 100,000 mutations, and as many "
                 "texts made from "
                 "the opcode table");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    if (a.all) {
        a.prefixed = 200;
        a.cuts = 50;
        a.mutations = std::max(a.mutations, 100'000);
        a.shaped = std::max(a.shaped, 100'000);
    }

    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) std::signal(signal, on_signal);
    if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(save_crash);

    Run run(a);
    if (!a.replay.empty()) {
        std::ifstream file(a.replay, std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        for (uint64_t variant = 0; variant < 65536; variant += variant < 8 ? 1 : 509) run.text(a.replay, text, variant);
        return run.finish();
    }
    std::vector<std::string> texts;
    if (!a.corpus.empty() && fs::is_directory(a.corpus)) texts = read_texts(a.corpus);
    if (texts.empty()) {
        std::puts("fuzz-text: no corpus (TGSI2SPV_CORPUS): the parser's own test texts are damaged instead");
        texts = own_texts();
    }
    if (texts.empty()) return 2;
    run_prefixes(run, texts, a);
    run_mutations(run, texts, a);
    run_shaped(run, a);
    return run.finish();
}
