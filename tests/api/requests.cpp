#include "api/requests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "api/c_structs.h"
#include "api/library_texts.h"

namespace tgsi2spv::test {

void Request::apply(const std::string& settings) {
    std::istringstream in(settings);
    for (std::string word; in >> word;) apply_one(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
}

void Request::apply_one(const std::string& path, const std::string& value) {
    const std::string root = path.substr(0, path.find_first_of(".[")),
                      member = path.substr(std::min(path.find('.') + 1, path.size()));
    const size_t n =
        path.size() > root.size() && path[root.size()] == '[' ? std::stoul(path.substr(root.size() + 1)) : 0;
    const auto set = [&](void* object, const char* type) {
        void* const at = member_at(object, type, member);
        const uint32_t word = c_value(value);
        if (at != nullptr) std::memcpy(at, &word, sizeof word);
    };
    if (path == "device") {
        device = value == "everything" ? device_with_everything() : make<tgsi2spv_device_caps>();
        options.device = value == "none" ? nullptr : &device;
    } else if (member == "source_name" || member == "entry_point") {
        (member == "source_name" ? options.source_name : options.entry_point) = (names[member] = value).c_str();
    } else if (root == "options") {
        set(&options, "tgsi2spv_options");
    } else if (root == "state") {
        options.state = &state;
        set(&state, "tgsi2spv_state");
    } else if (root == "device") {
        options.device = &device;
        set(&device, "tgsi2spv_device_caps");
    } else if (root == "streams" || root == "output") {
        options.stream_outputs = &streams;
        streams.outputs = outputs;
        if (root == "output") streams.output_count = std::max(streams.output_count, n + 1);
        root == "output" ? set(&outputs[n], "tgsi2spv_stream_output") : set(&streams, "tgsi2spv_stream_outputs");
    } else if (root == "binding") {
        options.bindings = bindings;
        options.binding_count = std::max(options.binding_count, n + 1);
        set(&bindings[n], "tgsi2spv_binding");
    } else if (root == "push") {
        options.push_constants = push;
        options.push_constant_count = std::max(options.push_constant_count, n + 1);
        set(&push[n], "tgsi2spv_push_constants");
    } else {
        ADD_FAILURE() << "no such setting: " << path;
    }
}

RequestCase request_of(const Case& of) {
    RequestCase c{of.id.name, {}, {}, {}};
    for (const auto& [line, number] : of.lines) {
        const auto [word, rest] = first_word(line);
        const size_t arrow = std::min(rest.find("-> "), rest.size());
        const auto [outcome, details] = first_word(rest.substr(std::min(arrow + 3, rest.size())));
        if (word == ":")
            c.rows.push_back({c.settings + rest.substr(0, arrow), outcome, details, number});
        else if (word == "set")
            c.settings += rest + " ";
        else
            c.text += line + "\n";
    }
    return c;
}

std::vector<RequestCase> read_requests(const std::string& name) {
    std::vector<RequestCase> all;
    for (const Case& of : expand_all("tests/api/requests/" + name)) all.push_back(request_of(of));
    return all;
}

namespace {

using testing::HasSubstr;

/// The element of a module with this number, or that `by` calls so.
template <class Get, class By>
auto element(const std::string& key, uint32_t count, Get get, By by) {
    for (uint32_t i = 0; i < count; ++i)
        if (by(get(i)) == key || std::to_string(i) == key) return get(i);
    ADD_FAILURE() << "no " << key << " of " << count;
    for (uint32_t i = 0; i < count; ++i) ADD_FAILURE() << "but " << by(get(i));
    return decltype(get(0)){};
}

class Answers : public testing::TestWithParam<CaseId> {
  protected:
    RequestCase request_;

    std::vector<uint32_t> words_of(const std::string& settings) {
        Request r;
        r.apply(settings);
        return copy(context_.translate(request_.text, r.options));
    }

    void check_row(const RequestRow& row) {
        Request r;
        r.apply(row.settings);
        const Module m = context_.translate(request_.text, r.options);
        const std::string first = context_.diagnostic_count() > 0 ? context_.diagnostic(0).message : "";
        static const std::map<std::string, tgsi2spv_status> kRefusals = {
            {"invalid-argument", TGSI2SPV_ERROR_INVALID_ARGUMENT},
            {"invalid-text", TGSI2SPV_ERROR_INVALID_TEXT},
            {"unsupported", TGSI2SPV_ERROR_UNSUPPORTED},
            {"limit", TGSI2SPV_ERROR_LIMIT}};
        if (const auto refusal = kRefusals.find(row.outcome); refusal != kRefusals.end()) {
            EXPECT_FALSE(m);
            EXPECT_EQ(context_.status(), refusal->second);
            if (context_.diagnostic_count() == 1 &&
                std::string_view(context_.diagnostic(0).code) == "invalid-argument") {
                EXPECT_FALSE(hash_of(request_.text, r.options));
            }
            check_diagnostic(row.details);
            return;
        }
        if (row.outcome == "program") {
            const Program program =
                context_.parse(request_.text, {sizeof(tgsi2spv_parse_info), 0, TGSI2SPV_PARSE_RESOURCES});
            ASSERT_TRUE(program);
            check_program(program, row.details);
            return;
        }
        ASSERT_TRUE(m) << first;
        if (row.outcome == "warns") {
            EXPECT_EQ(context_.diagnostic_count(), 1u);
            EXPECT_EQ(context_.diagnostic(0).severity, TGSI2SPV_SEVERITY_WARNING);
            check_diagnostic(row.details);
        } else if (row.outcome == "ok") {
            check_module(m, row.details);
        } else {
            const auto without = words_of(request_.settings);
            EXPECT_EQ(words_of("state.flags=0 " + request_.settings), without) << "zero is the default of each member";
            compare(without, copy(m), row.outcome);
        }
    }
    static void compare(const std::vector<uint32_t>& without, const std::vector<uint32_t>& with,
                        const std::string& outcome) {
        EXPECT_FALSE(without.empty());
        EXPECT_EQ(without == with, outcome == "same");
        EXPECT_TRUE(outcome != "longer" || with.size() > without.size());
        EXPECT_TRUE(outcome != "shorter" || with.size() < without.size());
        EXPECT_TRUE(outcome == "longer" || outcome == "shorter" || outcome == "same" || outcome == "other") << outcome;
    }
    /// `[code]` or nothing, and a part of the message.
    void check_diagnostic(std::string text) {
        ASSERT_GT(context_.diagnostic_count(), 0u);
        const auto d = context_.diagnostic(0);
        if (text.starts_with('[')) {
            EXPECT_EQ(d.code, text.substr(1, text.find(']') - 1));
            text.erase(0, std::min(text.find(']') + 2, text.size()));
        }
        EXPECT_THAT(d.message, HasSubstr(text));
    }

    void check_module(const Module& m, const std::string& details) {
        std::istringstream in(details);
        for (std::string word; in >> word;) {
            SCOPED_TRACE(word);
            const size_t equals = word.find('=');
            const std::string path = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
            if (word == "valid")
                EXPECT_EQ(invalid(m), "");
            else if (word == "silent")
                EXPECT_EQ(context_.diagnostic_count(), 0u);
            else if (word.starts_with("json:"))
                EXPECT_THAT(without_spaces(std::string(context_.json(m))), HasSubstr(word.substr(5)));
            else if (path == "version")
                EXPECT_EQ(m.words()[1], c_value(value));
            else if (path == "features" || path == "extensions" || path == "capabilities")
                EXPECT_EQ(listed(path == "features"     ? m.features()
                                 : path == "extensions" ? m.extensions()
                                                        : m.capabilities()),
                          value);
            else
                check_member(m, path, value);
        }
    }
    static std::string without_spaces(std::string text) {
        std::erase(text, ' ');
        return text;
    }
    template <class List>
    static std::string listed(const List& list) {
        std::string text;
        for (const char* word : list) text += (text.empty() ? "" : ",") + std::string(word);
        return text;
    }
    /// Of the program before a conversion: info.x, resource[name].x, input[n].x, output[n].x, system_value[n].x or
    /// property[n].x
    static void check_program(const Program& program, const std::string& details) {
        std::istringstream in(details);
        for (std::string word; in >> word;) {
            SCOPED_TRACE(word);
            const std::string path = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
            const Place place(path);
            const auto info = program.info();
            const auto none = [](const auto&) { return std::string("?"); };
            const auto named = [](const auto& of) { return std::string(of.name); };
            const auto check = [&](uint32_t count, auto get, auto by, const char* type) {
                check_value(element(place.key, count, get, by), type, place.member, value);
            };
            if (place.root == "info")
                check_value(info, "tgsi2spv_program_info", place.member, value);
            else if (place.root == "resource")
                check(
                    info.resource_count, [&](uint32_t i) { return program.resource(i); }, named, "tgsi2spv_resource");
            else if (place.root == "input")
                check(
                    info.input_count, [&](uint32_t i) { return program.input(i); }, none, "tgsi2spv_register");
            else if (place.root == "output")
                check(
                    info.output_count, [&](uint32_t i) { return program.output(i); }, none, "tgsi2spv_register");
            else if (place.root == "system_value")
                check(
                    info.system_value_count, [&](uint32_t i) { return program.system_value(i); }, none,
                    "tgsi2spv_register");
            else
                check(
                    info.property_count, [&](uint32_t i) { return program.property(i); }, named, "tgsi2spv_property");
        }
    }
    /// The parts of root[key].member, or of root.member.
    struct Place {
        std::string root, key, member;
        explicit Place(const std::string& path) {
            const size_t open = path.find('['), close = path.find("].");
            root = path.substr(0, std::min(open, path.find('.')));
            if (close < path.size()) key = path.substr(open + 1, close - open - 1);
            member = path.substr(close < path.size() ? close + 2 : path.find('.') + 1);
        }
    };
    /// info.x, resource[name].x, input[n].x, output[SEMANTIC:index].x or spec[n].x
    void check_member(const Module& m, const std::string& path, const std::string& value) {
        const auto& [root, key, member] = Place(path);
        const auto info = m.info();
        const auto named = [](const auto& of) { return std::string(of.name); };
        const auto by_semantic = [](const tgsi2spv_variable& v) {
            return fmt::format("{}:{}", tgsi2spv_semantic_name(v.semantic), v.semantic_index);
        };
        if (root == "info")
            check_value(info, "tgsi2spv_module_info", member, value);
        else if (root == "resource")
            check_value(element(
                            key, info.resource_count, [&](uint32_t i) { return m.resource(i); }, named),
                        "tgsi2spv_resource", member, value);
        else if (root == "input")
            check_value(element(
                            key, info.input_count, [&](uint32_t i) { return m.input(i); }, by_semantic),
                        "tgsi2spv_variable", member, value);
        else if (root == "output")
            check_value(element(
                            key, info.output_count, [&](uint32_t i) { return m.output(i); }, by_semantic),
                        "tgsi2spv_variable", member, value);
        else if (root == "spec")
            check_value(element(
                            key, info.spec_constant_count, [&](uint32_t i) { return m.spec_constant(i); }, named),
                        "tgsi2spv_spec_constant", member, value);
        else
            ADD_FAILURE() << "no such member: " << path;
    }
    template <class Struct>
    static void check_value(Struct of, const char* type, const std::string& member, const std::string& value) {
        const void* const at = member_at(&of, type, member);
        if (at == nullptr) return;
        if (member == "name") {
            EXPECT_EQ(without_spaces(of_name(at)), value);
            return;
        }
        uint32_t word = 0;
        std::memcpy(&word, at, sizeof word);
        EXPECT_EQ(word, c_value(value));
    }
    static std::string of_name(const void* at) {
        const char* text = nullptr;
        std::memcpy(&text, at, sizeof text);
        return text;
    }

    Context context_;
};

TEST_P(Answers, AreThoseOfTheirRows) {
    for (const Case& of : expand(GetParam())) {
        request_ = request_of(of);
        ASSERT_FALSE(request_.rows.empty());
        for (const RequestRow& row : request_.rows) {
            const auto trace = of.trace(row.line);
            check_row(row);
        }
    }
}

std::vector<CaseId> all_requests() {
    std::vector<CaseId> all;
    for (const char* file : {"options", "state", "device", "reflection", "refusals"})
        for (CaseId& id : cases_of(fmt::format("tests/api/requests/{}.txt", file))) all.push_back(std::move(id));
    return all;
}

INSTANTIATE_TEST_SUITE_P(Requests, Answers, testing::ValuesIn(all_requests()), test_name);

}  // namespace
}  // namespace tgsi2spv::test
