#include "shared/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <type_traits>

#include "tgsi/text/nearest.h"

namespace tools {

namespace {

constexpr int kUsage = 2;

CLI::Option* real(void* option) {
    return static_cast<CLI::Option*>(option);
}

}  // namespace

Option& Option::required() {
    real(option_)->required();
    return *this;
}

Option& Option::type_name(const std::string& name) {
    real(option_)->type_name(name);
    return *this;
}

Option& Option::group(const std::string& name) {
    real(option_)->group(name);
    return *this;
}

Option& Option::capture_default_str() {
    real(option_)->capture_default_str();
    return *this;
}

Option& Option::repeatable() {
    real(option_)->take_all()->allow_extra_args(false);
    return *this;
}

Option& Option::existing_file() {
    real(option_)->check(CLI::ExistingFile.description(""));  // --help would have it after the name
    return *this;
}

Option& Option::check(NumberRange<int> range) {
    real(option_)->check(CLI::Range(range.least, range.most));
    return *this;
}

Option& Option::check(NumberRange<unsigned> range) {
    real(option_)->check(CLI::Range(range.least, range.most));
    return *this;
}

Option& Option::check(NumberRange<double> range) {
    real(option_)->check(CLI::Range(range.least, range.most));
    return *this;
}

Option& Option::is_member(const std::vector<std::string>& words) {
    real(option_)->check(CLI::IsMember(words));
    return *this;
}

size_t Option::count() const {
    return real(option_)->count();
}

struct App::Implementation : CLI::App {
    using CLI::App::App;
};

App::App(const std::string& description, const std::string& name)
    : app_(std::make_unique<Implementation>(description, name)) {}

App::~App() = default;

namespace {

/// In lines that fit beside the names of the options, in --help.
std::string wrapped(const std::string& text) {
    constexpr size_t kColumns = 90;
    std::string lines;
    size_t begin = 0;
    for (size_t at = 0, space = 0; at < text.size(); ++at) {
        if (text[at] == ' ') space = at;
        if (at - begin < kColumns || space <= begin) continue;
        lines += text.substr(begin, space - begin) + '\n';
        begin = space + 1;
    }
    return lines + text.substr(begin);
}

}  // namespace

Option App::add_flag(const std::string& name, bool& value, const std::string& what) {
    return Option(app_->add_flag(name, value, wrapped(what)));
}

namespace {

/// CLI11 takes -1 as the largest number, and also a number that does not fit.
template <class Number>
std::string check_number(const std::string& text) {
    Number number{};
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.starts_with('-')) return text + " is negative";
    // CLI11 reads 0x, 0b, 0o and separators, but of other letters it says only that it could not convert them.
    const bool prefixed = text.size() > 2 && text[0] == '0' && std::string_view("xXbBoO").find(text[1]) != text.npos;
    const char* const digits = prefixed ? "0123456789abcdefABCDEF'_" : "0123456789'_+";
    if (text.find_first_not_of(digits, prefixed ? 2 : 0) != text.npos) return text + " is not a number";
    return wrong == std::errc::result_out_of_range ? text + " is too large" : std::string();
}

/// An empty value is a shell variable that is not set, not a wish for the default.
std::string check_not_empty(const std::string& text) {
    return text.empty() ? "the value is empty" : std::string();
}

/// CLI11 reads 010 as eight, as C does; numbers from a script often have leading zeros. 0x, 0b and 0o stay.
std::string without_leading_zeros(std::string text) {
    const size_t first = text.find_first_not_of("+-");
    const size_t end = std::min(text.find_first_not_of('0', std::min(first, text.size())), text.size());
    if (first >= end) return text;
    const bool digit_follows = end < text.size() && text[end] >= '0' && text[end] <= '9';
    if (digit_follows)
        text.erase(first, end - first);
    else if (end == text.size())
        text.erase(first, end - first - 1);  // all are zeros
    return text;
}

/// Ranges do not refuse NaN.
std::string check_not_nan(const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is not a number" : std::string();
}

}  // namespace

