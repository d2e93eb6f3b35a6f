// What a cache folder may contain: a file as a whole, and the record in it, after a correct checksum.
#include "api/cache.h"

#include <vector>

#include "api/record.h"
#include "target.h"

using namespace tgsi2spv;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::span<const uint8_t> bytes(data, size);
    std::pmr::vector<uint8_t> payload;
    (void)api::read_entry(bytes, api::Key(), payload);
    std::pmr::vector<uint32_t> words;
    spirv::Reflection reflection;
    if (!api::read_record(bytes, words, reflection)) return 0;
    fuzz::require(!spirv::to_json(reflection).empty(), "no reflection");
    // A Boolean may have been read from a number other than 1, so the bytes may differ, but not their meaning.
    const auto written = api::write_record(words, reflection);
    std::pmr::vector<uint32_t> words_again;
    spirv::Reflection again;
    fuzz::require(api::read_record(written, words_again, again), "what is written cannot be read");
    fuzz::require(words_again == words && spirv::to_json(again) == spirv::to_json(reflection),
                  "what is written is another record");
    return 0;
}
