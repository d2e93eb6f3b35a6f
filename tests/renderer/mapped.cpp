// Buffers in memory that the guest keeps mapped: the device reads what is there, and writes there.
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>

#include "drawing.h"
#include "renderer/state/log.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kMapped = 9, kPage = 4096;
constexpr uint32_t kRed = 0xff800000;

/// Pages as a front end shares them.
struct Pages final : SharedMemory {
    explicit Pages(size_t size) {
        void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        bytes = {static_cast<std::byte*>(mapped), size};
    }
    ~Pages() override { munmap(bytes.data(), bytes.size()); }
    uint32_t* words() { return reinterpret_cast<uint32_t*>(bytes.data()); }
};

Buffer describe(uint32_t number, uint32_t width, uint32_t bind = kBindVertexBuffer, uint32_t target = 0) {
    return command(Id::PipeResourceCreate, {target, 64, bind, width, 1, 1, 1, 0, 0, 6, number});
}

class MappedBuffers : public Draws {
  protected:
    std::shared_ptr<Pages> map(uint32_t bytes, uint32_t bind = kBindVertexBuffer, uint32_t handle = kMapped) {
        auto pages = std::make_shared<Pages>(bytes);
        run(describe(7, bytes, bind));
        EXPECT_EQ(renderer_->create_mapped(handle, 7, pages), Outcome::Done);
        return pages;
    }
};

/// The vertices of a triangle over all of the target, of one colour.
void write_vertices(Pages& pages, float green) {
    const float vertices[] = {-1, -1, 0, 1, 1, green, 0, 1, 3, -1, 0, 1, 1, green, 0, 1, -1, 3, 0, 1, 1, green, 0, 1};
    std::memcpy(pages.bytes.data(), vertices, sizeof vertices);
}

TEST_F(MappedBuffers, DrawsReadWhatTheGuestHasWrittenLast) {
    const auto pages = map(kPage);
    const Buffer all = scene() + command(Id::SetVertexBuffers, {32, 0, kMapped}) + triangle();
    write_vertices(*pages, 0);
    EXPECT_EQ(first_pixel(all), kRed);
    write_vertices(*pages, 1);
    EXPECT_EQ(first_pixel(triangle()), kRed | 0xff00);
}

TEST_F(MappedBuffers, GuestsSeeWhatTheDeviceWrites) {
    const auto pages = map(kPage, kBindShaderBuffer);
    run(command(Id::ResourceCopyRegion, {kMapped, 0, 16, 0, 0, kVertices, 0, 0, 0, 0, 8, 1, 1}));
    EXPECT_FALSE(renderer_->busy(kMapped, true));
    EXPECT_EQ(pages->words()[4], bits(-1));
    EXPECT_EQ(pages->words()[6], 0u) << "after the copy";
}

TEST_F(MappedBuffers, TransfersInPlaceChangeNothing) {
    const auto pages = map(kPage);
    for (uint32_t i = 0; i < 8; i++) pages->words()[i] = i;
    const TransferRequest start{kMapped, 0, 0, 0, {0, 0, 0, 16, 1, 1}};
    ASSERT_EQ(renderer_->write_from_memory(start, 0), Outcome::Done);
    ASSERT_EQ(renderer_->read_to_memory(start, 0), Outcome::Done);
    EXPECT_EQ(words_of(kMapped, 8), (Buffer{0, 1, 2, 3, 4, 5, 6, 7}));
    ASSERT_EQ(renderer_->write_from_memory(start, 4), Outcome::Done);  // overlapping
    EXPECT_EQ(words_of(kMapped, 8), (Buffer{1, 2, 3, 4, 4, 5, 6, 7}));
}

TEST_F(MappedBuffers, MemoryStaysWhileTheDeviceUsesIt) {
    auto pages = map(kPage);
    write_vertices(*pages, 1);
    const std::weak_ptr<Pages> watched = pages;
    pages = nullptr;
    run(scene() + command(Id::SetVertexBuffers, {32, 0, kMapped}));
    ASSERT_EQ(renderer_->destroy_resource(kMapped), Outcome::Done);
    run(triangle());
    EXPECT_FALSE(watched.expired());
    EXPECT_EQ(pixels()[0], kRed | 0xff00);
    run(command(Id::SetVertexBuffers, {32, 0, kVertices}) + triangle());
    pixels();
    EXPECT_TRUE(watched.expired());
}

