#include "vtest/shm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace tgsi2spv::vtest {

namespace {

constexpr uint64_t kPage = 4096;

/// The memory of a file of this size: whole pages.
uint64_t pages(uint64_t size) {
    return (size + kPage - 1) / kPage * kPage;
}

}  // namespace

tl::expected<SharedFile::Made, std::string> SharedFile::create(uint64_t size,
                                                               const std::shared_ptr<SharedBudget>& budget) {
    if (size > budget->most_bytes || pages(size) > budget->most_bytes - budget->bytes)
        return tl::unexpected(
            fmt::format("{} bytes of shared memory, after {}, are more than the {} that a client may have", size,
                        budget->bytes, budget->most_bytes));
    if (budget->files >= budget->most_files)
        return tl::unexpected(fmt::format("more than {} pieces of shared memory", budget->most_files));
    const auto failed = [](const char* what) {
        return tl::unexpected(fmt::format("shared memory: {}: {}", what, std::generic_category().message(errno)));
    };
    process::Descriptor file(memfd_create("tgsi-host", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file.number() < 0) return failed("memfd_create");
    if (ftruncate(file.number(), static_cast<off_t>(size)) != 0) return failed("ftruncate");
    // A guest that could shorten the file would end this process by SIGBUS.
    if (fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return failed("F_ADD_SEALS");
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (mapped == MAP_FAILED) return failed("mmap");
    return Made{std::shared_ptr<SharedFile>(new SharedFile({static_cast<std::byte*>(mapped), size}, budget)),
                std::move(file)};
}

SharedFile::SharedFile(std::span<std::byte> mapped, std::shared_ptr<SharedBudget> budget) : budget_(std::move(budget)) {
    bytes = mapped;
    budget_->bytes += pages(mapped.size());
    budget_->files++;
}

SharedFile::~SharedFile() {
    // A guest that keeps the file does not keep its pages: its later writes take its own memory.
    madvise(bytes.data(), pages(bytes.size()), MADV_REMOVE);
    munmap(bytes.data(), bytes.size());
    budget_->bytes -= pages(bytes.size());
    budget_->files--;
}

}  // namespace tgsi2spv::vtest
