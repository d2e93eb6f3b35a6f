// Drivers, and LLVM inside them, leave memory allocated when a process ends, so programs that run drivers turn leak
// detection off (sanitizer/lsan_interface.h). ASAN_OPTIONS would do the same, but gtest_discover_tests passes only one
// environment variable.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() {
    return 1;
}
