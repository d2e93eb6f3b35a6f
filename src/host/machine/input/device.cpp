#include "machine/input/device.h"

#include <algorithm>
#include <string_view>

namespace tgsi2spv::virtio_input {
namespace {

enum Queue : unsigned { kEvents, kStatus };

/// The limit of the queue. If it is full, the queue is dropped and all pressed keys are released.
constexpr size_t kMostGroups = 512;
/// The limit of the driver's own events between two polls of the front end's messages: it may make them without end.
constexpr size_t kMostAtOnce = 64;

/// With these buttons alone, and with EV_MSC beside EV_REL, Linux takes an absolute pointer for a mouse, otherwise also
/// for a joystick (joydev_dev_is_absolute_mouse() in drivers/input/joydev.c).
constexpr std::array<uint32_t, 3> kButtons{BTN_LEFT, BTN_RIGHT, BTN_MIDDLE};

void set_bit(virtio_input_config& config, uint32_t bit) {
    config.u.bitmap[bit / 8] = static_cast<uint8_t>(config.u.bitmap[bit / 8] | 1u << bit % 8);
    config.size = static_cast<uint8_t>(std::max<uint32_t>(config.size, bit / 8 + 1));
}

}  // namespace

void add(Group& group, uint32_t type, uint32_t code, uint32_t value) {
    group.events[group.size++] = {static_cast<uint16_t>(type), static_cast<uint16_t>(code), value};
}

Device::Device(Kind kind, const vhost::Memory& memory, std::span<vhost::Ring, 2> rings)
    : kind_(kind), memory_(memory), rings_(rings) {}

/// Codes of keyboards are below the first button.
bool Device::is_key(uint32_t code) const {
    return kind_ == Kind::Keyboard ? code > KEY_RESERVED && code < BTN_MISC : std::ranges::count(kButtons, code) != 0;
}

void Device::set_config(uint32_t offset, std::span<const std::byte> bytes) {
    // Only the first two bytes can be written; front ends write all of the space.
    std::array<uint8_t, 2> selection{config_.select, config_.subsel};
    for (size_t i = 0; i < bytes.size() && offset + i < selection.size(); i++)
        selection[offset + i] = std::to_integer<uint8_t>(bytes[i]);
    select(selection[0], selection[1]);
}

void Device::select(uint8_t what, uint8_t of) {
    config_ = {};
    config_.select = what;
    config_.subsel = of;
    if (what == VIRTIO_INPUT_CFG_ID_NAME) {
        const std::string_view name = kind_ == Kind::Keyboard ? "tgsi-host keyboard" : "tgsi-host pointer";
        std::ranges::copy(name, config_.u.string);
        config_.size = static_cast<uint8_t>(name.size());
    } else if (what == VIRTIO_INPUT_CFG_ID_DEVIDS) {
        config_.u.ids = {BUS_VIRTUAL, 0, static_cast<uint16_t>(1 + static_cast<uint16_t>(kind_)), 1};
        config_.size = sizeof config_.u.ids;
    } else if (what == VIRTIO_INPUT_CFG_EV_BITS && of == EV_KEY) {
        for (uint32_t code = 0; code < KEY_CNT; code++)
            if (is_key(code)) set_bit(config_, code);
    } else if (what == VIRTIO_INPUT_CFG_EV_BITS && of == EV_REP && kind_ == Kind::Keyboard) {
        set_bit(config_, REP_DELAY);
        set_bit(config_, REP_PERIOD);
    } else if (what == VIRTIO_INPUT_CFG_EV_BITS && of == EV_REL && kind_ == Kind::Pointer) {
        for (const uint32_t axis : {REL_WHEEL, REL_HWHEEL}) set_bit(config_, axis);
    } else if (what == VIRTIO_INPUT_CFG_EV_BITS && of == EV_MSC && kind_ == Kind::Pointer) {
        set_bit(config_, MSC_SCAN);
    } else if (what == VIRTIO_INPUT_CFG_EV_BITS && of == EV_ABS && kind_ == Kind::Pointer) {
        for (const uint32_t axis : {ABS_X, ABS_Y}) set_bit(config_, axis);
    } else if (what == VIRTIO_INPUT_CFG_ABS_INFO && (of == ABS_X || of == ABS_Y) && kind_ == Kind::Pointer) {
        config_.u.abs.max = kMostPosition;
        config_.size = sizeof config_.u.abs;
    }
}

void Device::reset() {
    queue_.clear();
    given_ = 0;
    down_.reset();
    x_ = y_ = 0;
    has_more_ = false;
    select(VIRTIO_INPUT_CFG_UNSET, 0);
}

void Device::key(uint32_t code, bool down) {
    if (!is_key(code) || down_[code] == down) return;
    // Without a running driver, new keys are dropped. Keys that were pressed before a pause can still be released.
    if (down && !rings_[kEvents].started()) return;
    down_[code] = down;
    Group group;
    add(group, EV_KEY, code, down ? 1 : 0);
    push(group);
}

void Device::move(uint32_t x, uint32_t y) {
    if (x > kMostPosition || y > kMostPosition || !rings_[kEvents].started() || (x == x_ && y == y_)) return;
    x_ = x;
    y_ = y;
    Group group{.moves = true};
    add(group, EV_ABS, ABS_X, x);
    add(group, EV_ABS, ABS_Y, y);
    push(group);
}

void Device::turn(uint32_t wheel, int32_t steps) {
    if (!rings_[kEvents].started()) return;
    Group group;
    add(group, EV_REL, wheel, static_cast<uint32_t>(steps));
    push(group);
}

void Device::push(Group group) {
    add(group, EV_SYN, SYN_REPORT, 0);
    const bool last_is_whole = queue_.size() > 1 || (queue_.size() == 1 && given_ == 0);
    if (group.moves && last_is_whole && queue_.back().moves)
        queue_.back() = group;
    else if (queue_.size() < kMostGroups)
        queue_.push_back(group);
    else
        let_go();
}

/// Drops the queue, except for a group that was delivered in part, and releases all keys.
void Device::let_go() {
    queue_.resize(given_ > 0 ? 1 : 0);
    for (uint32_t code = 0; code < KEY_CNT; code++) {
        if (!down_[code]) continue;
        Group group;
        add(group, EV_KEY, code, 0);
        add(group, EV_SYN, SYN_REPORT, 0);
        queue_.push_back(group);
    }
    down_.reset();
}

void Device::serve() {
    vhost::Chain chain;
    while (!queue_.empty() && rings_[kEvents].take(memory_, chain)) {
        const Group& group = queue_.front();
        rings_[kEvents].give(memory_, chain, std::as_bytes(std::span(group.events).subspan(given_, 1)));
        if (++given_ < group.size) continue;
        queue_.pop_front();
        given_ = 0;
    }
    size_t lights = 0;
    while (lights < kMostAtOnce && rings_[kStatus].take(memory_, chain)) {
        rings_[kStatus].give(memory_, chain, {});
        lights++;
    }
    has_more_ = lights == kMostAtOnce;
    for (vhost::Ring& ring : rings_) ring.signal();
}

}  // namespace tgsi2spv::virtio_input
