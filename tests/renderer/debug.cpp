// TGSI_HOST_DEBUG: names and labels in the guest's words, and drawing that remembers and overlaps nothing.
#include "renderer/renderer.h"

#include <volk.h>

#include <set>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

std::set<std::string> noted_names;
Names noted_labels;
PFN_vkSetDebugUtilsObjectNameEXT real_set_name = nullptr;
PFN_vkCmdInsertDebugUtilsLabelEXT real_insert_label = nullptr;

VkResult VKAPI_PTR note_name(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
    noted_names.insert(info->pObjectName);
    return real_set_name(device, info);
}
void VKAPI_PTR note_label(VkCommandBuffer commands, const VkDebugUtilsLabelEXT* label) {
    noted_labels.emplace_back(label->pLabelName);
    real_insert_label(commands, label);
}

Buffer marker(const std::string& text) {
    return command(Id::SendStringMarker, Buffer{static_cast<uint32_t>(text.size())} + text_words(text));
}

class DebuggedDraws : public Draws {
  protected:
    void TearDown() override {
        Draws::TearDown();
        noted_names.clear();
        noted_labels.clear();
    }
    /// Anew, with the words' options, and with calls for names and labels noted.
    void start_with(const char* words, bool validate = true) {
        renderer_ = nullptr;  // volk has one instance's functions
        options_.validate = validate;
        options_.stats = true;
        ASSERT_EQ(add_debug_words(options_, words), "");
        ASSERT_NO_FATAL_FAILURE(open());
        real_set_name = std::exchange(vkSetDebugUtilsObjectNameEXT, note_name);
        real_insert_label = std::exchange(vkCmdInsertDebugUtilsLabelEXT, note_label);
        fill();
    }
};

TEST(DebugWords, NameOptions) {
    HostOptions options;
    EXPECT_EQ(add_debug_words(options, "sync,nocache,,labels"), "");
    EXPECT_TRUE(options.sync && options.no_cache && options.labels);
}

TEST(DebugWords, TheFirstUnknownOneIsTold) {
    HostOptions options;
    EXPECT_EQ(add_debug_words(options, "sync,sink,sank"), "sink");
    EXPECT_TRUE(options.sync);
    EXPECT_FALSE(options.no_cache || options.labels);
}

TEST_F(DebuggedDraws, ObjectsHaveTheGuestsNames) {
    ASSERT_NO_FATAL_FAILURE(start_with("labels"));
    run(scene() + triangle());
    pixels();
    EXPECT_THAT(noted_names,
                IsSupersetOf({"resource 1", "resource 1, view", "resource 2", "shader 1, VERT", "shader 2, FRAG",
                              "shaders 1, 2", "shaders 1, 2, set 0", "batch 1", "uploads", "read-backs"}));
}

TEST_F(DebuggedDraws, LabelsAreTheGuestsMarkers) {
    ASSERT_NO_FATAL_FAILURE(start_with("labels"));
    run(scene() + marker("the \n sky") + triangle() + marker(std::string(300, 'x')));
    EXPECT_THAT(noted_labels, testing::ElementsAre("the ? sky", std::string(256, 'x')));
}

TEST_F(DebuggedDraws, WithoutThemNothingIsCalled) {
    ASSERT_NO_FATAL_FAILURE(start_with("", false));
    run(scene() + marker("the sky") + triangle());
    EXPECT_TRUE(noted_names.empty());
    EXPECT_TRUE(noted_labels.empty());
}

TEST_F(DebuggedDraws, SyncEndsAScopeAfterEachDraw) {
    static std::string line;
    ASSERT_NO_FATAL_FAILURE(start_with("sync,nocache"));
    set_log([](const std::string& text) { line = text; });
    run(scene() + triangle() + triangle() + triangle());
    renderer_ = nullptr;
    set_log(nullptr);
    EXPECT_THAT(line, HasSubstr("; 3 scopes, "));
}

}  // namespace
}  // namespace tgsi2spv::host
