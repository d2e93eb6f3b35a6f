#include "tgsi/opcode.h"

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
    OpcodeInfo o{mnemonic, editions_of(editions), 0, 0, {}, {}, shape, family, form, stages};
    size_t equals = signature.find('=');
    for (char c : signature.substr(0, equals)) o.dst[o.num_dst++] = type_of(c);
    for (char c : signature.substr(equals + 1)) o.src[o.num_src++] = type_of(c);
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
    return {{
#define TGSI_OPCODE(mnemonic, editions, signature, shape, family, form, stages) \
    row(#mnemonic, #editions, signature, Shape::shape, Family::family, Form::form, stages),
#include "tgsi/opcodes.def"
#undef TGSI_OPCODE
    }};
}

constexpr std::array<OpcodeInfo, kOpcodeCount> kTable = make_table();

}  // namespace

const OpcodeInfo& info(Opcode op) {
    return kTable[static_cast<size_t>(op)];
}

}  // namespace tgsi2spv::tgsi
