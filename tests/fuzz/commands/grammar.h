// The calls that a front end and its guests make, as data: the words of each, and their meaning (kinds.def).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "virgl/protocol.h"

namespace tgsi2spv::fuzz {

enum class Kind : uint8_t {
#define KIND(name, wrong, ...) name,
#include "kinds.def"
#undef KIND
};

/// How a wrong value of a kind is made.
enum class Wrong : uint8_t { Fixed, Handle, Resource, Format, Number, Packed, Work, Grid, Bits, Float };

/// Calls that are not commands of a guest, with the bit that no command has. Their words are the arguments in order.
enum HostCall : uint32_t {
    kHostCall = 1u << 16,
    kCreateResource = kHostCall,  ///< ResourceRequest, bytes of shared memory
    kDestroyResource,
    kCreateMapped,  ///< as kCreateResource, of a buffer in the guest's memory, which is of whole pages
    kSetMemory,     ///< handle, bytes
    kCreateContext,
    kDestroyContext,
    kAttach,           ///< context, handle
    kDetach,           ///< context, handle
    kSubmit,           ///< context: the commands since the last submission
    kWrite,            ///< TransferRequest, bytes of data, seed of their content
    kRead,             ///< TransferRequest, bytes of data
    kWriteFromMemory,  ///< TransferRequest, offset
    kReadToMemory,     ///< TransferRequest, offset
    kBusy,             ///< handle, whether to wait
    kFence,
};

/// The calls that a row needs before it.
enum class Needs : uint8_t { Nothing, DrawState, GridState };
/// Words after the fields.
enum class Tail : uint8_t { None, Text, BoxData };

struct Row {
    const char* name;
    uint32_t op;  ///< a command's header without its length, or a HostCall
    uint32_t weight;
    std::array<Kind, 22> fields;
    std::array<Kind, 6> group{};  ///< repeated after the fields, at most `most` times
    uint32_t least = 0, most = 0;
    Tail tail = Tail::None;
    Needs needs = Needs::Nothing;
    Needs before = Needs::Nothing;  ///< it is a part of that state
};

std::span<const Row> rows();
/// Null: no such call.
const Row* row_of(uint32_t op);
Wrong wrong_of(Kind kind);

inline constexpr uint32_t command_op(virgl::CommandId id, virgl::ObjectType object = {}) {
    return static_cast<uint32_t>(id) | static_cast<uint32_t>(object) << 8;
}

}  // namespace tgsi2spv::fuzz
