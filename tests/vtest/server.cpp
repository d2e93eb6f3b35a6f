// The server over real sockets, in a process of its own: clients do not notice each other's end.
#include "process/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "files.h"
#include "guest.h"
#include "process/client.h"
#include "vtest/null_renderer.h"

namespace tgsi2spv::vtest::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "vtest-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    fs::path path;
};

/// A guest's end of a connection; -1 if nobody listens.
class Client {
  public:
    explicit Client(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
        for (int tries = 0; tries < 1000; tries++) {
            socket_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            if (connect(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        socket_ = Descriptor();
    }
    bool connected() const { return socket_.number() >= 0; }
    void send(const Bytes& bytes) { ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }
    void send_if_there_is_room(const Bytes& bytes) {
        ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    /// As many bytes as come, up to `size`.
    Bytes receive(size_t size) {
        Bytes out(size);
        const ssize_t got = recv(socket_.number(), out.data(), size, MSG_WAITALL);
        out.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return out;
    }
    bool has_answer() const {
        char byte;
        return recv(socket_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
    }
    /// A file that the server sends, with its byte.
    Descriptor receive_file() { return process::test::receive_file(socket_.number()); }
    /// With a copy of an open file, which no message has.
    void send_with_file(const Bytes& bytes, int file) {
        process::test::send_files(socket_.number(), bytes, {&file, 1});
    }
    /// A request and its reply show that the server still serves this client.
    bool alive() {
        send(wait_for(0));
        return receive(12) == bytes_of({1, 7, 0});
    }
    void close() { socket_ = Descriptor(); }

  private:
    Descriptor socket_;
};

/// serve_all() in a process; its log goes to a file.
class Server {
  public:
    explicit Server(const ServerLimits& limits = {}, const Serve& serve = null_session)
        : socket((folder.path / "socket").string()) {
        process_ = fork();
        if (process_ != 0) return;
        // Open already when files are short
        const Descriptor file(open(log_path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        Log log("log", 1000, [&](const std::string& line) {
            if (write(file.number(), line.data(), line.size()) < 0) _exit(2);
        });
        // UBSan asks once, with a pipe, whether a formatter's buffer is one: not when there are no files left.
        EXPECT_EQ(fmt::format("{}: {}", 1, "warm"), "1: warm");
        auto listener = listen_at(socket);
        _exit(listener && serve_all(std::move(*listener), limits, log, serve).empty() ? 0 : 1);
    }
    ~Server() { end(); }
    /// The exit status.
    int end() {
        if (process_ <= 0) return -1;
        kill(process_, SIGTERM);
        int status = 0;
        waitpid(std::exchange(process_, 0), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    /// Whether this comes to be in the log.
    bool logs(std::string_view text) const {
        for (int tries = 0; tries < 1000; tries++) {
            if (log().find(text) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    /// Lets the server open no file with a number from `most` on.
    void limit_files(rlim_t most) const {
        const rlimit limit{most, 4096};
        ASSERT_EQ(prlimit(process_, RLIMIT_NOFILE, &limit, nullptr), 0);
    }
    /// The first number that the server has not used for a file.
    rlim_t first_free() const {
        rlim_t number = 0;
        while (fs::is_symlink(fs::symlink_status(fmt::format("/proc/{}/fd/{}", process_, number)))) number++;
        return number;
    }
    size_t open_files() const { return files_of(process_); }
    static size_t files_of(pid_t process) {
        const fs::directory_iterator files(fmt::format("/proc/{}/fd", process));
        return static_cast<size_t>(std::distance(fs::begin(files), fs::end(files)));
    }
    std::string log() const {
        std::ifstream in(log_path());
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static int null_session(Descriptor client, unsigned, Progress& progress) {
        SocketStream socket(std::move(client));
        WatchedStream stream(socket, progress);
        NullRenderer renderer;
        Log log("log", 10, [](const std::string&) {});
        Session session(stream, renderer, log);
        return session.run() == Ending::Closed ? 0 : 1;
    }

    Folder folder;
    std::string socket;

  private:
    fs::path log_path() const { return folder.path / "log"; }
    pid_t process_;
};

/// A client that is served.
Client greet(const Server& server) {
    Client client(server.socket);
    client.send(hello());
    EXPECT_TRUE(client.alive());
    return client;
}

TEST(Server, ServesSeveralClientsAndForgetsThoseThatLeave) {
    Server server;
    Client one = greet(server), two = greet(server), three = greet(server);
    two.send(bytes_of({0, 99}));
    EXPECT_THAT(two.receive(1), testing::IsEmpty()) << "the connection ends";
    three.send(bytes_of({1000, 6, 1}));  // dies in the middle of a message
    three.close();
    EXPECT_TRUE(one.alive());
    EXPECT_TRUE(Client(server.socket).connected());
    EXPECT_EQ(server.end(), 0);
}

TEST(Server, SharesSealedMemory) {
    Server server;
    Client client(server.socket);
    client.send(hello() + ask_version(2) + make2(5, 10000));
    EXPECT_EQ(client.receive(12), bytes_of({1, 11, 2}));
    const Descriptor file = client.receive_file();
    ASSERT_GE(file.number(), 0);
    EXPECT_EQ(lseek(file.number(), 0, SEEK_END), 10000);
    EXPECT_NE(ftruncate(file.number(), 0), 0) << "which would kill the server";
    EXPECT_TRUE(client.alive());
}

TEST(Server, SaysWhichClientCrashed) {
    Server server({}, [](Descriptor client, unsigned number, Progress& progress) {
        if (number == 2) {
            signal(SIGSEGV, SIG_DFL);
            raise(SIGSEGV);
        }
        return Server::null_session(std::move(client), number, progress);
    });
    Client one = greet(server);
    Client two(server.socket);
    two.send(hello());
    EXPECT_THAT(two.receive(1), testing::IsEmpty());
    EXPECT_TRUE(one.alive());
    EXPECT_TRUE(server.logs("client 2: its process was ended by signal 11"));
}

TEST(Server, AFullOneLetsClientsWait) {
    Server server({.clients = 1});
    Client one = greet(server);
    Client two(server.socket);
    two.send(hello());
    one.close();
    EXPECT_TRUE(two.alive());
}

TEST(Server, ClientsThatSayNothingCostNoProcess) {
    Server server({.clients = 1});
    std::vector<Client> silent;
    for (int i = 0; i < 100; i++) {
        silent.emplace_back(server.socket);
        Client(server.socket).send(hello());  // gone at once
    }
    Client one = greet(server);
    EXPECT_THAT(silent.front().receive(1), testing::IsEmpty()) << "others have its place in the queue";
}

TEST(Server, OldestWithoutAClaimGivesUpItsPlace) {
    const ServerLimits limits{.clients = 1, .clients_begin = false, .newcomers = 1};
    Server server(limits, [](Descriptor client, unsigned number, Progress& progress) {
        if (number == 2) progress.claim = Claim::Ready;
        return Server::null_session(std::move(client), number, progress);
    });
    Client silent(server.socket), one(server.socket);
    one.send(hello());
    EXPECT_TRUE(one.alive());
    EXPECT_TRUE(server.logs("client 1: has not logged in"));
    Client late(server.socket);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_TRUE(one.alive());
}

TEST(Server, ThoseThatHaveLoggedInWaitForAPlace) {
    const ServerLimits limits{.clients = 1, .clients_begin = false, .newcomers = 2};
    Server server(limits, [](Descriptor client, unsigned number, Progress& progress) {
        progress.claim = Claim::Ready;
        while (progress.claim != Claim::Granted) std::this_thread::yield();
        return Server::null_session(std::move(client), number, progress);
    });
    Client one = greet(server), two(server.socket);
    two.send(hello() + wait_for(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_FALSE(two.has_answer());
    one.close();
    EXPECT_EQ(two.receive(12), bytes_of({1, 7, 0}));
}

TEST(Server, WaitsWhenFilesAreShort) {
    Server server;
    Client one = greet(server);
    const rlim_t free = server.first_free();
    // The pipe of a client needs two files, then comes the connection.
    for (const rlim_t more : {0, 1, 2}) {
        server.limit_files(free + more);
        Client two(server.socket);
        two.send(hello() + wait_for(0));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT_TRUE(one.alive());
        server.limit_files(1024);
        EXPECT_EQ(two.receive(12), bytes_of({1, 7, 0})) << "it waited in the queue";
        EXPECT_TRUE(two.alive());
    }
    EXPECT_TRUE(server.logs("cannot accept a client now: Too many open files"));
    EXPECT_EQ(server.end(), 0);
}

TEST(Server, OutlivesManyClientsThatBreakOff) {
    Server server;
    Client stays = greet(server);
    const size_t before = server.open_files();
    const std::vector<Bytes> begins{{},
                                    Bytes(1),
                                    bytes_of({6, 8}) + text_bytes("gear"),
                                    bytes_of({0, 99}),
                                    bytes_of({UINT32_MAX, 8}),
                                    hello() + bytes_of({1000, 6, 1}),
                                    hello() + ask_version(2) + make2(5, 1 << 20),
                                    hello() + ask_version(2) + make2(5, UINT32_MAX)};
    for (int i = 0; i < 300; i++) {
        Client client(server.socket);
        ASSERT_TRUE(client.connected()) << i;
        client.send(begins[i % begins.size()]);
    }
    EXPECT_TRUE(stays.alive());
    for (int tries = 0; tries < 1000 && server.open_files() > before; tries++)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LE(server.open_files(), before);  // the server may not have closed its copy of the first one then
}

TEST(Server, TakesNoFilesOfGuests) {
    Server server({}, [](Descriptor client, unsigned number, Progress& progress) {
        const size_t before = Server::files_of(getpid());
        const int status = Server::null_session(std::move(client), number, progress);
        fmt::print(stderr, "{} more files\n", Server::files_of(getpid()) + 1 - before);  // without the socket
        return status;
    });
    int pipe[2];
    ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
    const Descriptor in(pipe[0]), out(pipe[1]), memory(memfd_create("x", MFD_CLOEXEC)),
        folder(open("/", O_RDONLY | O_CLOEXEC)), full(open("/dev/full", O_WRONLY | O_CLOEXEC));
    Client client(server.socket);
    client.send_with_file(hello(), in.number());
    EXPECT_TRUE(client.alive());
    for (const Descriptor* file : {&in, &out, &memory, &folder, &full})
        for (int i = 0; i < 100; i++) {
            client.send_with_file(wait_for(0), file->number());
            ASSERT_EQ(client.receive(12), bytes_of({1, 7, 0}));
        }
    client.close();
    EXPECT_TRUE(server.logs("client 1: 0 more files"));
}

TEST(Server, EndsAClientThatNeverReads) {
    Server server({.timeout = std::chrono::seconds(1)});
    Client reads = greet(server), never(server.socket);
    never.send(hello());
    const std::string_view ends = "client 2: no progress in 1 s";
    for (int i = 0; i < 1000 && server.log().find(ends) == std::string::npos; i++) {
        for (int asks = 0; asks < 100; asks++) never.send_if_there_is_room(bytes_of({0, 9}));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(server.logs(ends));
    EXPECT_TRUE(reads.alive());
}

TEST(Server, LogsWhatProcessesPrintLineByLine) {
    Server server({}, [](Descriptor client, unsigned number, Progress& progress) {
        std::fputs("log: client 1: one\n", stderr);
        std::fputs("two \x1b[2J\n\n", stdout);
        std::fflush(stdout);
        std::fputs("no end", stderr);
        if (number == 2) return 0;
        return Server::null_session(std::move(client), number, progress);
    });
    Client one(server.socket);
    one.send(hello());
    EXPECT_TRUE(server.logs("log: client 1: one\nlog: client 1: two \\x1b[2J\nlog: client 1: \n"));
    Client two(server.socket);
    two.send(hello());
    EXPECT_TRUE(server.logs("log: client 2: no end\n"));
}

TEST(Server, LogsOnlySoMuch) {
    Server server({}, [](Descriptor client, unsigned number, Progress& progress) {
        const std::string endless(100'000, 'x');
        std::fwrite(endless.data(), 1, endless.size(), stderr);
        for (int i = 0; i < 100'000; i++) std::fputs("\ny", stderr);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        return Server::null_session(std::move(client), number, progress);
    });
    Client client = greet(server);
    EXPECT_TRUE(server.logs("too many lines"));
    EXPECT_LT(server.log().size(), 20'000u);
}

TEST(Server, OneThatServesItsOnlyClientItselfEscapesItsOutput) {
    const Folder folder;
    const fs::path path = folder.path / "log";
    const pid_t process = fork();
    if (process == 0) {
        Log log("log", 1000, [&](const std::string& line) { std::ofstream(path, std::ios::app) << line; });
        {
            const LoggedOutput output(log);
            std::fputs("log: one\ntwo \x1b[2J\nno end", stderr);
        }
        _exit(fs::file_size(path) > 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0) << "all is logged before the process ends";
    std::ifstream in(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "log: one\nlog: two \\x1b[2J\nlog: no end\n");
}

TEST(Server, OneClientDoesNotSilenceTheOthers) {
    Server server({}, [](Descriptor client, unsigned number, Progress& progress) {
        for (int i = 0; i < (number == 1 ? 3000 : 1); i++) std::fputs("a line\n", stderr);
        std::fflush(stderr);
        return Server::null_session(std::move(client), number, progress);
    });
    Client loud = greet(server);
    ASSERT_TRUE(server.logs("client 1: too many lines") || server.logs("too many lines"));
    Client quiet = greet(server);
    EXPECT_TRUE(server.logs("client 2: a line"));
}

TEST(Server, EndsAProcessThatDoesNotGetOn) {
    Server server({.timeout = std::chrono::seconds(1)}, [](Descriptor client, unsigned number, Progress& progress) {
        while (number == 2) std::this_thread::sleep_for(std::chrono::seconds(1));
        return Server::null_session(std::move(client), number, progress);
    });
    Client idle = greet(server), stuck(server.socket);
    stuck.send(hello());
    EXPECT_THAT(stuck.receive(1), testing::IsEmpty());
    EXPECT_TRUE(idle.alive()) << "a guest may do nothing for longer";
    EXPECT_TRUE(server.logs("client 2: no progress in 1 s"));
}

TEST(Server, EndsClientsThatDoNotEndAMessage) {
    Server server({.clients = 3, .timeout = std::chrono::seconds(1)});
    Client idle = greet(server), first(server.socket), second(server.socket), waits(server.socket);
    first.send(Bytes(1));
    second.send(hello() + bytes_of({1000, 6, 1}));
    waits.send(hello());
    EXPECT_TRUE(waits.alive()) << "in the place of one of them";
    EXPECT_THAT(first.receive(1), testing::IsEmpty());
    EXPECT_THAT(second.receive(1), testing::IsEmpty());
    EXPECT_TRUE(idle.alive());
}

TEST(Socket, ReplacesOnlyTheSocketOfADeadServer) {
    const Folder folder;
    const std::string path = (folder.path / "socket").string();
    {
        const auto first = listen_at(path);
        ASSERT_TRUE(first) << first.error();
        const auto second = listen_at(path);
        ASSERT_FALSE(second);
        EXPECT_THAT(second.error(), HasSubstr("another server"));
    }
    EXPECT_TRUE(fs::exists(path));
    const mode_t before = umask(0);
    EXPECT_TRUE(listen_at(path));
    umask(before);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all) << "whatever the user's mask is";
    const std::string file = (folder.path / "file").string();
    std::ofstream(file) << "x";
    const auto on_file = listen_at(file);
    ASSERT_FALSE(on_file);
    EXPECT_THAT(on_file.error(), HasSubstr("not a socket"));
    EXPECT_EQ(fs::file_size(file), 1u);
    EXPECT_FALSE(listen_at(folder.path.string() + "/no/socket"));
    EXPECT_FALSE(listen_at(""));
    EXPECT_FALSE(listen_at(std::string(200, 'x')));
}

TEST(Socket, ReadsExactlyWhatWasAskedFor) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    SocketStream stream{Descriptor(ends[0])};
    {
        const Descriptor guest(ends[1]);
        std::thread slow([&] {
            for (const char c : std::string("abcdef")) {
                ::send(guest.number(), &c, 1, 0);
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        });
        Bytes four(4), two(2);
        EXPECT_EQ(stream.read(four), Got::All);
        EXPECT_EQ(stream.read(two), Got::All);
        EXPECT_EQ(four + two, text_bytes("abcdef"));
        slow.join();
        ::send(guest.number(), "gh", 2, 0);
    }
    Bytes four(4);
    EXPECT_EQ(stream.read(four), Got::Lost);
    EXPECT_EQ(stream.read(four), Got::End);
    EXPECT_FALSE(stream.write(four)) << "and no SIGPIPE";
    EXPECT_FALSE(stream.send_file(0));
}

/// In a process of its own: serve_one() ends with its standard output closed.
TEST(ServeOne, ServesOneAndRemovesTheSocket) {
    const Folder folder;
    const std::string path = (folder.path / "socket").string();
    auto listener = listen_at(path);
    ASSERT_TRUE(listener);
    const pid_t process = fork();
    if (process == 0) {
        Log log("server");
        _exit(serve_one(std::move(*listener), path, log, Server::null_session).value_or(1));
    }
    {
        Client client(path);
        client.send(hello());
        EXPECT_TRUE(client.alive());
    }
    int status = -1;
    ASSERT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(fs::exists(path));
}

/// accept(2): descriptors and memory may be there later; other errors end a server.
TEST(Listeners, GoOnAfterShortages) {
    for (const int error : {EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN}) EXPECT_TRUE(process::is_shortage(error)) << error;
    for (const int error : {EBADF, EINVAL, ENOTSOCK}) EXPECT_FALSE(process::is_shortage(error)) << error;
    const auto client = process::accept_client(Descriptor());
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error(), EBADF);
}

}  // namespace
}  // namespace tgsi2spv::vtest::test
