// Draws random scenes that OpenGL defines completely, and prints a number for each: a hash of all words that it read.
//
//   opengl-scenes --seed 7 --count 20      twenty scenes, of seeds 7 to 26
//   opengl-scenes --seed 7 --features depth,blend --print     one scene of these features, with all words
//   opengl-scenes --seed 7 --features depth,blend --draws 5    the first and the third draw alone (bits)
//   opengl-scenes --list                   the table of features
//
// A line for each scene: its seed, its features with commas between them, and the hash; "lacks NAME" if the driver does
// not offer what a feature needs, or "failed". Before each scene, the text "scene SEED." is written to a buffer, so
// that a recording of the commands shows where it begins.
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "features.h"

namespace scenes {

namespace {

const Feature kFeatures[] = {
#define FEATURE(name, group, needs, excludes) {#name, group, needs, excludes, add_##name},
#include "features.def"
#undef FEATURE
};

bool names(std::string_view list, std::string_view name) {
    while (!list.empty() && !name.empty()) {
        const size_t end = std::min(list.find_first_of(" ,"), list.size());
        if (list.substr(0, end) == name) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

bool excludes(const Feature& a, const Feature& b) {
    return names(a.excludes, b.name) || names(a.excludes, b.group) ||
           (a.group == std::string_view(b.group) && *a.group != 0);
}

/// Features in an order that the seed gives, each that goes with those before it; then in the table's order.
std::vector<const Feature*> draw_features(uint64_t seed) {
    std::vector<std::pair<uint32_t, const Feature*>> order;
    for (const Feature& feature : kFeatures) order.emplace_back(Random(seed, feature.name, 1000).next(), &feature);
    std::sort(order.begin(), order.end());
    std::vector<const Feature*> chosen;
    const auto most = static_cast<size_t>(Random(seed, "features").between(3, 8));
    for (const auto& [key, feature] : order) {
        if (chosen.size() == most) break;
        if (std::none_of(chosen.begin(), chosen.end(),
                         [&, f = feature](const Feature* c) { return excludes(*f, *c) || excludes(*c, *f); }))
            chosen.push_back(feature);
    }
    std::sort(chosen.begin(), chosen.end());  // pointers into one table
    return chosen;
}

std::vector<const Feature*> named_features(std::string_view list) {
    std::vector<const Feature*> chosen;
    for (const Feature& feature : kFeatures)
        if (names(list, feature.name)) chosen.push_back(&feature);
    return chosen;
}

std::string offered() {
    std::string list;
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        list += reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i))) + std::string(" ");
    return list;
}

const Feature* missing(const Scene& scene) {
    const std::string list = offered();
    for (const Feature* feature : scene.features)
        for (std::string_view needs = feature->needs; !needs.empty();) {
            const size_t end = std::min(needs.find(' '), needs.size());
            if (!names(list, needs.substr(0, end))) return feature;
            needs.remove_prefix(std::min(end + 1, needs.size()));
        }
    return nullptr;
}

void mark(uint64_t seed) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "scene %" PRIu64 ".", seed);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_COPY_WRITE_BUFFER, buffer);
    glBufferData(GL_COPY_WRITE_BUFFER, text.size(), text.data(), GL_STATIC_DRAW);
    glFinish();
}

void play(EGLDisplay display, Scene& scene) {
    std::printf("%" PRIu64 " ", scene.seed);
    for (const Feature* feature : scene.features)
        std::printf("%s%s", feature == scene.features.front() ? "" : ",", feature->name);
    const EGLContext context = eglCreateContext(display, nullptr, EGL_NO_CONTEXT, nullptr);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        std::printf(" failed\n");
        return;
    }
    mark(scene.seed);
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    if (10 * major + minor < 33)
        std::printf(" lacks OpenGL 3.3\n");
    else if (const Feature* const feature = missing(scene))
        std::printf(" lacks %s\n", feature->name);
    else if (scene.prints ? std::printf("\n"), run(scene) : run(scene))
        std::printf(" %016" PRIx64 "\n", scene.hash);
    else
        std::printf(" failed\n");
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
}

int list() {
    for (const Feature& f : kFeatures) std::printf("%-20s %-10s %-36s %s\n", f.name, f.group, f.needs, f.excludes);
    return 0;
}

struct Options {
    uint64_t seed = 1, count = 1;
    const char* features = nullptr;
    uint32_t draws = ~0U;
    bool prints = false, only_plans = false;
};

int play_all(const Options& options) {
    const EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API)) {
        std::fprintf(stderr, "opengl-scenes: no EGL\n");
        return 2;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    for (uint64_t i = 0; i < options.count; i++) {
        Scene scene;
        scene.seed = options.seed + i;
        scene.prints = options.prints;
        scene.drawn = options.draws;
        scene.features = options.features != nullptr ? named_features(options.features) : draw_features(scene.seed);
        play(display, scene);
    }
    return 0;
}

}  // namespace

}  // namespace scenes

int main(int count, char** arguments) {
    scenes::Options options;
    for (int i = 1; i < count; i++) {
        const std::string_view name = arguments[i];
        const char* const value = i + 1 < count ? arguments[i + 1] : "";
        if (name == "--list") return scenes::list();
        if (name == "--print") {
            options.prints = true;
            continue;
        }
        if (name == "--seed")
            options.seed = std::strtoull(value, nullptr, 10);
        else if (name == "--count")
            options.count = std::strtoull(value, nullptr, 10);
        else if (name == "--draws")
            options.draws = static_cast<uint32_t>(std::strtoul(value, nullptr, 10));
        else if (name == "--features")
            options.features = value;
        else {
            std::fprintf(stderr, "opengl-scenes: unknown option %s\n", arguments[i]);
            return 2;
        }
        i++;
    }
    return scenes::play_all(options);
}
