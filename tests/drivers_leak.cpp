// Drivers, and LLVM inside them, leave memory behind when a process ends. Programs that run drivers are not asked for
// leaks (sanitizer/lsan_interface.h). ASAN_OPTIONS would do, but gtest_discover_tests passes one environment variable
// only.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() {
    return 1;
}
