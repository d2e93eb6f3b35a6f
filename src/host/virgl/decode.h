// Decodes a command buffer, word by word, into typed commands. A pure function: no state outlives a call, and nothing
// is read outside the given words.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "virgl/commands.h"

namespace tgsi2spv::virgl {

enum class DecodeProblem : uint8_t {
    Truncated,   ///< the command does not fit into the rest of the buffer
    Unknown,     ///< no such command or object type
    NotOffered,  ///< exists, but needs a capability that the host never offers
    Length,      ///< another length than the command's
    Handle,      ///< an object needs a handle other than 0
    Enumerant,   ///< a value that the enumeration does not have
    Slot,        ///< a slot or count beyond the protocol's limits
};

struct DecodeError {
    DecodeProblem problem;
    CommandId id;
    ObjectType object;  ///< the object of commands with an object type
    size_t position;    ///< place of the command's header, in words
    size_t word;        ///< the offending word, counted from the header; 0: the header
    uint64_t value;     ///< the wrong value of the word, or the length of the command
    uint64_t limit;     ///< the largest that is permitted, or the length that is needed; 0: not one number
};

/// One line: the error and its place.
std::string describe(const DecodeError& error);

/// Decodes the command at `position` and moves it past the command. `position` must be below `buffer.size()`.
tl::expected<Command, DecodeError> decode_command(Words buffer, size_t& position);

/// Output n of a shader's stream outputs.
StreamOutput stream_output(const CreateShader& shader, size_t n);

}  // namespace tgsi2spv::virgl
