#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <algorithm>
#include <memory>

#include "api/disk.h"

namespace tgsi2spv::api::disk {
namespace {

constexpr size_t kLetters = 6;
using WidePath = std::pmr::wstring;

/// Windows takes UTF-16. Empty if the path is not UTF-8: no file has an empty path.
WidePath wide(const Path& path) {
    WidePath result(path.get_allocator().resource());
    const int size = static_cast<int>(std::min<size_t>(path.size(), 0x7fff));  // no path is longer
    const int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, nullptr, 0);
    if (length <= 0 || static_cast<size_t>(size) != path.size()) return result;
    result.resize(static_cast<size_t>(length));
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), size, result.data(), length);
    return result;
}

/// Closes the file in any case, also if memory runs out.
struct OpenFile {
    HANDLE handle;
    explicit OpenFile(HANDLE h) : handle(h) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() {
        if (is_open()) CloseHandle(handle);
    }
    bool is_open() const { return handle != INVALID_HANDLE_VALUE; }
};

/// The bytes that one call reads or writes: its counts have 32 bits.
constexpr size_t kPart = size_t{1} << 30;

bool write_all(HANDLE file, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        DWORD n = 0;
        const auto part = static_cast<DWORD>(std::min<size_t>(bytes.size(), kPart));
        if (!WriteFile(file, bytes.data(), part, &n, nullptr) || n == 0) return false;
        bytes = bytes.subspan(n);
    }
    return true;
}

HANDLE handle_of(intptr_t handle) {
    return reinterpret_cast<HANDLE>(handle);
}

/// Letters that another process or thread hardly takes at the same time. Who meets them anyway takes others.
void put_letters(wchar_t* letters, uint32_t attempt) {
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    uint64_t seed = static_cast<uint64_t>(now.QuadPart) ^ uint64_t { GetCurrentProcessId() } << 32 ^
                    uint64_t { GetCurrentThreadId() } << 48 ^ uint64_t { attempt } << 16;
    seed *= 0x9e37'79b9'7f4a'7c15u;
    for (size_t i = 0; i < kLetters; ++i, seed /= 26) letters[i] = static_cast<wchar_t>(L'a' + seed % 26);
}

}  // namespace

const std::string_view kSeparators = "/\\";

