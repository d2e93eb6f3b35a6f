#include "machine/window/window.h"

#include <SDL.h>
#include <SDL_vulkan.h>
#include <linux/input-event-codes.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <string_view>
#include <thread>
#include <utility>

#include "machine/window/keys.h"
#include "machine/window/outbox.h"
#include "machine/window/presenter.h"

namespace tgsi2spv::window {
namespace {

using virtio_gpu::Change;
using virtio_gpu::Link;
using virtio_gpu::Picture;
using virtio_gpu::ViewerEvent;

constexpr int kFirstWidth = 1280, kFirstHeight = 800, kLeastWindow = 64;
constexpr int kBetweenTries = 10;     // milliseconds, while the compositor has no image
constexpr int kBetweenPictures = 10;  // milliseconds, as for VNC's viewers
constexpr auto kNoMemory = "no memory for the picture";
constexpr int kToSettle = 150;  // milliseconds, after which the guest gets the size that a user drags
constexpr uint32_t kLeastExtent = 64, kMostAsked = 4095;  // EDID has no larger ones

uint32_t divided_by_alpha(uint32_t pixel) {
    const uint32_t alpha = pixel >> 24;
    uint32_t divided = pixel & 0xff000000;
    for (const uint32_t shift : {0u, 8u, 16u})
        if (alpha != 0) divided |= std::min(((pixel >> shift & 0xff) * 255 + alpha / 2) / alpha, 255u) << shift;
    return divided;
}

struct WindowEnd {
    void operator()(SDL_Window* window) const { SDL_DestroyWindow(window); }
};
struct CursorEnd {
    void operator()(SDL_Cursor* cursor) const { SDL_FreeCursor(cursor); }
};

class Window {
  public:
    Window(SDL_Window* window, Presenter& presenter, process::Descriptor machine, std::string title)
        : window_(window),
          presenter_(presenter),
          link_(std::move(machine)),
          outbox_(link_.socket()),
          title_(std::move(title)) {}
    /// Returns why it could not go on, or an empty string.
    std::string run();

  private:
    void listen(const std::stop_token& stop, uint32_t says);
    void say(const ViewerEvent& event);
    void handle(const SDL_Event& event);
    void handle_window(const SDL_WindowEvent& event);
    void press(const SDL_KeyboardEvent& event);
    void point(int x, int y);
    void press_button(const SDL_MouseButtonEvent& event);
    void turn(uint32_t bit, int steps);
    void set_grab(bool grab);
    void toggle_full();
    void show(const Change& change);
    void show_cursor();
    void need(bool is_so, const char* why_not);
    void fit();
    void ask_for_size();
    bool copy();
    void offer();
    void present();
    int until_present() const {
        const uint64_t now = SDL_GetTicks64();
        return now < next_present_ ? static_cast<int>(next_present_ - now) : 0;
    }
    bool has_focus() const { return (SDL_GetWindowFlags(window_) & SDL_WINDOW_INPUT_FOCUS) != 0; }
    VkExtent2D extent() const;
    Rect place() const;

