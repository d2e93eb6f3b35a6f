// The readers of JSON and of the related text formats: any bytes give a value or a reason.
#include "campaign/baseline.h"
#include "cases/case_file.h"
#include "cases/result.h"
#include "inputs/case.h"
#include "scene/read.h"
#include "shared/device_caps.h"
#include "target.h"

using namespace tgsi2spv;

namespace {

template <class T>
void hold(const tl::expected<T, std::string>& read) {
    fuzz::require(read.has_value() || !read.error().empty(), "refused without a reason");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const std::string_view text = fuzz::text_of(data + 1, size - 1);
    switch (data[0]) {
        case 'd':
            hold(tools::read_device_caps(text));
            break;
        case 'i':
            hold(difftest::read_inputs(text));
            break;
        case 'c':
            hold(difftest::read_case_file(text));
            break;
        case 'r':
            hold(difftest::read_result_line(text));
            break;
        case 's':
        case 'w':
            hold(scene::read_scene(
                std::string(text),
                [](const std::string& name) -> tl::expected<std::string, std::string> {
                    if (name.empty()) return tl::unexpected<std::string>("no such file");
                    return "FRAG\nEND\n";
                },
                data[0] == 'w'));
            break;
        case 'b': {
            difftest::Baseline baseline;
            hold(difftest::read_baseline(text, "b", baseline));
            break;
        }
        default:
            break;
    }
    return 0;
}
