// Options of the programs: wraps CLI11 in a header of its own, since every file that includes CLI11's header takes ten
// seconds to compile. Names and meaning are CLI11's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tools {

/// Both ends are included. --help shows it with the words for the type.
template <class Number>
struct NumberRange {
    Number least, most;
    constexpr NumberRange(Number from, Number to)
        : least(from), most(to) {}  // clang 14 cannot deduce from an aggregate
};

/// CLI::Option*; it lives as long as its App.
class Option {
  public:
    explicit Option(void* option) : option_(option) {}
    Option& required();
    Option& type_name(const std::string& name);
    Option& group(const std::string& name);
    Option& capture_default_str();
    /// May be given any number of times, with one value each.
    Option& repeatable();
    Option& existing_file();
    Option& check(NumberRange<int> range);
    Option& check(NumberRange<unsigned> range);
    Option& check(NumberRange<double> range);
    Option& is_member(const std::vector<std::string>& words);
    size_t count() const;

  private:
    void* option_;
};

/// An option that was given: its name and its values.
struct GivenOption {
    std::string name;
    std::vector<std::string> values;
};

class App {
  public:
    explicit App(const std::string& description = {}, const std::string& name = {});
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    Option add_flag(const std::string& name, bool& value, const std::string& what);
    /// For std::string, std::vector<std::string> and numbers.
    template <class Value>
    Option add_option(const std::string& name, Value& value, const std::string& what = {});
    /// One of a few words.
    template <class Value>
    Option add_choice(const std::string& name, Value& value, const std::string& what,
                      const std::vector<std::pair<std::string, Value>>& words) {
        std::vector<std::string> names;
        for (const auto& word : words) names.push_back(word.first);
        const auto set = [&value, words](const std::string& chosen) {
            for (const auto& [word, means] : words)
                if (word == chosen) value = means;
        };
        return add_word(name, set, what).is_member(names);
    }
    void set_version_flag(const std::string& name, const std::string& version);
    void footer(const std::string& text);

    /// If this option is given, no argument but these may be: it does one thing, and the others would do nothing.
    void takes_only(const std::string& option, std::vector<std::string> with) {
        alone_.emplace_back(option, std::move(with));
    }

    /// How parse() shows an error, instead of a line and a hint to --help: returns the text for standard error.
    void show_errors(std::function<std::string(const std::string& message)> show) { show_ = std::move(show); }
    /// Nothing, or the status to exit with: 0 after --help or --version, 2 after an error message.
    std::optional<int> parse(int argc, char** argv);
    std::vector<GivenOption> given() const;

  private:
    Option add_word(const std::string& name, const std::function<void(const std::string&)>& set,
                    const std::string& what);
    struct Implementation;
    std::unique_ptr<Implementation> app_;
    std::vector<std::pair<std::string, std::vector<std::string>>> alone_;
    /// Returns the error about options that takes_only() forbids, or an empty string.
    std::string not_together() const;
    std::function<std::string(const std::string&)> show_;
};

}  // namespace tools
