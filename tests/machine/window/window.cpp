// A machine's window on X11 and Wayland: the machine's end of it in this process, the window in one of its own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/input-event-codes.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "generated_rounds.h"
#include "machine/virtio_gpu/viewers.h"

namespace tgsi2spv::window::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using virtio_gpu::Rect;
using virtio_gpu::ViewerEvent;

using Clock = std::chrono::steady_clock;

constexpr uint32_t kFormat = 1;  // B8G8R8A8
constexpr uint32_t kScreenWidth = 1000, kScreenHeight = 700;

/// A program of the desktop, which ends with this process.
pid_t start(const std::vector<std::string>& words, int kept_file = -1, const std::string& errors = {}) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (kept_file >= 0) fcntl(kept_file, F_SETFD, 0);
    if (!errors.empty() && std::freopen(errors.c_str(), "w", stderr) == nullptr) _exit(126);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
}

/// What a command prints.
std::string output_of(const std::string& command) {
    std::string all;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) abort();
    for (int byte; (byte = std::fgetc(pipe)) != EOF;) all += static_cast<char>(byte);
    pclose(pipe);
    return all;
}

bool is_installed(const char* program) {
    return std::system(("command -v " + std::string(program) + " >/dev/null").c_str()) == 0;
}

class Windows : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* tool : {"Xvfb", "xdotool", "import", "xclip"})
            if (!is_installed(tool)) GTEST_SKIP() << tool << " is not installed";
        std::filesystem::create_directories(folder);
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const std::string size = std::to_string(kScreenWidth) + "x" + std::to_string(kScreenHeight) + "x24";
        server = start({"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen", "0", size, "-nolisten", "tcp"});
        close(ends[1]);
        char number[16]{};
        ASSERT_GT(read(ends[0], number, sizeof number - 1), 0);
        close(ends[0]);
        setenv("DISPLAY", (":" + std::string(number, strcspn(number, "\n"))).c_str(), 1);
        setenv("SDL_VIDEODRIVER", "x11", 1);
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // of the window's process: drivers leak
        setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
    }
    void TearDown() override {
        viewers = nullptr;
        display.viewers().clear();
        for (int i = 0; i < 500 && window > 0; i++) {
            if (waitpid(window, nullptr, WNOHANG) != 0) window = 0;
            usleep(10'000);
        }
        EXPECT_THAT(said(), Not(HasSubstr("validation:")));
        for (const pid_t process : {window, compositor, server})
            if (process > 0) kill(process, SIGKILL), waitpid(process, nullptr, 0);
        std::filesystem::remove_all(folder);
    }
    /// The window's messages.
    std::string said() const { return output_of("cat " + (folder / "errors").string() + " 2>&1"); }
    void open() {
        int ends[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        process::Descriptor own(ends[0]), its(ends[1]);
        window = start({TGSI_HOST_WINDOW, std::to_string(its.number()), "llvmpipe", "a machine", "validate"},
                       its.number(), folder / "errors");
        its = process::Descriptor();
        char ready;
        ASSERT_EQ(recv(own.number(), &ready, 1, 0), 1) << said();
        viewers = std::make_unique<virtio_gpu::Viewers>(
            process::Descriptor(), display, [this](const ViewerEvent& event) { events.push_back(event); },
            [this](std::string text) { texts.push_back(std::move(text)); });
        viewers->add_window(std::move(own));
    }
    /// Serves the window until something is so. False: it is not, for long.
    bool serve_until(const std::function<bool()>& is_so) {
        for (const auto end = Clock::now() + std::chrono::seconds(20); Clock::now() < end;) {
            std::vector<pollfd> waits;
            viewers->add_waits(waits);
            poll(waits.data(), waits.size(), 10);
            viewers->serve(waits);
            if (is_so()) return true;
        }
        return false;
    }
    /// A picture whose texels all differ.
    void show(uint32_t width, uint32_t height, uint32_t seed) {
        std::vector<uint32_t> texels(size_t{width} * height);
        for (size_t i = 0; i < texels.size(); i++)
            texels[i] = (static_cast<uint32_t>(i + 1) * 0x9e3779b1u + seed) & 0xffffff;
        display.resize(0, width, height);
        display.put(0, {0, 0, width, height}, kFormat, std::as_bytes(std::span(texels)));
    }
    /// Whether the screen shows the display's picture at this place.
    bool is_shown_at(uint32_t left, uint32_t top) const {
        const std::string screen = output_of("import -window root -depth 8 rgb:-");
        const virtio_gpu::Screen& shown = display.screen(0);
        if (screen.size() != size_t{kScreenWidth} * kScreenHeight * 3) return false;
        for (size_t y = 0; y < shown.height; y++)
            for (size_t x = 0; x < shown.width; x++) {
                const auto* rgb = reinterpret_cast<const uint8_t*>(&screen[((top + y) * kScreenWidth + left + x) * 3]);
                const uint32_t pixel = uint32_t{rgb[0]} << 16 | uint32_t{rgb[1]} << 8 | rgb[2];
                if (pixel != (shown.pixels[y * shown.width + x] & 0xffffff)) return false;
            }
        return true;
    }
    /// As the user does it. WINDOW becomes the window's number.
    static void use(const std::string& commands) {
        const std::string command = "WINDOW=$(timeout 60 xdotool search --sync --name '^a machine'); " + commands;
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    /// The window's, as 320x200.
    static std::string size() {
        std::string size = output_of(
            "timeout 60 xdotool search --sync --name '^a machine' getwindowgeometry | sed -n 's/.*Geometry: //p'");
        return size.substr(0, size.find('\n'));
    }
    /// At the left top of the screen, with the keyboard.
    void focus() {
        use("timeout 60 xdotool windowmove --sync $WINDOW 0 0 windowfocus --sync $WINDOW");
        EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
        events.clear();
    }
    bool has_event(uint32_t kind, uint32_t a, uint32_t b, uint32_t c) {
        return serve_until([&] {
            return std::ranges::any_of(
                events, [&](const ViewerEvent& e) { return e.kind == kind && e.a == a && e.b == b && e.c == c; });
        });
    }

    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("window-" + std::to_string(getpid()));
    std::string logged;
    process::Log log{"test", 1000, [this](const std::string& line) { logged += line; }};
    virtio_gpu::Display display{log};
    std::vector<ViewerEvent> events;
    std::vector<std::string> texts;
    std::unique_ptr<virtio_gpu::Viewers> viewers;
    pid_t server = 0, compositor = 0, window = 0;
};

TEST_F(Windows, WindowShowsThePictureInItsSize) {
    show(320, 200, 1);
    open();
    focus();
    show(501, 333, 2);
    const auto soon = Clock::now() + std::chrono::milliseconds(80);
    serve_until([&] { return Clock::now() > soon; });
    show(320, 200, 3);  // before the window has settled
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
    show(501, 333, 4);
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
    const std::vector<uint32_t> texels(60, 0x00ff8001);
    display.put(0, {100, 200, 10, 6}, kFormat, std::as_bytes(std::span(texels)));
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
    EXPECT_THAT(events, Each(Field(&ViewerEvent::kind, Not(uint32_t{ViewerEvent::Size}))))
        << "the guest has these sizes by itself";
}

TEST_F(Windows, WindowIsNotLargerThanTheDesktop) {
    show(320, 200, 1);
    open();
    focus();
    show(4 * kScreenWidth, 2 * kScreenHeight, 2);
    EXPECT_TRUE(serve_until([] { return size() == "1000x350"; })) << size();
    show(16384, 1, 3);
    EXPECT_TRUE(serve_until([] { return size() == "1000x64"; })) << size();
    show(320, 200, 4);
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
}

TEST_F(Windows, KeysReachTheMachine) {
    show(320, 200, 1);
    open();
    focus();
    use("timeout 60 xdotool keydown a keyup a key ctrl+F11 key F11 keydown 105 keyup 105 key Left");
    EXPECT_TRUE(has_event(ViewerEvent::Key, KEY_LEFT, 0, 0));
    std::vector<std::pair<uint32_t, uint32_t>> keys;
    for (const ViewerEvent& e : events)
        if (e.kind == ViewerEvent::Key) keys.emplace_back(e.a, e.b);
    using P = std::pair<uint32_t, uint32_t>;
    EXPECT_THAT(keys,
                ElementsAre(P(KEY_A, 1), P(KEY_A, 0), P(KEY_LEFTCTRL, 1), P(KEY_F11, 1), P(KEY_LEFTCTRL, 0),
                            P(KEY_F11, 0), P(KEY_RIGHTCTRL, 1), P(KEY_RIGHTCTRL, 0), P(KEY_LEFT, 1), P(KEY_LEFT, 0)))
        << "F11 alone is the window's";
}

/// While it has the keyboard, the whole desktop waits for the window.
TEST_F(Windows, WindowDoesNotWaitForTheRestOfAMessage) {
    show(320, 200, 1);
    open();
    focus();
    ASSERT_EQ(send(display.viewers()[0].socket(), "part", 4, 0), 4);
    use("timeout 60 xdotool key b");
    EXPECT_TRUE(has_event(ViewerEvent::Key, KEY_B, 0, 0));
}

TEST_F(Windows, MachineThatReadsNothingDoesNotKeepTheKeyboard) {
    show(320, 200, 1);
    open();
    focus();
    use("for i in $(seq 8); do timeout 60 xdotool key --delay 0 $(yes a | head -n 50); done");
    EXPECT_EQ(std::system("timeout 20 xdotool search --sync --name '^a machine$'"), 0)
        << "the title says who has the keyboard";
}

TEST_F(Windows, WindowWithoutTheFocusTakesNoKeys) {
    show(320, 200, 1);
    open();
    focus();
    use("xdotool keydown b windowfocus 0 keyup b");
    EXPECT_TRUE(has_event(ViewerEvent::Key, KEY_B, 0, 0)) << "it is let go";
    events.clear();
    use("xdotool key --window $WINDOW c windowfocus --sync $WINDOW key d");
    EXPECT_TRUE(has_event(ViewerEvent::Key, KEY_D, 0, 0));
    EXPECT_THAT(events, Each(Not(AllOf(Field(&ViewerEvent::a, KEY_C), Field(&ViewerEvent::b, 1)))));
}

TEST_F(Windows, PointerIsAtThePlaceInThePicture) {
    show(320, 200, 1);
    open();
    focus();
    use("timeout 60 xdotool mousemove 319 0 click 3 click 4 mousemove 0 199");
    EXPECT_TRUE(has_event(ViewerEvent::Pointer, 32767, 0, 4));
    EXPECT_TRUE(has_event(ViewerEvent::Pointer, 32767, 0, 8)) << "the wheel";
    EXPECT_TRUE(has_event(ViewerEvent::Pointer, 0, 32767, 0));
}

TEST_F(Windows, GuestIsAskedForTheWindowsSize) {
    show(320, 200, 1);
    open();
    focus();
    use("timeout 60 xdotool windowsize --sync $WINDOW 640 400");
    EXPECT_TRUE(has_event(ViewerEvent::Size, 640, 400, 0));
    show(640, 400, 2);
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
    show(320, 200, 3);
    EXPECT_TRUE(serve_until([] { return size() == "320x200"; }));
    events.clear();
    use("timeout 60 xdotool windowsize --sync $WINDOW 640 400");
    EXPECT_TRUE(has_event(ViewerEvent::Size, 640, 400, 0)) << "again";
}

TEST_F(Windows, ClipboardsAreShared) {
    show(320, 200, 1);
    open();
    focus();
    viewers->tell_text("from the guest");
    EXPECT_TRUE(serve_until([] { return output_of("timeout 1 xclip -o -selection clipboard") == "from the guest"; }));
    ASSERT_EQ(std::system("printf 'for the guest' | xclip -selection clipboard"), 0);
    EXPECT_TRUE(serve_until([this] { return !texts.empty(); }));
    EXPECT_THAT(texts, ElementsAre("for the guest"));
}

TEST_F(Windows, GuestsTextWaitsForTheFocus) {
    ASSERT_EQ(std::system("printf 'of the user' | xclip -selection clipboard"), 0);
    show(320, 200, 1);
    open();
    use("timeout 60 xdotool windowmove --sync $WINDOW 0 0 windowfocus --sync $WINDOW");
    EXPECT_TRUE(serve_until([this] { return !texts.empty(); }));
    use("xdotool windowfocus 0");
    viewers->tell_text("from the guest");
    show(320, 200, 2);
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); })) << "the text has come before";
    EXPECT_EQ(output_of("timeout 1 xclip -o -selection clipboard"), "of the user");
    use("timeout 60 xdotool windowfocus --sync $WINDOW");
    EXPECT_TRUE(serve_until([] { return output_of("timeout 1 xclip -o -selection clipboard") == "from the guest"; }));
}

