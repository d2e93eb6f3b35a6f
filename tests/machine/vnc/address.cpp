// Where viewers connect.
#include "machine/vnc/address.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "machine/vnc/server.h"

namespace tgsi2spv::vnc {
namespace {

using testing::HasSubstr;

TEST(Addresses, PortsAreOfThisMachine) {
    const auto address = parse_address("5900");
    ASSERT_TRUE(address);
    EXPECT_EQ(address->host, "127.0.0.1");
    EXPECT_EQ(address->port, 5900);
}

TEST(Addresses, HostsAreNumbers) {
    EXPECT_EQ(parse_address("[::1]:5901")->host, "::1");
    for (const char* wide : {"0.0.0.0:5900", "192.168.0.1:5900", "[::]:5900", "[::ffff:127.0.0.1]:5900"})
        EXPECT_TRUE(parse_address(wide)) << wide;
    EXPECT_EQ(parse_address("./5900")->path, "./5900");
}

TEST(Addresses, OthersAreErrors) {
    for (const char* text :
         {"", "0", "65536", "-1", "5900x", ":5900", "localhost:5900", "1.2.3:5900", "[::1:5900", "x"})
        EXPECT_FALSE(parse_address(text)) << text;
}

class Files : public testing::Test {
  protected:
    Files() : folder(std::filesystem::temp_directory_path() / ("vnc-address-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder);
    }
    ~Files() override { std::filesystem::remove_all(folder); }
    tl::expected<std::string, std::string> read(const std::string& text, mode_t mode) const {
        const std::string path = folder / "password";
        std::ofstream(path) << text;
        chmod(path.c_str(), mode);
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"), std::fclose);
        return read_password(file.get(), path);
    }
    const std::filesystem::path folder;
};

TEST_F(Files, OnlyItsUserReachesALocalSocket) {
    const std::string path = folder / "vnc";
    const auto listener = listen_at(*parse_address(path));
    ASSERT_TRUE(listener) << listener.error();
    struct stat found {};
    ASSERT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700u);
}

TEST_F(Files, PasswordIsTheFirstLine) {
    EXPECT_EQ(*read("secret\nmore\n", 0600), "secret");
    EXPECT_EQ(*read("12345678", 0600), "12345678");
}

TEST_F(Files, PasswordsThatAreNone) {
    EXPECT_THAT(read("123456789\n", 0600).error(), HasSubstr("1 to 8"));
    EXPECT_THAT(read("\n", 0600).error(), HasSubstr("1 to 8"));
    EXPECT_THAT(read(std::string("a\0secret", 8), 0600).error(), HasSubstr("no zero"));
    EXPECT_THAT(read("secret\n", 0644).error(), HasSubstr("others can read"));
}

TEST(Servers, PortsNeedAPassword) {
    for (const char* port : {"0.0.0.0:5999", "5999", "[::1]:5999"}) {
        const std::string why = serve_viewers({.address = *parse_address(port), .password = {}, .confine = {}}, -1);
        EXPECT_THAT(why, HasSubstr("a port needs a password"));
    }
}

TEST(Servers, ServeNobodyWithoutASandbox) {
    const auto confine = [] { return "no sandbox"; };
    EXPECT_EQ(serve_viewers({.address = *parse_address("/no/vnc"), .password = {}, .confine = confine}, -1),
              "no sandbox");
}

TEST(Servers, MakeOtherPasswordsEachTime) {
    EXPECT_EQ(make_password().size(), 8u);
    EXPECT_NE(make_password(), make_password());
}

}  // namespace
}  // namespace tgsi2spv::vnc
