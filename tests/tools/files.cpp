// Outputs: written whole or not at all, with the mode that the system assigns, under any name.
#include "files/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {
int umask_calls = 0;
}  // namespace

/// Replaces the C library's umask(): reading the mask means changing it, for every thread of the process.
extern "C" mode_t umask(mode_t) noexcept {
    ++umask_calls;
    return 0;
}

namespace tgsi2spv {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = testing::TempDir() + "tgsi2spv-files-" + std::to_string(getpid());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

    std::string folder_;
};

TEST_F(FilesTest, LeavesTheMaskAlone) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i)
                EXPECT_EQ(write_file(path(std::to_string(t) + "-" + std::to_string(i)), "x"), "");
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(umask_calls, 0);
    EXPECT_EQ(files(), 80u);
}

TEST_F(FilesTest, KeepsTheModeOfAReplacedFile) {
    ASSERT_EQ(write_file(path("a"), "old"), "");
    ASSERT_EQ(chmod(path("a").c_str(), 0604), 0);
    ASSERT_EQ(write_file(path("a"), "new"), "");
    struct stat s {};
    ASSERT_EQ(stat(path("a").c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 07777, 0604u);
    EXPECT_EQ(content(path("a")), "new");
}

TEST_F(FilesTest, TakesTheLongestNames) {
    for (size_t length = 240; length <= 255; ++length)
        for (const char* text : {"first", "second"}) {  // first a new file, then a replacement
            const std::string name(length, 'n');
            EXPECT_EQ(write_file(path(name), text), "") << length;
            EXPECT_EQ(content(path(name)), text) << length;
        }
    EXPECT_NE(write_file(path(std::string(256, 'n')), "x"), "");
    EXPECT_EQ(files(), 16u);
}

/// They may be traps that somebody else laid: to write another file, or to wait forever.
TEST_F(FilesTest, RefusesLinksAndSpecialFiles) {
    ASSERT_EQ(write_file(path("a"), "old"), "");
    fs::create_symlink("a", path("link"));
    fs::create_symlink("absent", path("nowhere"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    fs::create_symlink("pipe", path("to-pipe"));
    for (const char* link : {"link", "nowhere", "to-pipe"}) {
        EXPECT_EQ(write_file(path(link), "new"), "is a link");
        EXPECT_EQ(why_not_written(path(link)), "is a link");
    }
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_FALSE(fs::exists(path("absent")));
    EXPECT_EQ(write_file(path("pipe"), "new"), "is not a regular file");
    EXPECT_EQ(write_file(folder_, "new"), "is a folder");
    for (const char* pipe : {"pipe", "to-pipe"}) {
        EXPECT_EQ(read_file(path(pipe), 9).error(), "is not a regular file");
        EXPECT_EQ(why_not_read(path(pipe)), "is not a regular file");
    }
    EXPECT_EQ(read_file(path("link"), 9).value(), "old");
    EXPECT_EQ(why_not_read(path("link")), "");
    EXPECT_EQ(why_not_read(path("absent")), "");
    EXPECT_EQ(why_not_written(path("absent")), "");
    // In the system's folders, anything is read and written, but a path that only passes there is another.
    EXPECT_EQ(read_file("/dev/null", 9).value(), "");
    EXPECT_EQ(write_file("/dev/null", "new"), "");
    EXPECT_EQ(read_file("/dev/../" + path("pipe"), 9).error(), "is not a regular file");
}

TEST_F(FilesTest, OpensOutputsThatGrowAsItWritesOthers) {
    ASSERT_EQ(write_file(path("a"), "old"), "");
    fs::create_symlink("a", path("link"));
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const auto put = [&](const std::string& name, Output output) -> std::string {
        const auto file = open_output(path(name), output);
        if (!file) return file.error();
        EXPECT_EQ(::write(*file, "new", 3), 3);
        ::close(*file);
        return content(path(name));
    };
    EXPECT_EQ(put("link", Output::New), "is a link");
    EXPECT_EQ(put("pipe", Output::New), "is not a regular file");
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(put("a", Output::Longer), "oldnew");
    EXPECT_EQ(put("a", Output::Kept), "newnew");
    EXPECT_EQ(put("a", Output::New), "new");
    EXPECT_EQ(put("absent/a", Output::New), "No such file or directory");
    ASSERT_TRUE(open_output(path("secret"), Output::Kept, true));
    struct stat status {};
    ASSERT_EQ(::stat(path("secret").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace tgsi2spv