TEST_F(MappedBuffers, OnlyDescribedBuffersThatFit) {
    const auto pages = std::make_shared<Pages>(kPage);
    EXPECT_EQ(renderer_->create_mapped(kMapped, 7, pages), Outcome::Refused) << "not described";
    run(describe(7, kPage) + describe(8, kPage + 1) + describe(9, 0));
    EXPECT_EQ(renderer_->create_mapped(kMapped, uint64_t{7} | uint64_t{1} << 32, pages), Outcome::Refused);
    EXPECT_EQ(renderer_->create_mapped(kMapped, 8, pages), Outcome::Refused) << "longer than the memory";
    EXPECT_EQ(renderer_->create_mapped(kMapped, 9, pages), Outcome::Refused) << "empty";
    EXPECT_EQ(renderer_->create_mapped(kTarget, 7, pages), Outcome::Refused) << "the handle is in use";
    EXPECT_EQ(renderer_->create_mapped(kMapped, 7, pages), Outcome::Refused) << "a description serves once";
    for (uint32_t number = 0; number < 64; number++) run(describe(number, 8));
    EXPECT_EQ(renderer_->submit(describe(64, 8)), Outcome::Refused) << "too many";
}

TEST_F(MappedBuffers, OnlyBuffers) {
    refuse(describe(7, 8, kBindRenderTarget, 2));
}

TEST_F(MappedBuffers, DevicesThatCannotShareMemoryRefuse) {
    EXPECT_TRUE(renderer_->maps(std::make_shared<Pages>(kPage)));
    restart_without({"VK_EXT_external_memory_host"});
    const auto pages = std::make_shared<Pages>(kPage);
    EXPECT_FALSE(renderer_->maps(pages));
    run(describe(7, kPage));
    EXPECT_EQ(renderer_->create_mapped(kMapped, 7, pages), Outcome::Refused);
}

/// A draw that is too large to be emulated costs no copy of its indices, as there may be millions of such draws.
TEST_F(MappedBuffers, IndicesOfSkippedDrawsAreNotRead) {
    restart_without({"geometryShader"});
    constexpr uint32_t kCount = 1U << 18, kInstances = 1U << 12, kArguments = 12;
    const auto pages = map(4 * kCount, kBindIndexBuffer);
    make_buffer(kArguments, kBindCommandArgs, {kCount, kInstances, 0, 0, 0});
    run(scene() + use(20, geometry_of_triangles("", "MOV OUT[0], IN[@][0]; ")) +
        command(Id::SetIndexBuffer, {kMapped, 4, 0}) +
        command(Id::DrawVbo, {0, 0, 4, 1, 1, 0, 0, 0, 0, 0, ~0u, 0, 0, 0, kArguments, 0, 0, 1, 0, 0}));
    pixels();
    std::vector<unsigned char> resident(pages->bytes.size() / kPage);
    ASSERT_EQ(mincore(pages->bytes.data(), pages->bytes.size(), resident.data()), 0);
    EXPECT_EQ(std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; }), 0);
}

/// Without memory for a copy of the indices, nobody knows which vertices to copy: no draw is better than a wrong one.
TEST_F(MappedBuffers, MisalignedVerticesOfTooManyIndices) {
    constexpr uint32_t kCount = 6U << 20, kColors = 12;
    options_.memory_limit = 16U << 20;
    restart_without({});
    const auto pages = map(4 * kCount, kBindIndexBuffer);
    for (uint32_t i = 0; i < 3; i++) pages->words()[i] = i;
    std::vector<float> colors(3 * 4 + 1, 1);
    create({kColors, 0, 64, kBindVertexBuffer, 64, 1, 1, 1, 0, 0});
    write(kColors, {2, 0, 0, 48, 1, 1}, std::span(colors).first(12));
    const Buffer elements = bind_new(O::VertexElements, {20, 0, 0, 0, kFloats, 0, 0, 1, kFloats});
    const Buffer all = scene() + elements + command(Id::SetVertexBuffers, {32, 0, kVertices, 16, 2, kColors}) +
                       command(Id::SetIndexBuffer, {kMapped, 4, 0});
    const auto draw = [](uint32_t count) { return command(Id::DrawVbo, {0, count, 4, 1, 1, 0, 0, 0, 0, 0, ~0u, 0}); };
    EXPECT_EQ(first_pixel(all + draw(3)), 0xff80ffff);
    EXPECT_EQ(first_pixel(clear(0, 1, 0, 1) + draw(kCount)), 0xff00ff00);
}

/// Restarts of lists are looked for in a copy of the indices.
TEST_F(MappedBuffers, ListsOfTooManyIndicesAreSkipped) {
    constexpr uint32_t kCount = 6U << 20;
    options_.memory_limit = 16U << 20;
    restart_without({"primitiveTopologyListRestart"});
    const auto pages = map(4 * kCount, kBindIndexBuffer);
    for (uint32_t i = 0; i < 3; i++) pages->words()[i] = i;
    static std::string log;
    log.clear();
    set_log([](const std::string& line) { log += line; });
    run(scene() + command(Id::SetIndexBuffer, {kMapped, 4, 0}) +
        command(Id::DrawVbo, {0, kCount, 4, 1, 1, 0, 0, 1, ~0u, 0, ~0u, 0}));
    set_log(nullptr);
    EXPECT_THAT(log, testing::HasSubstr("memory is short: 1 commands are skipped"));
    EXPECT_THAT(pixels(), testing::Each(kGreen));
}

