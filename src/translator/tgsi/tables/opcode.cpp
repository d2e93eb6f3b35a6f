#include "tgsi/tables/opcode.h"

#include <algorithm>

#include "tgsi/tables/keywords.h"
#include "tgsi/text/nearest.h"

namespace tgsi2spv::tgsi {
namespace {

constexpr uint8_t kEditionBits[] = {kEditionOldest, kEditionMiddle, kEditionNewest};

constexpr uint8_t editions_of(std::string_view letters) {
    uint8_t bits = 0;
    for (int i = 0; i < 3; ++i)
        if (letters[i] != '_') bits |= kEditionBits[i];
    return bits;
}

constexpr OperandType type_of(char letter) {
    switch (letter) {
        case 'F':
            return OperandType::Float;
        case 'I':
            return OperandType::Int;
        case 'U':
            return OperandType::Uint;
        case 'D':
            return OperandType::Double;
        case 'L':
            return OperandType::Int64;
        case 'M':
            return OperandType::Uint64;
        case 'N':
            return OperandType::Untyped;
        case 'S':
            return OperandType::Sampler;
        case 'V':
            return OperandType::SamplerView;
        case 'R':
            return OperandType::Resource;
        default:
            return OperandType::None;
    }
}

/// Reads a row's signature, `destinations=sources`.
constexpr OpcodeInfo row(std::string_view mnemonic, std::string_view editions, std::string_view signature, Shape shape,
                         Family family, Form form, uint8_t stages) {
    OpcodeInfo o{mnemonic, editions_of(editions), 0, 0, {}, {}, shape, family, form, stages, 0, 0, false, false};
    size_t equals = signature.find('=');
    for (char c : signature.substr(0, equals)) o.dst[o.num_dst++] = type_of(c);
    for (char c : signature.substr(equals + 1)) o.src[o.num_src++] = type_of(c);
    o.min_src = o.max_src = o.num_src;
    o.can_saturate = o.num_dst > 0 && (o.dst[0] == OperandType::Float || o.dst[0] == OperandType::Double);
    o.is_wide = signature.find_first_of("DLM") != std::string_view::npos;
    return o;
}

constexpr uint8_t kVert = 1, kTesc = 2, kTese = 4, kGeom = 8, kFrag = 16, kComp = 32;
constexpr uint8_t kAll = kVert | kTesc | kTese | kGeom | kFrag | kComp;

/// The words that the table's last column uses.
namespace stage_words {
constexpr uint8_t all = kAll, frag = kFrag, geom = kGeom, comp = kComp, tesc = kTesc;
}

constexpr std::array<OpcodeInfo, kOpcodeCount> make_table() {
    using namespace stage_words;
    std::array<OpcodeInfo, kOpcodeCount> table = {{
#define TGSI_OPCODE(mnemonic, editions, signature, shape, family, form, stages) \
    row(#mnemonic, #editions, signature, Shape::shape, Family::family, Form::form, stages),
#include "tgsi/tables/opcodes.def"
#undef TGSI_OPCODE
    }};
    const auto of = [&table](Opcode op) -> OpcodeInfo& { return table[static_cast<size_t>(op)]; };
    of(Opcode::LOAD).can_saturate = true;  // from an image of floats
    of(Opcode::SAMPLE_INFO).min_src = 1;
    of(Opcode::EMIT).min_src = of(Opcode::ENDPRIM).min_src = 0;
    of(Opcode::TG4).min_src = 2;
    of(Opcode::SFL).max_src = of(Opcode::STR).max_src = 2;
    of(Opcode::BRA).max_src = 1;
    return table;
}

}  // namespace

constexpr std::array<OpcodeInfo, kOpcodeCount> kOpcodes = make_table();

namespace {

/// Names of 2011, with the opcodes that do the same now.
constexpr std::array<Spelling, kOldMnemonics> kOldNames{
    {{"LOAD_MS", static_cast<uint16_t>(Opcode::SAMPLE_I_MS)}, {"RESINFO", static_cast<uint16_t>(Opcode::SVIEWINFO)}}};

constexpr std::array<Spelling, kOpcodeCount + kOldMnemonics> kSpellings = [] {
    std::array<Spelling, kOpcodeCount + kOldMnemonics> spellings{};
    std::ranges::copy(kOldNames, spellings.begin() + kOpcodeCount);
    for (size_t i = 0; i < kOpcodes.size(); ++i) spellings[i] = {kOpcodes[i].mnemonic, static_cast<uint16_t>(i)};
    return spellings;
}();

}  // namespace

constexpr MnemonicTable kMnemonics(kSpellings);

std::optional<Opcode> opcode_from_name(std::string_view name) {
    const uint16_t found = kMnemonics.find(name);
    if (found == kMnemonics.kNone) return std::nullopt;
    return static_cast<Opcode>(found);
}

std::optional<Opcode> opcode_from_word(std::string_view word, const char* text_end) {
    const uint16_t found = kMnemonics.find(word, text_end);
    if (found == kMnemonics.kNone) return std::nullopt;
    return static_cast<Opcode>(found);
}

std::string_view nearest_mnemonic(std::string_view name) {
    Nearest nearest(name);
    for (const OpcodeInfo& o : kOpcodes) nearest.offer(o.mnemonic);
    return nearest.word;
}

}  // namespace tgsi2spv::tgsi
