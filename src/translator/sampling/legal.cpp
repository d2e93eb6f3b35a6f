// The limits of the two texture pages, and the few of Vulkan that no emulation removes.
#include "sampling/ops.h"

namespace tgsi2spv::sampling {
namespace {

constexpr const char* kCps = "CPS LOD compensation is allowed only for sample, sample_b, sample_b_c, sample_c and LOD";

bool within(const Message& message, int32_t lowest, int32_t highest) {
    if (!message.offsets_are_immediate) return true;
    for (const auto& offset : message.immediate_offsets)
        for (int32_t axis : offset)
            if (axis < lowest || axis > highest) return false;
    return true;
}

std::string tld4(const Message& message) {
    const Surface& s = message.surface;
    // #paramA allows 2D, CUBE, ARRAY_2D and ARRAY_CUBE; RECT is 2D with scaled coordinates (semantics: TG4).
    if ((s.dim != Dim::D2 && s.dim != Dim::Cube) || s.ms)
        return "a gather takes 2D, RECT, CUBE and their arrays and comparisons, not 1D, 3D, BUFFER or MSAA";
    if (!within(message, -32, 31)) return "the offset of a gather has six bits: expected -32 to 31";
    if (s.shadow && !message.reference.present()) return "a gather with comparison needs a reference";
    if (message.cps_compensation) return kCps;
    if (message.non_uniform || message.non_uniform_surface)
        return "divS is a modifier of 3D_SAMPLE; for a gather, .B gives each lane its own descriptors";
    if (message.half_parameters || message.result != ResultType::Word)
        return "the coordinates s, t and r and the results of a gather must be 32 bits wide";
    if (message.offsets == Offsets::None &&
        (message.packed_offsets[0].present() || message.packed_offsets[1].present()))
        return "packed offsets need .AOFFI or .PTP";
    if (message.handle.present() && !message.bindless) return "a handle needs .B";
    return {};
}

std::string sample_3d(const Message& message) {
    const Surface& s = message.surface;
    if (s.dim == Dim::Buffer || s.ms) return "BUFFER and MSAA cannot be filtered";
    // The page's tables have it, but Vulkan has no comparison on three-dimensional images.
    if (s.shadow && s.dim == Dim::D3) return "Vulkan has no comparison on 3D images";
    if (message.sample != SampleOp::LOD && s.shadow != info(message.sample).compares)
        return s.shadow ? "a comparison surface needs an op with _c" : "an op with _c needs a comparison surface";
    if (!within(message, -8, 7)) return "the immediate offset of a sample has four bits: expected -8 to 7";
    const bool words = message.result == ResultType::Int16 || message.result == ResultType::Uint16;
    if (s.shadow && words) return "the results of a comparison are floats, not 16-bit integers";
    if (message.sample == SampleOp::LOD && words) return "levels of detail are floats, not 16-bit integers";
    if (message.cps_compensation && !info(message.sample).is_implicit()) return kCps;
    return {};
}

}  // namespace

std::string why_illegal(const Message& message) {
    if ((message.channel_mask & 0xf) == 0) return "at least one channel must be enabled";
    if (message.offsets == Offsets::Ptp && message.cls != Class::Tld4) return "only a gather takes four offsets";
    if (message.offsets != Offsets::None) {
        if (message.surface.dim == Dim::Cube) return "cubes take no offset";
        if (message.surface.dim == Dim::Buffer) return "BUFFER takes no offset";
        if (message.cls == Class::Query || (message.cls == Class::Sample3D && message.sample == SampleOp::LOD))
            return "a query takes no offset";
    }
    switch (message.cls) {
        case Class::Tld4:
            return tld4(message);
        case Class::Sample3D:
            return sample_3d(message);
        case Class::Query:
            if (message.sparse) return "a query reads no texels, so it has no residency";
            [[fallthrough]];
        case Class::Fetch:
            if (message.cps_compensation) return kCps;
            if (message.half_parameters || message.result != ResultType::Word)
                return "half and word types are allowed only for the messages of the 3D_SAMPLE page";
            return {};
    }
    return {};
}

}  // namespace tgsi2spv::sampling
