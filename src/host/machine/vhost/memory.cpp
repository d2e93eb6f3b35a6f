#include "machine/vhost/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tgsi2spv::vhost {
namespace {

bool overlap(uint64_t a, uint64_t b, uint64_t a_size, uint64_t b_size) {
    return a < b ? b - a < a_size : a - b < b_size;
}

/// Why a region is invalid, or an empty string.
std::string check_region(const RegionMessage& region, uint64_t file_bytes) {
    if (region.size == 0 || region.size > UINT64_MAX - region.guest_address ||
        region.size > UINT64_MAX - region.user_address)
        return fmt::format("a region of {:#x} bytes at {:#x}", region.size, region.guest_address);
    // Memory beyond the file's end would be fatal to touch.
    if (region.file_offset > file_bytes || region.size > file_bytes - region.file_offset)
        return fmt::format("a region of {:#x} bytes from {:#x} on, of a file of {:#x} bytes", region.size,
                           region.file_offset, file_bytes);
    return {};
}

}  // namespace

std::string Memory::set(std::span<const RegionMessage> table, std::span<const process::Descriptor> files) {
    clear();
    if (table.size() != files.size())
        return fmt::format("a memory table of {} regions came with {} files", table.size(), files.size());
    for (size_t i = 0; i < table.size(); i++) {
        const RegionMessage& r = table[i];
        struct stat file {};
        std::string why;
        if (fstat(files[i].number(), &file) != 0)
            why = "fstat: " + std::generic_category().message(errno);
        else
            why = check_region(r, static_cast<uint64_t>(file.st_size));
        for (const Region& other : regions_)
            if (overlap(r.guest_address, other.guest_address, r.size, other.size) ||
                overlap(r.user_address, other.user_address, r.size, other.size))
                why = fmt::format("the region at {:#x} overlaps another one", r.guest_address);
        // From the file's start, since the offset need not be one of a (huge) page.
        const uint64_t bytes = r.size + r.file_offset;
        void* const mapped =
            why.empty() ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files[i].number(), 0) : MAP_FAILED;
        if (mapped == MAP_FAILED) {
            clear();
            return "memory table: " + (why.empty() ? "mmap: " + std::generic_category().message(errno) : why);
        }
        regions_.push_back(
            {r.guest_address, r.user_address, r.size, static_cast<std::byte*>(mapped) + r.file_offset, mapped, bytes});
    }
    return {};
}

void Memory::clear() {
    for (const Region& region : regions_) munmap(region.mapped, region.mapped_bytes);
    regions_.clear();
}

template <class Action>
bool Memory::for_pieces(uint64_t address, uint64_t bytes, const Action& action) const {
    for (uint64_t at = 0; at < bytes;) {
        const uint64_t now = address + at;
        const auto found = std::ranges::find_if(
            regions_, [&](const Region& r) { return now >= r.guest_address && now - r.guest_address < r.size; });
        if (found == regions_.end()) return false;
        const uint64_t skip = now - found->guest_address, part = std::min(found->size - skip, bytes - at);
        action(std::span(found->bytes + skip, part), at);
        at += part;
    }
    return true;
}

bool Memory::contains(uint64_t address, uint64_t bytes) const {
    if (bytes > UINT64_MAX - address) return false;
    return for_pieces(address, bytes, [](std::span<std::byte>, uint64_t) {});
}

bool Memory::read(uint64_t address, std::span<std::byte> to) const {
    if (to.size() > UINT64_MAX - address) return false;
    return for_pieces(address, to.size(), [&](std::span<std::byte> piece, uint64_t at) {
        std::memcpy(to.data() + at, piece.data(), piece.size());
    });
}

bool Memory::write(uint64_t address, std::span<const std::byte> from) const {
    if (from.size() > UINT64_MAX - address) return false;
    return for_pieces(address, from.size(), [&](std::span<std::byte> piece, uint64_t at) {
        std::memcpy(piece.data(), from.data() + at, piece.size());
    });
}

std::byte* Memory::find_user(uint64_t address, uint64_t bytes) const {
    for (const Region& r : regions_)
        if (address >= r.user_address && address - r.user_address < r.size &&
            bytes <= r.size - (address - r.user_address))
            return r.bytes + (address - r.user_address);
    return nullptr;
}

}  // namespace tgsi2spv::vhost
