// A recording is replayed as the same calls, with the same bytes in shared memory when they are read.
#include "vtest/record.h"

#include <gmock/gmock.h>

#include "guest.h"
#include "virgl/protocol.h"
#include "vtest/replay.h"

namespace tgsi2spv::vtest::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Notes the contents of shared memory when it is read; writes `value` where it reads to.
class MemoryRenderer final : public virgl::Renderer {
  public:
    const virgl::CapsV2& caps() const override { return noting.caps(); }
    virgl::Outcome create_resource(const virgl::ResourceRequest& r,
                                   std::shared_ptr<virgl::SharedMemory> memory) override {
        return noting.create_resource(r, std::move(memory));
    }
    virgl::Outcome destroy_resource(uint32_t handle) override { return noting.destroy_resource(handle); }
    virgl::Outcome submit(virgl::Words words) override {
        // TRANSFER3D's resource is word 1, COPY_TRANSFER3D's staging resource word 12.
        if ((words[0] & 0xff) == 43) note(words[1], words[12]);
        if ((words[0] & 0xff) == 45) note(words[12], words[13]);
        return noting.submit(words);
    }
    virgl::Outcome write(const virgl::TransferRequest& r, std::span<const std::byte> data) override {
        return noting.write(r, data);
    }
    virgl::Outcome read(const virgl::TransferRequest& r, std::span<std::byte> data) override {
        noting.read(r, data);
        std::fill(data.begin(), data.end(), value);
        return virgl::Outcome::Done;
    }
    virgl::Outcome write_from_memory(const virgl::TransferRequest& r, uint64_t offset) override {
        note(r.handle, offset);
        return noting.write_from_memory(r, offset);
    }
    virgl::Outcome read_to_memory(const virgl::TransferRequest& r, uint64_t offset) override {
        const auto bytes = noting.memories.at(r.handle)->bytes.subspan(offset, 16);
        std::fill(bytes.begin(), bytes.end(), value);
        return noting.read_to_memory(r, offset);
    }
    bool busy(uint32_t handle, bool wait) override { return noting.busy(handle, wait); }

    NotingRenderer noting;
    std::byte value{0x11};

  private:
    void note(uint32_t handle, uint64_t offset) {
        std::string line = fmt::format("memory of {} from {}:", handle, offset);
        for (const std::byte b : noting.memories.at(handle)->bytes.subspan(offset, 4))
            line += fmt::format(" {}", static_cast<unsigned>(b));
        noting.calls.push_back(line);
    }
};

struct Memory final : virgl::SharedMemory {
    explicit Memory(size_t size) : store(size) { bytes = store; }
    Bytes store;
};

virgl::ResourceRequest texture(uint32_t handle, uint32_t bind = virgl::kBindSamplerView) {
    return {handle, 2, 1, bind, 16, 16, 1, 1, 0, 0};
}
virgl::TransferRequest box(uint32_t handle) {
    return {handle, 0, 0, 0, {0, 0, 0, 4, 1, 1}};
}
const std::vector<uint32_t> kUpload5{43 | 13 << 16, 5, 0, 0, 0, 0, 0, 0, 4, 1, 1, 0, 700, 1};  // offset 700
const std::vector<uint32_t> kCopy6To5{45 | 14 << 16, 5, 0, 0, 0, 0, 0, 0, 4, 1, 1, 0, 6, 8, 0};

/// A guest's calls: it writes to shared memory, uploads from it, and reads.
void act(virgl::Renderer& to) {
    const auto texture_memory = std::make_shared<Memory>(1024), staging = std::make_shared<Memory>(32);
    to.create_resource(texture(5), texture_memory);
    to.create_resource(texture(6, virgl::kBindStaging), staging);
    to.create_resource(texture(7), nullptr);
    texture_memory->store[700] = std::byte{1};
    to.submit(kUpload5);
    staging->store[8] = std::byte{2};
    to.submit(kCopy6To5);
    texture_memory->store[0] = std::byte{3};
    texture_memory->store[701] = std::byte{4};
    to.write_from_memory(box(5), 700);
    to.submit(kUpload5);
    to.read_to_memory(box(5), 16);
    to.busy(5, false);
    to.write(box(7), std::vector{std::byte{8}, std::byte{9}});
    std::vector<std::byte> got(4);
    to.read(box(7), got);
    to.destroy_resource(6);
}

