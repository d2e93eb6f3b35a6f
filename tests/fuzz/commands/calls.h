// Calls of a front end, how a renderer gets them, and their text: "NAME word word …" in hexadecimal, a line each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virgl/renderer.h"

namespace tgsi2spv::fuzz {

struct Call {
    uint32_t op = 0;
    std::vector<uint32_t> words;
    bool operator==(const Call&) const = default;
};

std::string line_of(const Call& call);
std::optional<Call> read_line(std::string_view line);

/// Makes calls. A command waits for the next kSubmit, which has those of its context.
class Player {
  public:
    explicit Player(virgl::SharedRenderer& renderer) : renderer_(renderer) {}
    virgl::Outcome play(const Call& call);

  private:
    virgl::Outcome host_call(const Call& call);

    virgl::SharedRenderer& renderer_;
    std::vector<uint32_t> commands_;
};

}  // namespace tgsi2spv::fuzz
