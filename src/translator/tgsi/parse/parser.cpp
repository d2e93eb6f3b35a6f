#include "tgsi/parse/parser.h"

#include <charconv>

#include "tgsi/text/utf8.h"

namespace tgsi2spv::tgsi {
namespace {

constexpr size_t kQuotedBytes = 40;

std::string hex_byte(char c) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto b = static_cast<uint8_t>(c);
    return {kDigits[b >> 4], kDigits[b & 15]};
}

}  // namespace

void Parser::skip_blanks() {
    while (p < end) {
        if (klass() & kSpace) {
            p = std::min(after_spaces(p + 1, end), end);
        } else if (*p == '#' || (*p == '/' && end - p > 1 && p[1] == '/')) {
            while (p < end && *p != '\n') ++p;
        } else {
            return;
        }
    }
}

bool Parser::fail_missing(char c, const char* where) {
    return fail_expected("syntax", std::string("'") + c + "' " + where);
}

bool Parser::fail(uint32_t at, size_t length, Code code, std::string message, std::string hint) {
    if (stop) return false;
    if (errors >= limits.errors) {
        stop = true;
        diagnostics.push_back(
            {Severity::Error, "too-many-errors", at, 0, "more than " + std::to_string(limits.errors) + " errors", {}});
        ++errors;
        return false;
    }
    ++errors;
    diagnostics.push_back(
        {Severity::Error, code, at, static_cast<uint32_t>(length), std::move(message), std::move(hint)});
    return false;
}

bool Parser::fail_expected(Code code, const std::string& what, std::string hint) {
    skip();
    std::string found;
    uint32_t at = here();
    size_t length = 1;
    // A token missing at the end of a line is reported there, not at the beginning of the next statement.
    if (p == end || line_ended()) {
        at = offset(token_end);
        found = p == end ? "the end of the text" : "the end of the line";
    } else if (const std::string_view next = look_word(); !next.empty()) {
        found = quoted(next);
        length = next.size();
    } else if (*p == '\0') {
        found = "a NUL byte";
    } else if (const size_t bytes = utf8_sequence({p, static_cast<size_t>(end - p)});
               bytes > 1 && !is_control({p, bytes})) {
        found = quoted({p, bytes});
        length = bytes;
    } else if (static_cast<uint8_t>(*p) < 0x20 || static_cast<uint8_t>(*p) >= 0x7f) {
        found = "byte 0x" + hex_byte(*p);
    } else {
        found = std::string("'") + *p + "'";
    }
    return fail(at, length, code, "expected " + what + ", found " + found, std::move(hint));
}

void Parser::warn(uint32_t at, size_t length, Code code, std::string message, std::string hint) {
    if (!warns()) return;
    ++warnings;
    diagnostics.push_back(
        {Severity::Warning, code, at, static_cast<uint32_t>(length), std::move(message), std::move(hint)});
}

std::string quoted(std::string_view word) {
    return "'" + printable(word.substr(0, kQuotedBytes)) + (word.size() > kQuotedBytes ? "…'" : "'");
}

std::string did_you_mean(std::string_view nearest) {
    return nearest.empty() ? std::string() : "did you mean '" + std::string(nearest) + "'?";
}

bool fail_driver_value(Parser& parser, uint32_t at, std::string_view name) {
    return parser.fail(at, 0, "driver-value",
                       std::string(name) + ": only the driver that printed this text has its values",
                       "capture the text from another driver, such as llvmpipe");
}

bool parse_number(Parser& parser, const char* what, int32_t& value) {
    parser.skip();
    const char* first = parser.p;
    uint32_t v = 0;
    while (parser.klass() & kDigit && parser.p - first < 9) v = v * 10 + static_cast<uint32_t>(*parser.p++ - '0');
    if (parser.klass() & kDigit) {  // ten digits or more: rare
        while (parser.klass() & kDigit) ++parser.p;
        const auto result = std::from_chars(first, parser.p, value);
        if (result.ec != std::errc{})
            return parser.fail(parser.offset(first), static_cast<size_t>(parser.p - first), "number-overflow",
                               std::string(what) + " " + quoted({first, static_cast<size_t>(parser.p - first)}) +
                                   " does not fit in 31 bits");
        v = static_cast<uint32_t>(value);
    }
    if (parser.p == first || parser.klass() & kWordChar) {
        parser.p = first;
        const bool vowel = std::string_view("aeiou").find(*what) != std::string_view::npos;
        return parser.fail_expected("bad-number", (vowel ? "an " : "a ") + std::string(what));
    }
    parser.token_end = parser.p;
    value = static_cast<int32_t>(v);
    return true;
}

}  // namespace tgsi2spv::tgsi