Bytes record(virgl::Renderer& renderer, const std::function<void(virgl::Renderer&)>& guest = act) {
    Bytes file;
    Recorder recorder(renderer, [&](std::span<const std::byte> bytes) {
        file.insert(file.end(), bytes.begin(), bytes.end());
        return true;
    });
    guest(recorder);
    return file;
}

struct Again {
    explicit Again(const Bytes& file, std::byte value = std::byte{0x11}) : stream(file) {
        renderer.value = value;
        result = replay(stream, renderer, log);
    }
    MemoryStream stream;
    MemoryRenderer renderer;
    std::vector<std::string> lines;
    Log log{"log", 1000, [this](const std::string& line) { lines.push_back(line); }};
    tl::expected<Replayed, std::string> result;
};

TEST(Record, ReplaysTheSameCallsOnTheSameMemory) {
    MemoryRenderer recorded;
    const Again again(record(recorded));
    ASSERT_TRUE(again.result) << again.result.error();
    // The guest learned that its work was done: a replay waits for that.
    std::ranges::replace(recorded.noting.calls, "busy 5", "wait 5");
    EXPECT_EQ(again.renderer.noting.calls, recorded.noting.calls);
    EXPECT_THAT(recorded.noting.calls, testing::Contains("memory of 5 from 700: 1 4 0 0"));
    EXPECT_EQ(again.result->reads, 2u);
    EXPECT_EQ(again.result->different, 0u);
    EXPECT_THAT(again.lines, IsEmpty());
}

TEST(Record, ReportsWhatIsReadDifferently) {
    MemoryRenderer recorded;
    const Bytes file = record(recorded);
    const Again little(file, std::byte{0x13}), much(file, std::byte{0x14});
    ASSERT_TRUE(little.result && much.result);
    EXPECT_EQ(little.result->different, 16u + 4);
    EXPECT_EQ(little.result->clearly_different, 0u);
    EXPECT_EQ(much.result->clearly_different, 16u + 4);
    EXPECT_THAT(much.lines, ElementsAre(HasSubstr("resource 5: 16 of 1024 bytes differ, 16 by more"),
                                        HasSubstr("resource 7: 4 of 4 bytes differ")));
}

TEST(Record, ReportsAReadThatShouldHaveChangedNothing) {
    MemoryRenderer recorded;
    recorded.value = std::byte{0};  // as it was before
    const Again again(record(recorded), std::byte{1});
    ASSERT_TRUE(again.result);
    EXPECT_EQ(again.result->different, 16u + 4);
}

TEST(Record, ResultsOfQueriesAreNotCompared) {
    MemoryRenderer recorded;
    const Again again(record(recorded,
                             [](virgl::Renderer& to) {
                                 to.create_resource(texture(5, virgl::kBindCustom), std::make_shared<Memory>(64));
                                 to.read_to_memory(box(5), 0);
                                 to.busy(5, true);
                             }),
                      std::byte{1});
    ASSERT_TRUE(again.result);
    EXPECT_EQ(again.result->reads, 0u);
}

TEST(Record, OmitsPollsThatFoundTheDeviceBusy) {
    MemoryRenderer recorded;
    recorded.noting.is_busy = true;
    const Again again(record(recorded, [](virgl::Renderer& to) { to.busy(5, false); }));
    ASSERT_TRUE(again.result);
    EXPECT_EQ(again.result->calls, 0u);
}

TEST(Record, HandlesOfRefusedResourcesAreFree) {
    MemoryRenderer recorded;
    const Again again(record(recorded, [](virgl::Renderer& to) {
        virgl::ResourceRequest refused = texture(5);
        refused.format = 999;
        to.create_resource(refused, nullptr);
        to.create_resource(texture(5), nullptr);
    }));
    ASSERT_TRUE(again.result) << again.result.error();
    EXPECT_EQ(again.result->refused, 1u);
}

