#include "machine/vnc/viewer.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <rfb/rfb.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "machine/virtio_gpu/link.h"
#include "machine/vnc/keys.h"
#include "machine/vnc/server.h"
#include "machine/vnc/text.h"

extern "C" {
#include <rfb/rfbregion.h>
}

namespace tgsi2spv::vnc {
namespace {

using virtio_gpu::Change;
using virtio_gpu::Link;
using virtio_gpu::Picture;
using virtio_gpu::ViewerEvent;
using Clock = std::chrono::steady_clock;

constexpr auto kToLogIn = std::chrono::seconds(20);
constexpr int kToShow = 1000;  // milliseconds
constexpr auto kBetweenUpdates = std::chrono::milliseconds(10);
constexpr int kToAnswer = 2000, kBetweenAnswers = 100;  // to wrong passwords
constexpr int kBetweenLooks = 20;
constexpr int kToTakeAnUpdate = 20'000;  // of a viewer that does not read
/// RFB's numbers that libvncserver does not know: QEMU's extended key event, and the name of the desktop.
constexpr int kExtendedKeys = -258, kDesktopName = -307;
constexpr uint8_t kQemuMessage = 255, kQemuKey = 0;
/// The size while the display is off.
constexpr uint32_t kNoWidth = 640, kNoHeight = 480;

struct ScreenEnd {
    void operator()(rfbScreenInfo* screen) const { rfbScreenCleanup(screen); }
};

class Viewer {
  public:
    Viewer(const ViewerOptions& options, process::Progress& progress, process::Log& log);
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;
    ~Viewer();
    bool begin(process::Descriptor socket);
    bool run(int channel);

    void press(const std::vector<KeyEvent>& events);
    void press_symbol(uint32_t symbol, bool down) { press(keys_.press_symbol(symbol, down)); }
    void press_code(uint32_t code, bool down) { press(keys_.press_code(code, down)); }
    void point(int buttons, int x, int y);
    int ask_for_size(int width, int height, int screens);
    void copy(const std::string& text);
    void take_names() { takes_names_ = true; }
    bool check_password(const char* response, int bytes);

  private:
    bool is_gone() const { return client_ == nullptr || client_->sock < 0; }
    bool log_in();
    bool wait_for_place();
    bool connect(int channel);
    void wait_for_picture();
    bool receive();
    bool has_update() const;
    void update();
    void show(const Change& change);
    bool show_end();
    void show_size();
    void show_cursor();
    void show_text();
    bool may_show_text() const { return !is_gone() && client_->state == rfbClientRec::RFB_NORMAL; }
    void fix_format();