/// The picture of a window in its memory, by the device's own copy or through staging memory.
TEST_F(MappedBuffers, WindowsAreReadIntoTheirMemory) {
    constexpr uint32_t kWindow = 10, kStride = 4 * (kSize + 3), kStart = 8, kUntouched = 0x12345678;
    for (const std::vector<std::string>& without : {{}, std::vector<std::string>{"VK_EXT_external_memory_host"}}) {
        if (!without.empty()) restart_without(without);
        const auto pages = std::make_shared<Pages>(kPage);
        std::fill_n(pages->words(), kPage / 4, kUntouched);
        ASSERT_EQ(
            renderer_->create_resource(
                {kWindow, 2, kBgra, kBindRenderTarget | virgl::kBindDisplayTarget, kSize, kSize, 1, 1, 0, 0}, pages),
            Outcome::Done);
        const Buffer show =
            scene() + triangle() +
            command(Id::ResourceCopyRegion, {kWindow, 0, 0, 0, 0, kTarget, 0, 0, 0, 0, kSize, kSize, 1});
        ASSERT_EQ(renderer_->submit(show), Outcome::Done);
        const TransferRequest bottom{kWindow, 0, kStride, 0, {0, 1, 0, kSize, kSize - 1, 1}};
        ASSERT_EQ(renderer_->read_to_memory(bottom, kStart), Outcome::Done);
        ASSERT_EQ(renderer_->read_to_memory(bottom, kStart + kStride), Outcome::Done);
        EXPECT_FALSE(renderer_->busy(kWindow, true));
        const auto expected = pixels();
        const uint32_t* const words = pages->words() + kStart / 4;
        EXPECT_TRUE(std::ranges::equal(std::span(words, kSize), std::span(expected).subspan(kSize, kSize)));
        for (uint32_t row = 1; row < kSize; row++)
            EXPECT_TRUE(std::ranges::equal(std::span(words + row * kStride / 4, kSize),
                                           std::span(expected).subspan(row * kSize, kSize)))
                << row;
        EXPECT_EQ(pages->words()[1], kUntouched);
        EXPECT_EQ(words[kSize], kUntouched) << "between the rows";
        EXPECT_EQ(pages.use_count(), without.empty() ? 3 : 2) << "the test, the resource, and the device";
        EXPECT_EQ(renderer_->read_to_memory(bottom, kPage - kStride), Outcome::Refused);
    }
}

TEST_F(MappedBuffers, TheLastReadOfAWindowStays) {
    constexpr uint32_t kWindow = 10, kMisaligned = 2;
    const auto pages = std::make_shared<Pages>(kPage);
    ASSERT_EQ(renderer_->create_resource(
                  {kWindow, 2, kBgra, kBindRenderTarget | virgl::kBindDisplayTarget, kSize, kSize, 1, 1, 0, 0}, pages),
              Outcome::Done);
    run(scene() + framebuffer(33, kWindow, kBgra) + clear(1, 0, 0, 1));
    ASSERT_EQ(renderer_->read_to_memory({kWindow, 0, 0, 0, {0, 0, 0, kSize - 1, 1, 1}}, kMisaligned), Outcome::Done);
    run(clear(0, 1, 0, 1));
    ASSERT_EQ(renderer_->read_to_memory({kWindow, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}}, 0), Outcome::Done);
    EXPECT_FALSE(renderer_->busy(kWindow, true));
    for (uint32_t i = 0; i < kSize; i++) EXPECT_EQ(pages->words()[i], 0xff00ff00u) << i;
}

/// The lists of rotated indices are counted before they are made.
TEST_F(MappedBuffers, GuestsMayChangeIndicesWhileTheyAreRead) {
    constexpr uint32_t kIndices = 60'000;
    restart_without({"VK_EXT_provoking_vertex"});
    const auto pages = map(kIndices * 4, kBindIndexBuffer);
    std::atomic<bool> done = false;
    std::thread guest([&] {
        for (uint32_t round = 0; !done; round++)
            for (uint32_t i = 0; i < kIndices; i++)
                reinterpret_cast<std::atomic<uint32_t>*>(pages->words())[i] = round % 2 == 0 ? i % 3 : ~0U;
    });
    const std::string flat = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    const Buffer strip = command(Id::DrawVbo, {0, kIndices, 5, 1, 1, 0, 0, 1, ~0u, 0, ~0u, 0});
    run(scene() + use(8, flat) + command(Id::SetIndexBuffer, {kMapped, 4, 0}));
    for (int i = 0; i < 40; i++) run(strip);
    done = true;
    guest.join();
    pixels();
}

}  // namespace
}  // namespace tgsi2spv::host