TEST(Replay, NamesTheFirstCallThatIsRefused) {
    MemoryRenderer recorded;
    const Again again(record(recorded, [](virgl::Renderer& to) {
        to.create_resource(texture(5), nullptr);
        for (const uint32_t handle : {6U, 7U}) {
            virgl::ResourceRequest refused = texture(handle);
            refused.format = 999;
            to.create_resource(refused, nullptr);
        }
    }));
    ASSERT_TRUE(again.result) << again.result.error();
    EXPECT_EQ(again.result->refused, 2u);
    EXPECT_EQ(again.result->first_refused, 2u);
}

TEST(Record, StopsWhenTheFileCannotBeWritten) {
    MemoryRenderer renderer;
    int parts = 0;
    Recorder recorder(renderer, [&](std::span<const std::byte>) { return ++parts < 5; });
    act(recorder);
    EXPECT_EQ(parts, 5);
    EXPECT_EQ(renderer.noting.calls.back(), "destroy 6") << "the guest does not notice";
}

TEST(Replay, RefusesAFileThatIsCutOff) {
    MemoryRenderer recorded;
    const Bytes file = record(recorded);
    size_t ends = 0;
    for (size_t bytes = 0; bytes < file.size(); bytes++) {
        const Again again(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(bytes)));
        if (again.result)
            ends++;
        else
            ASSERT_THAT(again.result.error(), testing::AnyOf(HasSubstr("cut off"), HasSubstr("not a recording")));
    }
    EXPECT_EQ(ends, 18u) << "before each record";
}

TEST(Replay, RefusesRecordsThatDoNotFit) {
    MemoryRenderer recorded;
    const Bytes head = record(recorded, [](virgl::Renderer&) {});
    const Bytes create = bytes_of({1, 44, 5, 2, 1, 8, 4, 4, 1, 1, 0, 0, 16});
    EXPECT_TRUE(Again(head + create + bytes_of({9, 12, 5, 12, 7})).result) << "up to the end";
    for (const Bytes& bad : std::vector<Bytes>{
             bytes_of({0, 0}), bytes_of({12, 0}), bytes_of({1, 40}) + Bytes(40), bytes_of({2, 8, 1, 2}),
             bytes_of({3, 5}) + Bytes(5), bytes_of({4, 39}) + Bytes(39), bytes_of({9, 12, 5, 13, 7}),
             bytes_of({9, 12, 5, UINT32_MAX, 7}), bytes_of({9, 12, 6, 0, 7}), bytes_of({10, 12, 5, 13, 7}), create})
        EXPECT_FALSE(Again(head + create + bad).result);
}

TEST(Replay, LimitsSharedMemory) {
    MemoryRenderer recorded;
    const Bytes file = record(recorded);
    for (const uint64_t most : {1056, 1055}) {
        MemoryStream stream(file);
        MemoryRenderer renderer;
        Log log("log", 10, [](const std::string&) {});
        EXPECT_EQ(replay(stream, renderer, log, most).has_value(), most == 1056);
    }
}

TEST(Replay, NamesTheCapsThatTheRecordingHadAndTheHostHasNot) {
    virgl::CapsV2 more{}, less{};
    EXPECT_EQ(missing(more, less), "");
    set(more.v1.render, 67);
    EXPECT_EQ(missing(more, less), "format 67 as a colour target");
    EXPECT_EQ(missing(less, more), "") << "more is no harm";
    less = more;
    more.capability_bits = 6;
    less.capability_bits = 3;
    EXPECT_EQ(missing(more, less), "capability_bits 0x4");
    more.capability_bits = 0;
    more.v1.glsl_level = 330;
    less.v1.glsl_level = 120;
    EXPECT_EQ(missing(more, less), "glsl_level 330, not 120");
    MemoryRenderer recorded;
    recorded.noting.offered = more;
    const Again again(record(recorded));
    EXPECT_TRUE(again.result) << "it is replayed as far as it goes";
    EXPECT_THAT(again.lines, testing::Contains(HasSubstr("format 67")));
}

}  // namespace
}  // namespace tgsi2spv::vtest::test
