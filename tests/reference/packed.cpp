// Words packed from fields; the reference tracks each field on its own. runs/packed.txt has the opcodes.
#include "reference/numbers/packed.h"

#include <gtest/gtest.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

Value result_of(const std::string& opcode, const Vec4& source) {
    Inputs in;
    in.inputs[{0, 0}] = {source};
    return out(run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
)" + opcode + "END\n",
                   in),
               0);
}
Value packed(const std::string& opcode, float x, float y, float z = 0, float w = 0) {
    return result_of(opcode + " OUT[0], IN[0]\n", {as_word(x), as_word(y), as_word(z), as_word(w)});
}

WordList list(std::initializer_list<uint32_t> codes) {
    WordList l;
    for (const uint32_t c : codes) l.words[static_cast<size_t>(l.count++)] = c;
    return l;
}

TEST(Packed, OthersTakeItForAnyWord) {
    const Value v = packed("PK4UB", 0.5f, 0.5f, 0.5f, 0.5f), other = packed("PK4UB", 0.5f, 0.5f, 0.5f, 1);
    EXPECT_FALSE(is_free(join(v, v)));
    EXPECT_TRUE(is_free(join(v, other)) || permits(join(v, other), other.value));
    EXPECT_TRUE(is_free(join(exact(1u), v)) && is_free(join(v, exact(1u))));
    Value lost = v;
    make_unknown(lost);
    EXPECT_TRUE(is_free(lost) && permits(lost, 0x12345678));
}

TEST(Packed, SetsContainTheirListedCodes) {
    constexpr int kBits = 8;
    struct Case {
        WordList codes;
        std::initializer_list<uint32_t> not_held;
    };
    const Case cases[] = {{list({5}), {4, 6, 0}},
                          {list({255, 0, 1}), {2, 254}},
                          {list({7, 9, 8, 0, 128}), {1, 6, 10, 127, 129}},
                          {list({250, 255, 2, 5}), {6, 249, 100}},  // the shortest range may wrap around
                          {list({0, 0, 0}), {1, 255}}};
    for (const Case& c : cases) {
        const FieldSet set = set_around(c.codes, kBits);
        for (int i = 0; i < c.codes.count; ++i) EXPECT_TRUE(holds(set, kBits, c.codes.words[static_cast<size_t>(i)]));
        for (const uint32_t code : c.not_held) EXPECT_FALSE(holds(set, kBits, code)) << code;
    }
    WordList all;
    EXPECT_FALSE(enumerate(any_code(kBits), kBits, all));
    EXPECT_TRUE(enumerate(set_around(list({255, 0, 1, 77}), kBits), kBits, all) && all.count == 4);
}

}  // namespace
}  // namespace tgsi2spv::reference
