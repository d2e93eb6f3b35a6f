// The cache on disk: an entry that is damaged, half written or from another version counts as absent.
#include "api/cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory_resource>
#include <new>
#include <string>

#include "api/convert.h"
#include "api/library_texts.h"
#include "api/record.h"
#include "places.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

namespace fs = std::filesystem;

/// Gives each test an unused path in the temporary folder.
class CacheTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = testing::TempDir() + "tgsi2spv-cache-" + test->name() + "-" + std::to_string(getpid());
        fs::remove_all(path_);
    }
    void TearDown() override { fs::remove_all(path_); }

    std::string path_;
};

tgsi2spv_hash hash(uint8_t n) {
    tgsi2spv_hash h{};
    h.bytes[0] = n;
    h.bytes[1] = 1;
    h.bytes[15] = 1;
    return h;
}

api::Key key(uint8_t n, std::string_view text = "a text") {
    api::Key k;
    k.hash = hash(n);
    k.request = {n, 2, 3};
    k.text = text;
    return k;
}

std::pmr::vector<uint8_t> payload(uint8_t n) {
    return std::pmr::vector<uint8_t>(10'000 + n, n);
}

TEST_F(CacheTest, GivesTheSameModuleWithoutConverting) {
    Context context, other;
    const Cache cache((path_ + "/a/b").c_str());
    ASSERT_TRUE(cache);
    Module made = context.translate(kFragment, default_options, &cache);
    ASSERT_TRUE(made);
    EXPECT_EQ(made.info().from_cache, 0u);
    const std::vector<uint32_t> words(made.words().begin(), made.words().end());
    const std::string json(context.json(made));

    const Cache again((path_ + "/a/b/").c_str());
    Module read = other.translate(kFragment, default_options, &again);
    ASSERT_TRUE(read);
    EXPECT_EQ(read.info().from_cache, 1u);
    EXPECT_EQ(std::vector(read.words().begin(), read.words().end()), words);
    EXPECT_EQ(other.json(read), json);
    EXPECT_EQ(read.info().resource_count, 2u);
    EXPECT_STREQ(read.resource(1).name, "SAMP[1]");

    auto options = default_options;
    options.flags |= TGSI2SPV_OPTION_EXACT;
    EXPECT_EQ(other.translate(kFragment, options, &again).info().from_cache, 0u);
}

TEST_F(CacheTest, DoesNotAnswerForATextBeyondTheLimit) {
    Context context;
    const Cache cache(path_.c_str());
    ASSERT_TRUE(context.translate(kFragment, default_options, &cache));
    auto limits = make<tgsi2spv_limits>();
    limits.text_bytes = kFragment.size() - 1;
    auto info = make<tgsi2spv_context_info>();
    info.limits = &limits;
    Context limited(info);
    EXPECT_FALSE(limited.translate(kFragment, default_options, &cache));
    EXPECT_STREQ(limited.diagnostic(0).code, "text-limit");
}

TEST_F(CacheTest, DoesNotTakeAFileForAFolder) {
    std::ofstream(path_) << "a file";
    const Cache cache(path_.c_str());
    EXPECT_FALSE(cache);
    EXPECT_EQ(cache.status(), TGSI2SPV_ERROR_IO);
    const Cache nothing("");
    EXPECT_EQ(nothing.status(), TGSI2SPV_ERROR_IO);
}

TEST_F(CacheTest, TakesNoPathWithoutAFolder) {
    EXPECT_FALSE(Cache(""));
    EXPECT_FALSE(Cache("/proc/tgsi2spv"));
    EXPECT_FALSE(Cache((path_ + std::string(1'000'000, '/') + "a").c_str()));
    EXPECT_FALSE(Cache((path_ + "/" + std::string(300, 'a')).c_str()));
}

TEST_F(CacheTest, TakesNoDamagedEntry) {
    api::Folder folder;
    ASSERT_TRUE(folder.open(path_));
    const std::pmr::vector<uint8_t> good = {1, 2, 3, 4, 5};
    ASSERT_TRUE(folder.store(key(1), good));
    std::pmr::vector<uint8_t> bytes;
    ASSERT_TRUE(folder.load(key(1), bytes));
    EXPECT_EQ(bytes, good);
    std::ifstream in(std::string(folder.path_of(hash(1))), std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    const auto loads = [&](const std::string& file) {
        std::ofstream(std::string(folder.path_of(hash(1))), std::ios::binary) << file;
        return folder.load(key(1), bytes);
    };
    for (size_t i = 0; i < whole.size(); ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 4);
        EXPECT_FALSE(loads(damaged)) << i;
        EXPECT_FALSE(loads(whole.substr(0, i))) << i;
    }
    EXPECT_FALSE(loads(whole + "x"));
    EXPECT_TRUE(loads(whole));
    // An entry that is stored under another entry's name.
    fs::create_directories(fs::path(std::string(folder.path_of(hash(2)))).parent_path());
    fs::copy_file(std::string(folder.path_of(hash(1))), std::string(folder.path_of(hash(2))));
    EXPECT_FALSE(folder.load(key(2), bytes));
    // Storing replaces a damaged entry.
    EXPECT_FALSE(loads("nothing"));
    ASSERT_TRUE(folder.store(key(1), good));
    EXPECT_TRUE(folder.load(key(1), bytes));
}

/// XXH3 has collisions that anybody can make: an entry answers only for its own text and options.
TEST_F(CacheTest, DoesNotAnswerForAnotherRequestWithTheSameHash) {
    api::Folder folder;
    ASSERT_TRUE(folder.open(path_));
    api::Key other_options = key(1);
    other_options.request.back() = 4;
    const api::Key keys[] = {key(1), key(1, "b text"), key(1, "a tex"), key(1, ""), other_options};
    std::pmr::vector<uint8_t> bytes;
    for (const api::Key& stored : keys) {
        ASSERT_TRUE(folder.store(stored, payload(3)));  // replaces the entry before
        for (const api::Key& asked : keys) EXPECT_EQ(folder.load(asked, bytes), &asked == &stored);
    }
}

/// Counts, and refuses more than `most` bytes.
class SmallMemory : public std::pmr::memory_resource {
  public:
    explicit SmallMemory(size_t most) : most_(most) {}
    size_t asked = 0;

  private:
    size_t most_;
    void* do_allocate(size_t bytes, size_t alignment) override {
        asked += bytes;
        if (bytes > most_) throw std::bad_alloc();
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* p, size_t bytes, size_t alignment) override {
        std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

TEST_F(CacheTest, TakesNoMemoryForAnEntryThatItRefuses) {
    api::Folder folder;
    ASSERT_TRUE(folder.open(path_));
    ASSERT_TRUE(folder.store(key(1), payload(1)));
    const std::string path(folder.path_of(hash(1)));
    fs::resize_file(path, 200'000'000);  // a hole: its size is not that of the header
    SmallMemory memory(size_t{1} << 40);
    {
        std::pmr::vector<uint8_t> bytes(&memory);
        EXPECT_FALSE(folder.load(key(1), bytes));
        EXPECT_LT(memory.asked, 10'000u);
    }
    fs::resize_file(path, 1'000'000'000);  // larger than any module
    std::pmr::vector<uint8_t> bytes(&memory);
    EXPECT_FALSE(folder.load(key(1), bytes));
    ASSERT_TRUE(folder.store(key(1), payload(1)));
    EXPECT_TRUE(folder.load(key(1), bytes));
    SmallMemory none(4'096);
    std::pmr::vector<uint8_t> in_none(&none);
    EXPECT_FALSE(folder.load(key(1), in_none));
}

TEST_F(CacheTest, TakesNoFolderThatOthersCanWrite) {
    api::Folder folder;
    ASSERT_TRUE(folder.open(path_));
    for (const std::string& which : {path_, path_ + "/new"}) {
        for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
            fs::permissions(which, others, fs::perm_options::add);
            EXPECT_FALSE(folder.open(path_)) << which;
            fs::permissions(which, others, fs::perm_options::remove);
            EXPECT_TRUE(folder.open(path_)) << which;
        }
    }
    if (geteuid() == 0) {
        ASSERT_EQ(chown(path_.c_str(), 12'345, 12'345), 0);
        EXPECT_FALSE(folder.open(path_));
        ASSERT_EQ(chown(path_.c_str(), 0, 0), 0);
    } else {
        EXPECT_FALSE(folder.open("/usr"));
    }
}

TEST_F(CacheTest, TheOldestEntriesGoBeyondTheQuota) {
    api::Folder folder;
    constexpr uint64_t kEntries = 40;  // of a folder, about
    ASSERT_TRUE(folder.open(path_, 256 * kEntries * 10'100));
    const auto numbered = [](int n) {
        api::Key k = key(1);
        k.hash.bytes[1] = static_cast<uint8_t>(n);  // one in 16 stores trims
        k.hash.bytes[2] = static_cast<uint8_t>(n >> 8);
        return k;
    };
    std::ofstream(path_ + "/01-not-ours") << "precious";
    for (int n = 0; n < 320; ++n) {
        ASSERT_TRUE(folder.store(numbered(n), payload(1)));
        const utimbuf at{n + 1, n + 1};
        utime(std::string(folder.path_of(numbered(n).hash)).c_str(), &at);
    }
    std::pmr::vector<uint8_t> bytes;
    size_t left = 0;
    for (int n = 0; n < 320; ++n) left += folder.load(numbered(n), bytes);
    EXPECT_GE(left, kEntries);
    EXPECT_LE(left, kEntries + 16);
    EXPECT_FALSE(folder.load(numbered(0), bytes));
    EXPECT_TRUE(folder.load(numbered(319), bytes));
    EXPECT_TRUE(fs::exists(path_ + "/01-not-ours"));
}

TEST_F(CacheTest, IsWholeAfterKills) {
    api::Folder folder;
    const auto entries = [&] {
        std::vector<uint8_t> there;
        for (uint8_t n = 0; n < 16; ++n)
            if (fs::exists(std::string(folder.path_of(hash(n))))) there.push_back(n);
        return there;
    };
    for (int round = 0; round < 10; ++round) {
        fs::remove_all(path_);
        ASSERT_TRUE(folder.open(path_));
        pid_t writers[2];
        for (pid_t& writer : writers) {
            writer = fork();
            if (writer == 0)
                for (uint8_t n = 0;; ++n) (void)folder.store(key(n % 16), payload(n % 16));
        }
        for (int waits = 0; waits < 10'000 && entries().empty(); ++waits) usleep(1'000);
        usleep(10'000);
        for (const pid_t writer : writers) {
            kill(writer, SIGKILL);
            waitpid(writer, nullptr, 0);
        }
        std::pmr::vector<uint8_t> bytes;
        EXPECT_FALSE(entries().empty()) << "nobody wrote: the test shows nothing";
        for (const uint8_t n : entries()) {
            EXPECT_TRUE(folder.load(key(n), bytes)) << int{n};
            EXPECT_EQ(bytes, payload(n));
        }
    }
    // Opening the cache deletes temporary files that are too old for any process to be still writing them.
    std::ofstream(path_ + "/new/tgsi2spv-a1B2c3") << "half";
    for (const auto& entry : fs::directory_iterator(path_ + "/new")) {
        const utimbuf old{1, 1};
        utime(entry.path().c_str(), &old);
    }
    ASSERT_TRUE(folder.open(path_));
    EXPECT_TRUE(fs::is_empty(path_ + "/new"));
}

TEST_F(CacheTest, RemovesOnlyItsOwnFiles) {
    const std::string names[] = {"thesis.txt", "abcdef", "tgsi2spv-notes.txt", "tgsi2spv-", "tgsi2spv-abcdefg"};
    fs::create_directories(path_ + "/new");
    for (const std::string& name : names) {
        const std::string path = path_ + "/new/" + name;
        std::ofstream(path) << "precious";
        const utimbuf old{1, 1};
        utime(path.c_str(), &old);
    }
    api::Folder folder;
    ASSERT_TRUE(folder.open(path_));
    for (const std::string& name : names) EXPECT_TRUE(fs::exists(path_ + "/new/" + name)) << name;
}

TEST_F(CacheTest, StoresAgainAfterItWasEmptied) {
    api::Folder folder;
    ASSERT_TRUE(folder.open(path_ + "/a/b"));
    std::pmr::vector<uint8_t> bytes;
    for (const char* gone : {"", "/a/b/new", "/a/b", "/a"}) {
        for (const uint8_t n : {uint8_t{1}, uint8_t{2}}) {
            ASSERT_TRUE(folder.store(key(n), payload(n))) << gone;
            EXPECT_TRUE(folder.load(key(n), bytes)) << gone;
        }
        fs::remove_all(path_ + gone);
        if (*gone == '\0') fs::create_directories(path_);
        ASSERT_TRUE(folder.store(key(1), payload(1))) << gone;
        EXPECT_TRUE(folder.load(key(1), bytes)) << gone;
    }
}

TEST_F(CacheTest, KeepsTheReflectionOfEveryExample) {
    api::Context context;
    size_t seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(test::source_path("shaders"))) {
        if (entry.path().extension() != ".tgsi") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        ASSERT_TRUE(api::convert(context, text, {})) << entry.path();
        ++seen;
        const spirv::Reflection reflection = api::reflect(context, {});
        auto bytes = api::write_record(context.words, reflection);
        spirv::Reflection read;
        std::pmr::vector<uint32_t> words;
        ASSERT_TRUE(api::read_record(bytes, words, read)) << entry.path();
        EXPECT_EQ(words, context.words);
        EXPECT_EQ(spirv::to_json(read), spirv::to_json(reflection)) << entry.path();
        EXPECT_EQ(api::write_record(words, read), bytes);
        bytes.pop_back();
        EXPECT_FALSE(api::read_record(bytes, words, read));
    }
    EXPECT_GT(seen, 50u);
}

}  // namespace
}  // namespace tgsi2spv