bool make_folder(const Path& path) {
    const WidePath name = wide(path);
    if (CreateDirectoryW(name.c_str(), nullptr)) return true;
    const DWORD attributes = GetFileAttributesW(name.c_str());
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

bool is_own(const Path& folder) {
    // Only an attempt shows what the access control lists permit.
    Path path(folder.get_allocator());
    if (write_new(folder, {}, path) != Written::yes) return false;
    remove(path);
    return true;
}

File::File(const Path& path)
    : handle_(reinterpret_cast<intptr_t>(CreateFileW(wide(path).c_str(), GENERIC_READ,
                                                     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                                     OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr))) {
    if (!is_open()) return;
    LARGE_INTEGER size;
    if (GetFileType(handle_of(handle_)) == FILE_TYPE_DISK && GetFileSizeEx(handle_of(handle_), &size)) {
        size_ = static_cast<uint64_t>(size.QuadPart);
        return;
    }
    CloseHandle(handle_of(handle_));
    handle_ = reinterpret_cast<intptr_t>(INVALID_HANDLE_VALUE);
}

File::~File() {
    if (is_open()) CloseHandle(handle_of(handle_));
}

bool File::is_open() const {
    return handle_of(handle_) != INVALID_HANDLE_VALUE;
}

bool File::read(std::span<uint8_t> bytes) {
    while (!bytes.empty()) {
        DWORD n = 0;
        const auto part = static_cast<DWORD>(std::min<size_t>(bytes.size(), kPart));
        if (!ReadFile(handle_of(handle_), bytes.data(), part, &n, nullptr) || n == 0) return false;
        bytes = bytes.subspan(n);
    }
    return true;
}

Written write_new(const Path& folder, std::initializer_list<std::span<const uint8_t>> parts, Path& path) {
    constexpr uint32_t kAttempts = 100;
    path.assign(folder).append("/").append(kNewPrefix).append(kLetters, 'X');
    WidePath name = wide(path);
    if (name.empty()) return Written::no;
    for (uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
        wchar_t* const letters = name.data() + name.size() - kLetters;
        put_letters(letters, attempt);
        std::copy(letters, letters + kLetters, path.end() - kLetters);
        bool done = true;
        {
            const OpenFile file(
                CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
            if (!file.is_open()) {
                const DWORD error = GetLastError();
                if (error == ERROR_FILE_EXISTS || error == ERROR_ALREADY_EXISTS) continue;
                return error == ERROR_PATH_NOT_FOUND ? Written::no_folder : Written::no;
            }
            for (const std::span<const uint8_t> part : parts) done = done && write_all(file.handle, part);
        }
        if (!done) DeleteFileW(name.c_str());
        return done ? Written::yes : Written::no;
    }
    return Written::no;
}

bool rename(const Path& from, const Path& to) {
    return MoveFileExW(wide(from).c_str(), wide(to).c_str(), MOVEFILE_REPLACE_EXISTING);
}

void remove(const Path& path) {
    DeleteFileW(wide(path).c_str());
}

void trim(const Path& folder, uint64_t most) {
    constexpr size_t kEntryDigits = 30;
    struct Entry {
        int64_t written;
        uint64_t bytes;
        wchar_t name[kEntryDigits + 1];
    };
    WidePath path = wide(Path(folder, folder.get_allocator()).append("/*"));
    WIN32_FIND_DATAW found;
    std::pmr::vector<Entry> all(folder.get_allocator().resource());
    uint64_t sum = 0;
    {
        const HANDLE search = FindFirstFileW(path.c_str(), &found);
        if (search == INVALID_HANDLE_VALUE) return;
        const std::unique_ptr<void, BOOL(WINAPI*)(HANDLE)> closes(search, FindClose);
        do {
            const std::wstring_view name = found.cFileName;
            if (name.size() != kEntryDigits || name.find_first_not_of(L"0123456789abcdef") != name.npos) continue;
            if ((found.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) != 0) continue;
            const FILETIME t = found.ftLastWriteTime;
            Entry& e = all.emplace_back(Entry{static_cast<int64_t>(t.dwHighDateTime) << 32 | t.dwLowDateTime,
                                              uint64_t{found.nFileSizeHigh} << 32 | found.nFileSizeLow,
                                              {}});
            std::copy(name.begin(), name.end(), e.name);
            sum += e.bytes;
        } while (FindNextFileW(search, &found));
    }
    if (sum <= most) return;
    std::ranges::sort(all, {}, &Entry::written);
    path.pop_back();
    const size_t folder_size = path.size();
    for (size_t i = 0; i + 1 < all.size() && sum > most; ++i) {
        path.replace(folder_size, path.npos, all[i].name);
        if (DeleteFileW(path.c_str())) sum -= all[i].bytes;
    }
}

void remove_old(const Path& folder, int64_t seconds) {
    Path pattern(folder, folder.get_allocator());
    pattern.append("/").append(kNewPrefix).append(kLetters, '?');
    WidePath path = wide(pattern);
    WIN32_FIND_DATAW found;
    const HANDLE search = FindFirstFileW(path.c_str(), &found);
    if (search == INVALID_HANDLE_VALUE) return;
    const std::unique_ptr<void, BOOL(WINAPI*)(HANDLE)> closes(search, FindClose);
    const size_t name_size = kNewPrefix.size() + kLetters, folder_size = path.size() - name_size;
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    constexpr int64_t kTicks = 10'000'000;  // in a second
    const auto ticks = [](FILETIME t) { return static_cast<int64_t>(t.dwHighDateTime) << 32 | t.dwLowDateTime; };
    do {
        const std::wstring_view name = found.cFileName;
        if (name.size() != name_size || ticks(now) - ticks(found.ftLastWriteTime) <= seconds * kTicks) continue;
        if ((found.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) != 0) continue;
        path.replace(folder_size, path.npos, name);
        DeleteFileW(path.c_str());
    } while (FindNextFileW(search, &found));
}

}  // namespace tgsi2spv::api::disk
#endif