TEST_F(Windows, MachineGoesOnWithoutTheDesktop) {
    show(320, 200, 1);
    open();
    focus();
    kill(server, SIGKILL);
    EXPECT_TRUE(serve_until([this] { return display.viewers().empty(); }));
    EXPECT_THAT(logged, HasSubstr("the window is closed: the machine goes on without it"));
}

TEST_F(Windows, WindowEndsWithTheMachine) {
    show(320, 200, 1);
    open();
    focus();
    viewers = nullptr;
    display.viewers().clear();
    int status = -1;
    for (int i = 0; i < 500 && waitpid(window, &status, WNOHANG) == 0; i++) usleep(10'000);
    EXPECT_EQ(status, 0);
    window = 0;
}

/// Weston's own window is the compositor's screen, at the left top of the X server's. (Without a keyboard, as its
/// headless backend has none, SDL 2.26 crashes.) On a busy machine, Weston 10 now and then sends the window no pointer.
TEST_F(Windows, WaylandWindowFillsTheScreen) {
    if (!is_full()) GTEST_SKIP() << "tools/test --full runs this";
    if (!is_installed("weston")) GTEST_SKIP() << "weston is not installed";
    compositor = start({"weston", "--backend=x11-backend.so", "--use-pixman", "--socket=wayland-test", "--idle-time=0",
                        "--width=800", "--height=600", "--log=" + (folder / "weston.log").string()});
    for (int i = 0; i < 500 && !std::filesystem::exists(folder / "wayland-test"); i++) usleep(10'000);
    setenv("WAYLAND_DISPLAY", "wayland-test", 1);
    setenv("SDL_VIDEODRIVER", "wayland", 1);
    setenv("SDL_VIDEO_WAYLAND_ALLOW_LIBDECOR", "0", 1);  // whose shadows move a full window in Weston 10
    show(800, 600, 1);
    display.set_cursor(0, {.visible = true, .pixels = {}});  // the guest's, which is transparent
    open();
    EXPECT_TRUE(serve_until(
        [this] { return std::system("timeout 60 xdotool mousemove 400 300 click 1") == 0 && !events.empty(); }));
    EXPECT_FALSE(is_shown_at(0, 0)) << "where the compositor has its panel";
    ASSERT_EQ(std::system("timeout 60 xdotool key F11"), 0);
    EXPECT_TRUE(serve_until([this] { return is_shown_at(0, 0); }));
}

}  // namespace
}  // namespace tgsi2spv::window::test