    SDL_Window* const window_;
    Presenter& presenter_;
    Link link_;
    Outbox outbox_;
    const std::string title_;
    Picture picture_;                        ///< the listener's, until it has given its change_ to this thread
    std::optional<Change> change_;           ///< none: the machine has ended
    std::counting_semaphore<> is_shown_{0};  ///< the listener may go on
    bool size_stays_ = false;
    uint32_t width_ = 0, height_ = 0;  ///< size of the picture that is shown; it stays while the display is off
    VkExtent2D all_{};                 ///< the display's size: what is too much for Vulkan is not shown
    bool runs_ = true, stale_ = true;
    std::string why_;            ///< it cannot go on
    uint64_t next_present_ = 0;  ///< the earliest, in SDL's milliseconds
    uint32_t resized_ = 0;       ///< the time at which the user changed the size; 0: the guest knows it
    VkExtent2D asked_{};         ///< the guest was asked for this size last
    bool owns_f11_ = false;      ///< it is down, and the guest does not know
    bool frees_grab_ = false;    ///< Ctrl and Alt are down, and no other key has been
    uint32_t x_ = 0, y_ = 0, buttons_ = 0;
    std::string text_;                  ///< both clipboards have it
    std::optional<std::string> given_;  ///< the guest's, which waits until the window has the focus
    std::unique_ptr<SDL_Cursor, CursorEnd> cursor_;
};

/// Reads the machine's messages, in a thread of its own. The window's thread never waits for them: while it has the
/// keyboard, the whole desktop would wait, and keys that are typed for another program would go to the guest.
void Window::listen(const std::stop_token& stop, uint32_t says) {
    while (!stop.stop_requested()) {
        change_ = link_.receive(picture_);
        const bool goes_on = change_.has_value();
        SDL_Event event{};
        event.type = says;
        while (SDL_PushEvent(&event) != 1 && !stop.stop_requested()) SDL_Delay(kBetweenTries);
        is_shown_.acquire();
        if (!goes_on) return;
    }
}

std::string Window::run() {
    const uint32_t says = SDL_RegisterEvents(1);
    std::jthread listener([this, says](const std::stop_token& stop) { listen(stop, says); });
    while (runs_) {
        SDL_Event event;
        const int wait = stale_ ? until_present() : outbox_.waits() ? kBetweenTries : resized_ != 0 ? kToSettle : -1;
        for (int got = SDL_WaitEventTimeout(&event, wait); got != 0 && runs_; got = SDL_PollEvent(&event)) {
            if (event.type != says) {
                handle(event);
                continue;
            }
            runs_ &= change_.has_value();
            if (change_) show(*change_);
            is_shown_.release();
            if (stale_ && until_present() == 0) break;  // more may come for long
        }
        outbox_.send();
        if (resized_ != 0 && SDL_GetTicks() - resized_ >= uint32_t{kToSettle}) ask_for_size();
        if (stale_ && until_present() == 0) present();
    }
    listener.request_stop();
    shutdown(link_.socket(), SHUT_RDWR);  // the listener reads from it
    is_shown_.release();
    return why_;
}

/// A machine that reads nothing gets nothing more, and must not keep the desktop's keys.
void Window::say(const ViewerEvent& event) {
    if (!outbox_.say(event)) set_grab(false);
}

void Window::handle(const SDL_Event& event) {
    switch (event.type) {
        case SDL_QUIT:
            runs_ = false;
            break;
        case SDL_WINDOWEVENT:
            return handle_window(event.window);
        case SDL_KEYDOWN:
        case SDL_KEYUP:
            return press(event.key);
        case SDL_MOUSEMOTION:
            return point(event.motion.x, event.motion.y);
        case SDL_MOUSEBUTTONDOWN:
        case SDL_MOUSEBUTTONUP:
            return press_button(event.button);
        case SDL_MOUSEWHEEL:
            turn(event.wheel.y > 0 ? 3 : 4, event.wheel.y);
            return turn(event.wheel.x < 0 ? 5 : 6, event.wheel.x);
        case SDL_CLIPBOARDUPDATE:
            copy();
            break;
        default:
            break;
    }
}

void Window::handle_window(const SDL_WindowEvent& event) {
    stale_ = true;
    switch (event.event) {
        case SDL_WINDOWEVENT_RESIZED:  // not by SDL_SetWindowSize()
            resized_ = std::max(SDL_GetTicks(), 1U);
            break;
        case SDL_WINDOWEVENT_FOCUS_GAINED:
            set_grab(true);
            if (copy()) given_.reset();  // what the user has copied since counts
            return offer();
        case SDL_WINDOWEVENT_FOCUS_LOST:
            return set_grab(false);
        default:
            break;
    }
}

/// As in virt-viewer: F11 alone is for the window, and Ctrl and Alt together let the keyboard go.
void Window::press(const SDL_KeyboardEvent& event) {
    const bool down = event.state == SDL_PRESSED;
    if (event.repeat != 0) return;  // the guest repeats keys itself
    if (down && !has_focus()) return;
    const bool frees = std::exchange(frees_grab_, false);
    const bool is_f11 = event.keysym.scancode == SDL_SCANCODE_F11, ctrl = (SDL_GetModState() & KMOD_CTRL) != 0;
    if (is_f11 && down && !ctrl && (SDL_GetModState() & KMOD_ALT) == 0) {
        owns_f11_ = true;
        return toggle_full();
    }
    if (is_f11 && !down && std::exchange(owns_f11_, false)) return;
    const uint32_t code = code_of_scancode(event.keysym.scancode);
    if (code == 0) return;
    say({ViewerEvent::Key, code, down ? 1U : 0U, 0});
    const bool modifies = code == KEY_LEFTCTRL || code == KEY_RIGHTCTRL || code == KEY_LEFTALT;
    if (!down && modifies && frees) set_grab(SDL_GetWindowKeyboardGrab(window_) == SDL_FALSE);
    if (down) frees_grab_ = modifies && ctrl && (SDL_GetModState() & KMOD_LALT) != 0;
}

void Window::toggle_full() {
    const bool is_full = (SDL_GetWindowFlags(window_) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    SDL_SetWindowFullscreen(window_, is_full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
    resized_ = std::max(SDL_GetTicks(), 1U);
}

void Window::set_grab(bool grab) {
    SDL_SetWindowKeyboardGrab(window_, grab ? SDL_TRUE : SDL_FALSE);
    SDL_SetWindowTitle(window_, grab ? (title_ + " (Ctrl+Alt releases the keyboard)").c_str() : title_.c_str());
}

VkExtent2D Window::extent() const {
    int width = 0, height = 0;
    SDL_Vulkan_GetDrawableSize(window_, &width, &height);
    return {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
}

/// Of the picture in the window: as large as it fits, in the middle.
Rect Window::place() const {
    const VkExtent2D all = extent();
    if (width_ == 0 || all.width == 0 || all.height == 0) return {};
    const bool wide = uint64_t{all.width} * height_ > uint64_t{all.height} * width_;
    const uint32_t width = wide ? static_cast<uint32_t>(uint64_t{all.height} * width_ / height_) : all.width;
    const uint32_t height = wide ? all.height : static_cast<uint32_t>(uint64_t{all.width} * height_ / width_);
    return {(all.width - width) / 2, (all.height - height) / 2, width, height};
}

void Window::point(int x, int y) {
    int width = 0, height = 0;
    SDL_GetWindowSize(window_, &width, &height);
    const Rect r = place();
    if (r.width < 2 || r.height < 2 || width == 0 || height == 0) return;
    const VkExtent2D all = extent();
    // Rounded up: guests round down, and would be a pixel to the left otherwise.
    const auto scaled = [](int64_t at, uint32_t start, uint32_t of, uint32_t texels, uint32_t extent) {
        const int64_t inside = std::clamp<int64_t>(at - start, 0, of - 1), most = extent - 1;
        const int64_t texel = inside * texels / of;
        return most == 0 ? 0 : static_cast<uint32_t>((texel * virtio_gpu::kMostPointer + most - 1) / most);
    };
    x_ = scaled(int64_t{x} * all.width / width, r.x, r.width, width_, all_.width);
    y_ = scaled(int64_t{y} * all.height / height, r.y, r.height, height_, all_.height);
    say({ViewerEvent::Pointer, x_, y_, buttons_});
}

void Window::press_button(const SDL_MouseButtonEvent& event) {
    constexpr uint8_t kBits[] = {0, 0, 1, 2, 7, 8};  // SDL's buttons begin at 1
    if (event.button >= std::size(kBits) || event.button == 0) return;
    const uint32_t bit = 1U << kBits[event.button];
    buttons_ = event.state == SDL_PRESSED ? buttons_ | bit : buttons_ & ~bit;
    point(event.x, event.y);
}

void Window::turn(uint32_t bit, int steps) {
    for (int i = 0; i < std::min(std::abs(steps), 16); i++)
        for (const uint32_t buttons : {buttons_ | 1U << bit, buttons_}) say({ViewerEvent::Pointer, x_, y_, buttons});
}

void Window::show(const Change& change) {
    if (change.size && picture_.width != 0) {
        const uint32_t most = presenter_.most_extent(), width = std::min(picture_.columns, most);
        const uint32_t height = std::min(picture_.rows, most);
        if (width != width_ || height != height_) asked_ = {};  // it may be asked for this size again
        width_ = width;
        height_ = height;
        all_ = {picture_.width, picture_.height};
        need(presenter_.resize(width_, height_), kNoMemory);
        fit();
    }
    if (change.size && picture_.width == 0) need(presenter_.put(picture_, {0, 0, width_, height_}), kNoMemory);
    size_stays_ = picture_.size_stays;
    if (change.cursor) show_cursor();
    if (change.text) given_ = picture_.text;
    if (has_focus()) offer();
    need(presenter_.put(picture_, intersection(change.damage, {0, 0, width_, height_})), kNoMemory);
    stale_ |= change.size || !change.damage.empty();
}

void Window::need(bool is_so, const char* why_not) {
    runs_ &= is_so;
    if (!is_so) why_ = why_not;
}

/// The window takes the size of the picture, unless the user has made it as large as the screen.
void Window::fit() {
    const VkExtent2D now = extent();
    if ((SDL_GetWindowFlags(window_) & (SDL_WINDOW_FULLSCREEN_DESKTOP | SDL_WINDOW_MAXIMIZED)) != 0) return;
    int width = 0, height = 0;
    SDL_GetWindowSize(window_, &width, &height);
    if (resized_ != 0 || now.width == 0 || now.height == 0) return;
    SDL_Rect usable{0, 0, kFirstWidth, kFirstHeight};
    SDL_GetDisplayUsableBounds(std::max(SDL_GetWindowDisplayIndex(window_), 0), &usable);
    // In the desktop's units, which are not texels on a display of high density.
    const double wide = 1.0 * width_ * width / now.width, high = 1.0 * height_ * height / now.height;
    const double scale = std::min({1.0, usable.w / wide, usable.h / high});
    SDL_SetWindowSize(window_, std::max(static_cast<int>(wide * scale), kLeastWindow),
                      std::max(static_cast<int>(high * scale), kLeastWindow));
}

void Window::ask_for_size() {
    const VkExtent2D now = extent();
    resized_ = 0;
    const bool is_asked = now.width == asked_.width && now.height == asked_.height;
    if (is_asked || size_stays_ || (now.width == width_ && now.height == height_)) return;
    asked_ = now;
    say({ViewerEvent::Size, std::clamp(now.width, kLeastExtent, kMostAsked),
         std::clamp(now.height, kLeastExtent, kMostAsked), 0});
}

void Window::show_cursor() {
    const virtio_gpu::Cursor& from = picture_.cursor;
    SDL_ShowCursor(from.visible ? SDL_ENABLE : SDL_DISABLE);
    constexpr int kExtent = virtio_gpu::kCursorExtent;
    auto pixels = from.pixels;
    // A guest's colours are multiplied by alpha. SDL gives X11 the pixels as they are, but multiplies for Wayland.
    if (std::string_view(SDL_GetCurrentVideoDriver()) == "wayland")
        for (uint32_t& pixel : pixels) pixel = divided_by_alpha(pixel);
    SDL_Surface* const surface =
        SDL_CreateRGBSurfaceWithFormatFrom(pixels.data(), kExtent, kExtent, 32, kExtent * 4, SDL_PIXELFORMAT_ARGB8888);
    if (surface == nullptr) return;
    std::unique_ptr<SDL_Cursor, CursorEnd> next(
        SDL_CreateColorCursor(surface, static_cast<int>(std::min(from.hot_x, virtio_gpu::kCursorExtent - 1)),
                              static_cast<int>(std::min(from.hot_y, virtio_gpu::kCursorExtent - 1))));
    SDL_FreeSurface(surface);
    SDL_SetCursor(next.get());
    cursor_ = std::move(next);
}

/// The guest learns what is copied here while the window has the keyboard, and when it gets it. False: nothing new.
bool Window::copy() {
    if (!has_focus() || SDL_HasClipboardText() == SDL_FALSE) return false;
    const std::unique_ptr<char, decltype(&SDL_free)> copied(SDL_GetClipboardText(), SDL_free);
    if (copied == nullptr || *copied == 0 || copied.get() == text_) return false;
    text_ = copied.get();
    if (text_.size() <= virtio_gpu::kMostText) outbox_.say_text(text_);
    return true;
}

/// A guest must not replace what the user copies between other programs.
void Window::offer() {
    const auto given = std::exchange(given_, std::nullopt);
    if (given && *given != text_) SDL_SetClipboardText((text_ = *given).c_str());
}

void Window::present() {
    if ((SDL_GetWindowFlags(window_) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) != 0) {
        stale_ = false;  // an event comes with its return
        return;
    }
    next_present_ = SDL_GetTicks64() + kBetweenPictures;
    const Shown shown = presenter_.present(extent(), place());
    stale_ = shown == Shown::Later;
    need(shown != Shown::Lost, "the window or the Vulkan device is lost");
    presenter_.tell_messages();
}

}  // namespace

std::string serve_window(process::Descriptor& machine, const Options& options) {
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    SDL_SetHint(SDL_HINT_ALLOW_ALT_TAB_WHILE_GRABBED, "0");  // the guest's
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "wayland,x11");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return std::string("no desktop, neither Wayland nor X11: ") + SDL_GetError();
    SDL_StopTextInput();  // an input method would take keys, and show what it makes of them
    const std::unique_ptr<SDL_Window, WindowEnd> window(
        SDL_CreateWindow(options.title.c_str(), SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, kFirstWidth,
                         kFirstHeight, SDL_WINDOW_VULKAN | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI));
    if (window == nullptr) return SDL_GetError();
    const auto presenter = Presenter::create(window.get(), options.device, options.validate);
    if (!presenter) return presenter.error();
    if (!process::write_all(machine.number(), std::array<std::byte, 1>{})) return "the machine has ended";
    return Window(window.get(), **presenter, std::move(machine), options.title).run();
}

}  // namespace tgsi2spv::window
