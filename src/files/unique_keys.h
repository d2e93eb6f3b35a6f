// For the callback of nlohmann::json's parser, which of two members of one name keeps the last, and says nothing.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tgsi2spv {

class UniqueKeys {
  public:
    /// Whether the innermost open object already has a member of the name that was just read; false for other events.
    template <class Json>
    bool has(typename Json::parse_event_t event, const Json& read) {
        using Event = typename Json::parse_event_t;
        if (event == Event::object_start) open_.emplace_back();
        if (event == Event::object_end) open_.pop_back();
        return event == Event::key && !open_.back().insert(read.template get<std::string>()).second;
    }
    static std::string complaint(const std::string& name) { return "an object has two members \"" + name + "\""; }

  private:
    std::vector<std::set<std::string>> open_;
};

}  // namespace tgsi2spv
