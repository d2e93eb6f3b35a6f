// Requests to the library as rows of text: settings by the headers' names, and what becomes of a text with them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "everything.h"
#include "texts/cases.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv::test {

/// The options of a call and the structs that they point to. Not copyable, because it contains pointers into itself.
struct Request {
    tgsi2spv_options options = default_options;
    tgsi2spv_device_caps device = make<tgsi2spv_device_caps>();
    tgsi2spv_state state = make<tgsi2spv_state>();
    tgsi2spv_stream_outputs streams = make<tgsi2spv_stream_outputs>();
    tgsi2spv_stream_output outputs[3] = {};
    tgsi2spv_binding bindings[4] = {};
    tgsi2spv_push_constants push[2] = {};
    std::map<std::string, std::string> names;  ///< source_name and entry_point

    Request() = default;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    /// Applies `path=value` for each word: options.x, state.x, device.x or device=everything, streams.x, output[n].x,
    /// binding[n].x, push[n].x.
    void apply(const std::string& settings);

  private:
    void apply_one(const std::string& path, const std::string& value);
};

/// `: settings -> outcome details`
struct RequestRow {
    std::string settings, outcome, details;
    int line = 0;
};

/// A text with the rows that convert it.
struct RequestCase {
    std::string name, settings;  ///< settings of each row
    std::string text;
    std::vector<RequestRow> rows;
};

RequestCase request_of(const Case& of);
/// The cases of tests/api/requests/`file`. README.md there has their words.
std::vector<RequestCase> read_requests(const std::string& file);

}  // namespace tgsi2spv::test