template <class Value>
Option App::add_option(const std::string& name, Value& value, const std::string& what) {
    CLI::Option* const option = app_->add_option(name, value, wrapped(what));
    // The name of the value in --help: N for numbers, none for a positional argument, which has a name of its own, and
    // TEXT otherwise.
    if constexpr (std::is_integral_v<Value>) {
        option->type_name("N");
        option->transform(&without_leading_zeros, "");  // before every check, which CLI11 would let read octals too
    }
    if (!name.starts_with('-')) option->type_name("");
    option->check(&check_not_empty, "");
    if constexpr (std::is_unsigned_v<Value>) option->check(&check_number<Value>, "");
    if constexpr (std::is_floating_point_v<Value>) option->check(&check_not_nan, "");
    return Option(option);
}

template Option App::add_option(const std::string&, std::string&, const std::string&);
template Option App::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option App::add_option(const std::string&, int&, const std::string&);
template Option App::add_option(const std::string&, uint32_t&, const std::string&);
template Option App::add_option(const std::string&, uint64_t&, const std::string&);
template Option App::add_option(const std::string&, double&, const std::string&);

Option App::add_word(const std::string& name, const std::function<void(const std::string&)>& set,
                     const std::string& what) {
    return Option(app_->add_option_function<std::string>(name, set, wrapped(what)));
}

void App::set_version_flag(const std::string& name, const std::string& version) {
    app_->set_version_flag(name, version);
}

void App::footer(const std::string& text) {
    app_->footer(text);
}

namespace {

/// The error about an option that the program does not have; empty if it has them all.
std::string unknown_option(const CLI::App& app, int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::string_view option(argv[i]);
        if (option == "--") break;
        option = option.substr(0, option.find('='));
        if (!option.starts_with("--") || app.get_option_no_throw(std::string(option)) != nullptr) continue;
        const std::string_view word = option.substr(2);
        tgsi2spv::tgsi::Nearest nearest(word);
        std::string_view longer;  // --retries of --flake-retries
        for (const CLI::Option* known : app.get_options())
            for (const std::string& name : known->get_lnames()) {
                nearest.offer(name);
                if (word.size() > 3 && name.find(word) != name.npos) longer = name;
            }
        const std::string_view meant = nearest.word.empty() ? longer : nearest.word;
        return "unknown option '" + std::string(option) + "'" +
               (meant.empty() ? "" : ": did you mean '--" + std::string(meant) + "'?");
    }
    return {};
}

}  // namespace

std::optional<int> App::parse(int argc, char** argv) {
    const auto refuse = [this](const CLI::Error& e) {
        if (show_ && e.get_exit_code() != 0) {
            std::fputs(show_(e.what()).c_str(), stderr);
            return kUsage;
        }
        return app_->exit(e) == 0 ? 0 : kUsage;
    };
    try {
        app_->parse(argc, argv);
        if (const std::string why = not_together(); !why.empty()) throw CLI::ValidationError(why);
    } catch (const CLI::ParseError& e) {
        // CLI11 takes the value of an unknown option for an argument, of which there are then too many.
        const std::string unknown = e.get_exit_code() != 0 ? unknown_option(*app_, argc, argv) : std::string();
        return unknown.empty() ? refuse(e) : refuse(CLI::ValidationError(unknown));
    }
    return std::nullopt;
}

std::string App::not_together() const {
    const auto all = given();
    for (const auto& [option, with] : alone_) {
        if (std::ranges::find(all, option, &GivenOption::name) == all.end()) continue;
        for (const GivenOption& other : all)
            if (other.name != option && std::ranges::find(with, other.name) == with.end())
                return option + " does not go with " + other.name;
    }
    return {};
}

std::vector<GivenOption> App::given() const {
    std::vector<GivenOption> all;
    for (const CLI::Option* option : std::as_const(*app_).get_options())
        if (option->count() > 0) all.push_back({option->get_name(), option->results()});
    return all;
}

}  // namespace tools
