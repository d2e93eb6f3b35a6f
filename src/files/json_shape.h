// Refuses JSON texts that nlohmann::json accepts, or refuses only slowly: deep nesting, huge objects, and two members
// of one name, of which it would keep the last.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tgsi2spv {

/// Receives the events of Json::sax_parse. ordered_json looks for a member among all that came before it, and a parser
/// with a callback goes through them after each nested value: large objects would take quadratic time.
template <class Json>
class JsonShape {
  public:
    static constexpr size_t kMaxMembers = 4096;

    explicit JsonShape(size_t most_depth) : most_depth_(most_depth) {}
    const std::string& fault() const { return fault_; }

    bool null() { return true; }
    bool boolean(bool) { return true; }
    bool number_integer(typename Json::number_integer_t) { return true; }
    bool number_unsigned(typename Json::number_unsigned_t) { return true; }
    bool number_float(typename Json::number_float_t, const std::string&) { return true; }
    bool string(std::string&) { return true; }
    bool binary(typename Json::binary_t&) { return true; }
    bool start_object(size_t) { return open(); }
    bool start_array(size_t) { return open(); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        std::unordered_set<std::string>& names = open_.back();
        if (!names.insert(name).second) return refuse("an object has two members \"" + name + "\"");
        return names.size() <= kMaxMembers ||
               refuse("an object has more than " + std::to_string(kMaxMembers) + " members");
    }
    /// Json::parse reports the error in the text.
    template <class Error>
    bool parse_error(size_t, const std::string&, const Error&) {
        return false;
    }

  private:
    bool open() {
        open_.emplace_back();
        return open_.size() <= most_depth_ ||
               refuse("arrays and objects are nested deeper than " + std::to_string(most_depth_));
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    bool refuse(std::string why) {
        fault_ = std::move(why);
        return false;
    }

    size_t most_depth_;
    std::string fault_;
    std::vector<std::unordered_set<std::string>> open_;  ///< the names in each open object; for an array, nothing
};

/// Why the text is refused; empty if it is not, or if it is not JSON.
template <class Json>
std::string json_shape_fault(std::string_view text, size_t most_depth) {
    JsonShape<Json> shape(most_depth);
    Json::sax_parse(text.begin(), text.end(), &shape);
    return shape.fault();
}

}  // namespace tgsi2spv
