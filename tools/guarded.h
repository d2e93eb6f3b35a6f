// The outermost frame of every tool.
#pragma once

#include <cstdio>
#include <exception>

namespace tools {

/// What `main` throws (out of memory, above all: the project's own errors are values) ends the tool with a message and
/// status 2 in place of an abort.
template <typename Main>
int guarded(const char* tool, const Main& main) noexcept {
    try {
        return main();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", tool, e.what());
    } catch (...) {
        std::fprintf(stderr, "%s: ended by an exception\n", tool);
    }
    return 2;
}

}  // namespace tools