    const ViewerOptions& options_;
    process::Progress& progress_;
    process::Log& log_;
    std::unique_ptr<rfbScreenInfo, ScreenEnd> screen_;
    std::array<const char*, 2> passwords_{};
    rfbClientRec* client_ = nullptr;
    std::optional<Link> link_;
    process::Descriptor machines_end_;  ///< the machine's end of the link, until the viewer has logged in
    Picture picture_;
    bool text_waits_ = false;  ///< the viewer does not know the picture's text yet
    bool takes_names_ = false;
    Clock::time_point next_update_{};  ///< the earliest
    Keys keys_;
};

Viewer& viewer_of(const rfbClientRec* client) {
    return *static_cast<Viewer*>(client->screen->screenData);
}

/// An update of one rectangle, of no pixels.
bool send_rectangle(rfbClientRec* client, int encoding, const std::string& content) {
    std::string update{rfbFramebufferUpdate, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t number = htonl(static_cast<uint32_t>(encoding));
    update.append(reinterpret_cast<const char*>(&number), sizeof number);
    update += content;
    return rfbWriteExact(client, update.data(), static_cast<int>(update.size())) > 0;
}

void send_name(rfbClientRec* client, const std::string& name) {
    const uint32_t size = htonl(static_cast<uint32_t>(name.size()));
    std::string content(reinterpret_cast<const char*>(&size), sizeof size);
    content += name;
    send_rectangle(client, kDesktopName, content);
}

/// The viewer sends scancodes once it is told that it may: by a rectangle of that encoding, and nothing in it.
rfbBool enable_encoding(rfbClientRec* client, void**, int encoding) {
    if (encoding == kDesktopName) viewer_of(client).take_names();
    return encoding == kDesktopName || (encoding == kExtendedKeys && send_rectangle(client, encoding, {})) ? TRUE
                                                                                                           : FALSE;
}

rfbBool read_extended_key(rfbClientRec* client, void*, const rfbClientToServerMsg* message) {
    if (message->type != kQemuMessage) return FALSE;
    struct {
        uint8_t kind, down_high, down_low;
        std::array<uint8_t, 8> symbol_and_code;
    } key{};
    static_assert(sizeof key == 11);
    if (rfbReadExact(client, reinterpret_cast<char*>(&key), sizeof key) <= 0 || key.kind != kQemuKey) {
        rfbCloseClient(client);
        return TRUE;
    }
    std::array<uint32_t, 2> numbers;
    std::memcpy(numbers.data(), key.symbol_and_code.data(), sizeof numbers);
    const bool down = (key.down_high | key.down_low) != 0;
    if (const uint32_t code = code_of_scancode(ntohl(numbers[1])); code != 0)
        viewer_of(client).press_code(code, down);
    else
        viewer_of(client).press_symbol(ntohl(numbers[0]), down);
    return TRUE;
}

/// Registers the encodings of this process, which serves one viewer: libvncserver keeps them.
void register_encodings() {
    static std::array<int, 3> encodings{kExtendedKeys, kDesktopName, 0};
    static rfbProtocolExtension extension{};
    extension.pseudoEncodings = encodings.data();
    extension.enablePseudoEncoding = enable_encoding;
    extension.handleMessage = read_extended_key;
    rfbRegisterProtocolExtension(&extension);
}

/// A cursor of libvncserver, which frees it.
rfbCursor* make_cursor(const virtio_gpu::Cursor& from) {
    constexpr uint32_t kExtent = virtio_gpu::kCursorExtent;
    auto* const cursor = static_cast<rfbCursor*>(std::calloc(1, sizeof(rfbCursor)));
    auto* const mask = static_cast<unsigned char*>(std::calloc(kExtent / 8, kExtent));
    auto* const source = static_cast<unsigned char*>(std::calloc(kExtent / 8, kExtent));
    auto* const rich = static_cast<unsigned char*>(std::malloc(sizeof from.pixels));
    auto* const alpha = static_cast<unsigned char*>(std::malloc(from.pixels.size()));
    if (cursor == nullptr || mask == nullptr || source == nullptr || rich == nullptr || alpha == nullptr) std::abort();
    for (size_t i = 0; i < from.pixels.size(); i++) {
        alpha[i] = static_cast<unsigned char>(from.visible ? from.pixels[i] >> 24 : 0);
        if (alpha[i] >= 0x80) mask[i / 8] = static_cast<unsigned char>(mask[i / 8] | 0x80 >> i % 8);
    }
    std::memcpy(rich, from.pixels.data(), sizeof from.pixels);
    cursor->cleanup = cursor->cleanupSource = cursor->cleanupMask = cursor->cleanupRichSource = TRUE;
    cursor->source = source;
    cursor->mask = mask;
    cursor->richSource = rich;
    cursor->alphaSource = alpha;
    cursor->alphaPreMultiplied = TRUE;
    cursor->width = cursor->height = kExtent;
    cursor->xhot = static_cast<unsigned short>(std::min(from.hot_x, kExtent - 1));
    cursor->yhot = static_cast<unsigned short>(std::min(from.hot_y, kExtent - 1));
    return cursor;
}

Viewer::Viewer(const ViewerOptions& options, process::Progress& progress, process::Log& log)
    : options_(options), progress_(progress), log_(log) {
    rfbLogEnable(FALSE);
    register_encodings();
    resize(picture_, kNoWidth, kNoHeight);
    resize(picture_, 0, 0);
    screen_.reset(rfbGetScreen(nullptr, nullptr, kNoWidth, kNoHeight, 8, 3, 4));
    if (screen_ == nullptr) return;
    screen_->screenData = this;
    screen_->frameBuffer = reinterpret_cast<char*>(picture_.pixels.data());
    screen_->port = screen_->ipv6port = 0;
    screen_->cursor = nullptr;  // libvncserver's own: many compositors draw theirs into the picture
    screen_->desktopName = options_.title.c_str();
    screen_->alwaysShared = TRUE;
    screen_->maxClientWait = kToTakeAnUpdate;
    screen_->deferUpdateTime = 0;  // update() has the limit: libvncserver would also hold back what comes alone
    screen_->kbdAddEvent = [](rfbBool down, rfbKeySym symbol, rfbClientRec* client) {
        viewer_of(client).press_symbol(symbol, down != 0);
    };
    screen_->ptrAddEvent = [](int buttons, int x, int y, rfbClientRec* client) {
        viewer_of(client).point(buttons, x, y);
    };
    screen_->setDesktopSizeHook = [](int width, int height, int screens, rfbExtDesktopScreen*, rfbClientRec* client) {
        return viewer_of(client).ask_for_size(width, height, screens);
    };
    screen_->setXCutText = [](char* text, int bytes, rfbClientRec* client) {
        viewer_of(client).copy(utf8_of_latin1({text, static_cast<size_t>(bytes)}));
    };
    screen_->setXCutTextUTF8 = [](char* text, int bytes, rfbClientRec* client) {
        viewer_of(client).copy({text, static_cast<size_t>(bytes)});
    };
    if (!options.password.empty()) {
        passwords_[0] = options.password.c_str();
        screen_->authPasswdData = passwords_.data();
        screen_->passwordCheck = [](rfbClientRec* client, const char* response, int bytes) -> rfbBool {
            return viewer_of(client).check_password(response, bytes) ? TRUE : FALSE;
        };
    }
    fix_format();
}

/// The end of the screen frees no client whose connection is closed.
Viewer::~Viewer() {
    if (client_ != nullptr) rfbClientConnectionGone(client_);
}

/// libvncserver's own order of colours is another one.
void Viewer::fix_format() {
    screen_->serverFormat.redShift = 16;
    screen_->serverFormat.greenShift = 8;
    screen_->serverFormat.blueShift = 0;
}

bool Viewer::begin(process::Descriptor socket) {
    std::array<int, 2> ends{};
    if (screen_ == nullptr || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    link_.emplace(process::Descriptor(ends[0]));
    machines_end_ = process::Descriptor(ends[1]);
    const int on = 1, seconds = 30, milliseconds = 60'000;
    setsockopt(socket.number(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);  // not of local ones, which need none
    for (const int option : {TCP_KEEPIDLE, TCP_KEEPINTVL})
        setsockopt(socket.number(), IPPROTO_TCP, option, &seconds, sizeof seconds);
    setsockopt(socket.number(), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (options_.confine && !options_.confine()) return false;
    // libvncserver closes the socket, and reads a handshake of WebSockets from it here.
    client_ = rfbNewClient(screen_.get(), socket.release());
    if (client_ == nullptr) return false;
    // A web page in a browser on this machine could speak to a port of it: no WebSockets.
    if (client_->wsctx != nullptr || client_->sslctx != nullptr) {
        log_.line("WebSockets are not served");
        rfbCloseClient(client_);
    }
    return !is_gone();
}

bool Viewer::run(int channel) {
    if (!log_in()) return false;
    if (!connect(channel)) return false;
    wait_for_picture();
    while (!is_gone()) {
        if (!receive()) return show_end();
        // Before that, the viewer would take it for a part of the handshake.
        if (may_show_text() && std::exchange(text_waits_, false)) show_text();
        update();
    }
    return true;
}

/// The machine's process is gone, or has no room for this viewer, which would only see that its connection is closed.
/// Its picture becomes dim, and its window's title says so.
bool Viewer::show_end() {
    link_.reset();
    picture_.pieces = {};
    for (uint32_t& pixel : picture_.pixels) pixel = pixel >> 2 & 0x3f3f3f;
    rfbMarkRectAsModified(screen_.get(), 0, 0, screen_->width, screen_->height);
    if (takes_names_) send_name(client_, "the connection to the machine has ended");
    for (const Clock::time_point end = Clock::now() + kToShowTheEnd; !is_gone() && Clock::now() < end;) {
        receive();
        update();
    }
    return true;
}

/// Serves the handshake, up to the login.
bool Viewer::log_in() {
    const Clock::time_point end = Clock::now() + kToLogIn;
    while (!is_gone() && client_->state != rfbClientRec::RFB_INITIALISATION &&
           client_->state != rfbClientRec::RFB_NORMAL) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{client_->sock, POLLIN, 0};
        if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) == 0) {
            log_.line("did not log in");
            return false;
        }
        rfbProcessClientMessage(client_);
    }
    return !is_gone() && wait_for_place();
}

/// The right one is let in at once. A wrong one keeps its place among the newcomers until its turn, so that many
/// connections at once cannot guess faster than the turns are. It also keeps the place if it hangs up: the right one
/// is answered at once, so a guesser need not wait for the answer to a wrong one.
bool Viewer::check_password(const char* response, int bytes) {
    using std::chrono::milliseconds;
    const auto now = [] { return std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count(); };
    progress_.claim = process::Claim::Answered;
    if (rfbCheckPasswordByList(client_, response, bytes) != FALSE) return true;
    log_.line("wrong password");
    const int64_t earliest = now() + kToAnswer, latest = earliest + int64_t{kMostNewcomers} * kBetweenAnswers;
    int64_t next = options_.guesses->next, turn = 0;
    do turn = next > latest ? earliest : std::max(next, earliest);  // no viewer of ours writes later ones
    while (!options_.guesses->next.compare_exchange_weak(next, turn + kBetweenAnswers));
    std::signal(SIGTERM, SIG_DFL);  // there is no end to show to it
    for (int64_t left; (left = turn - now()) > 0;) poll(nullptr, 0, static_cast<int>(left));
    return false;
}

/// Among those that have logged in.
bool Viewer::wait_for_place() {
    progress_.claim = process::Claim::Ready;
    while (progress_.claim != process::Claim::Granted) {
        pollfd gone{client_->sock, POLLRDHUP, 0};
        if (poll(&gone, 1, kBetweenLooks) > 0) return false;
    }
    return true;
}

/// Gives the other end of the link to the machine's process.
bool Viewer::connect(int channel) {
    const bool sent = process::send_file_by(channel, machines_end_.number());
    machines_end_ = process::Descriptor();
    close(channel);  // by which a hostile process could put itself in the places of other viewers
    if (!sent) log_.line("the machine has ended");
    return sent;
}

/// The first size that the viewer learns is then the size of the display.
void Viewer::wait_for_picture() {
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(kToShow);
    while (picture_.width == 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{link_->socket(), POLLIN, 0};
        if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) <= 0) return;
        const auto change = link_->receive(picture_);
        if (!change) return;
        show(*change);
    }
}

/// Waits for a message of either side, and reads it. False: the machine has ended.
bool Viewer::receive() {
    std::array<pollfd, 2> waits{{{client_->sock, POLLIN, 0}, {link_ ? link_->socket() : -1, POLLIN, 0}}};
    const auto left =
        has_update() ? std::chrono::ceil<std::chrono::milliseconds>(next_update_ - Clock::now()).count() : kToShow;
    if (poll(waits.data(), waits.size(), static_cast<int>(std::max<int64_t>(left, 0))) <= 0) return true;
    if (waits[0].revents != 0) rfbProcessClientMessage(client_);
    if (waits[1].revents == 0 || is_gone()) return true;
    const auto change = link_->receive(picture_);
    if (change) show(*change);
    return change.has_value();
}

/// Whether there is a whole picture that the viewer waits for.
bool Viewer::has_update() const {
    return FB_UPDATE_PENDING(client_) && !sraRgnEmpty(client_->requestedRegion) && picture_.pieces.empty();
}

void Viewer::update() {
    if (!has_update() || Clock::now() < next_update_) return;
    next_update_ = Clock::now() + kBetweenUpdates;
    rfbUpdateClient(client_);
}

void Viewer::show(const Change& change) {
    if (change.size) show_size();
    if (change.cursor) show_cursor();
    if (change.text) text_waits_ = true;
    if (change.pointer) {
        const virtio_gpu::Cursor& cursor = picture_.cursor;
        const auto inside = [](uint32_t at, int extent) { return std::clamp(static_cast<int>(at), 0, extent - 1); };
        screen_->cursorX = inside(cursor.x + cursor.hot_x, screen_->width);
        screen_->cursorY = inside(cursor.y + cursor.hot_y, screen_->height);
    }
    const virtio_gpu::Rect& r = change.damage;
    if (!r.empty())
        rfbMarkRectAsModified(screen_.get(), static_cast<int>(r.x), static_cast<int>(r.y),
                              static_cast<int>(r.x + r.width), static_cast<int>(r.y + r.height));
}

void Viewer::show_size() {
    if (picture_.width == 0) return rfbMarkRectAsModified(screen_.get(), 0, 0, screen_->width, screen_->height);
    rfbNewFramebuffer(screen_.get(), reinterpret_cast<char*>(picture_.pixels.data()),
                      static_cast<int>(picture_.columns), static_cast<int>(picture_.rows), 8, 3, 4);
    fix_format();
    screen_->setTranslateFunction(client_);
}

void Viewer::show_cursor() {
    rfbSetCursor(screen_.get(), make_cursor(picture_.cursor));
}

void Viewer::show_text() {
    std::string& text = picture_.text;
    if (client_->enableExtendedClipboard != 0) {
        rfbSendServerCutTextUTF8(screen_.get(), text.data(), static_cast<int>(text.size()), nullptr, 0);
    } else {
        std::string latin1 = latin1_of_utf8(text);
        rfbSendServerCutText(screen_.get(), latin1.data(), static_cast<int>(latin1.size()));
    }
}

void Viewer::copy(const std::string& text) {
    const std::string plain = with_line_feeds(text);
    if (link_ && !plain.empty() && plain.size() <= virtio_gpu::kMostText) link_->say_text(plain);
}

void Viewer::press(const std::vector<KeyEvent>& events) {
    for (const KeyEvent& event : events)
        if (link_) link_->say({ViewerEvent::Key, event.code, event.down ? 1u : 0u, 0});
}

void Viewer::point(int buttons, int x, int y) {
    // Rounded up: guests round down, and would be a pixel to the left otherwise.
    const auto scaled = [](int at, int extent) {
        const auto most = static_cast<uint32_t>(std::max(extent - 1, 1));
        return (static_cast<uint32_t>(std::clamp(at, 0, extent - 1)) * virtio_gpu::kMostPointer + most - 1) / most;
    };
    const int width = std::max(static_cast<int>(picture_.width), screen_->width);  // also the part that is not seen
    if (link_)
        link_->say(
            {ViewerEvent::Pointer, scaled(x, width), scaled(y, screen_->height), static_cast<uint32_t>(buttons)});
}

int Viewer::ask_for_size(int width, int height, int screens) {
    constexpr int kLeast = 64, kMost = 4095;  // EDID has no larger ones
    if (!link_ || picture_.size_stays) return rfbExtDesktopSize_ResizeProhibited;
    if (screens != 1) return rfbExtDesktopSize_InvalidScreenLayout;
    if (width < kLeast || height < kLeast || width > kMost || height > kMost) return rfbExtDesktopSize_OutOfResources;
    link_->say({ViewerEvent::Size, static_cast<uint32_t>(width), static_cast<uint32_t>(height), 0});
    return rfbExtDesktopSize_Success;
}

}  // namespace

bool serve_viewer(process::Descriptor socket, int channel, const ViewerOptions& options, process::Progress& progress,
                  process::Log& log) {
    std::signal(SIGPIPE, SIG_IGN);  // of a viewer that is gone
    std::signal(SIGTERM, SIG_IGN);  // of the server, with the machine: show_end()
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != options.server) return false;
    Viewer viewer(options, progress, log);
    return viewer.begin(std::move(socket)) && viewer.run(channel);
}

}  // namespace tgsi2spv::vnc
