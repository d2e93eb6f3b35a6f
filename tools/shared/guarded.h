// The outermost frame of every tool.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace tools {

/// Occupies the descriptors of standard files that the parent process has closed. Otherwise the first file that is
/// opened would get one of them, and with it the printed output. Using them remains an error.
inline void occupy_standard_files() {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

/// Turns an exception from `main` (mostly out of memory: the project's own errors are values) into a message and status
/// 2 instead of an abort. So does standard output that could not be written, unless its reader has left.
template <typename Main>
int guarded(const char* tool, const Main& main) noexcept {
    occupy_standard_files();
    try {
        const int status = main();
        errno = 0;
        if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) || errno == EPIPE) return status;
        std::fprintf(stderr, "%s: cannot write to standard output%s%s\n", tool, errno != 0 ? ": " : "",
                     errno != 0 ? std::strerror(errno) : "");
        return std::max(status, 2);
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "%s: out of memory\n", tool);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", tool, e.what());
    } catch (...) {
        std::fprintf(stderr, "%s: unknown exception\n", tool);
    }
    return 2;
}

}  // namespace tools
