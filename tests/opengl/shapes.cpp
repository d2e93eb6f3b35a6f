// The vertices of draws. Places are on eighths of pixels, and the centre of each pixel is away from each edge.
#include <algorithm>
#include <cmath>

#include "scene.h"

namespace scenes {

namespace {

struct Place {
    int x, y;  // in eighths of pixels
};

/// Whether each pixel's centre is at least 1/32 of a pixel away from the line between both places.
bool is_clear(Place a, Place b) {
    const int dx = b.x - a.x, dy = b.y - a.y;
    const double length = std::hypot(dx, dy);
    // From one column of centres to the next: the line's distance from the nearest of a column, or of a row.
    const bool steep = std::abs(dy) > std::abs(dx);
    const auto [low, high] = std::minmax({steep ? a.y : a.x, steep ? b.y : b.x});
    for (int at = low / 8 * 8 - 4; at <= high + 8; at += 8) {
        const double crossing = steep ? a.x + (at - a.y) * (double(dx) / dy) : a.y + (at - a.x) * (double(dy) / dx);
        const double from_centre = std::abs(crossing - std::floor(crossing / 8) * 8 - 4);
        if (from_centre * (steep ? std::abs(dy) : std::abs(dx)) < length / 4) return false;
    }
    return true;
}

int area(Place a, Place b, Place c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

Place some_place(Random& random) {
    return {random.between(0, kWidth * 8), random.between(0, kHeight * 8)};
}

/// Mostly near, as long edges come near some centre.
Place some_place(Random& random, Place to) {
    const Place place = some_place(random);
    return random.one_in(4) ? place : Place{(place.x + to.x) / 2, (place.y + to.y) / 2};
}

struct Triangle {
    std::array<Place, 3> corners;
};

/// Of at least eight pixels, so that what is interpolated stays near.
bool is_good(Place a, Place b, Place c) {
    return std::abs(area(a, b, c)) >= 512 && is_clear(a, b) && is_clear(b, c) && is_clear(c, a);
}

Triangle some_triangle(Random& random) {
    for (;;) {
        const Place a = some_place(random), b = some_place(random, a), c = some_place(random, b);
        if (is_good(a, b, c)) return {{a, b, c}};
    }
}

class Shaper {
  public:
    Shaper(const Scene& scene, Random& random) : scene_(scene), random_(random) { new_primitive(); }
    void new_primitive() {
        depth_ = some_depth(random_);
        if (scene_.has("outside_depth") && random_.one_in(3)) depth_ = random_.one_in(2) ? -0.5F : 1.25F;
        w_ = scene_.has("constant_w") ? static_cast<float>(1 << random_.below(3)) : 1.0F;
        new_values();
    }
    void put(Place place) {
        Vertex vertex{{static_cast<float>(place.x) / 8, static_cast<float>(place.y) / 8, depth_, w_}, {}};
        if (!scene_.whole_pixels) new_values();
        vertex.value = values_;
        vertices.push_back(vertex);
    }
    std::vector<Vertex> vertices;

  private:
    /// Of each vertex; but of a box if a pixel's centre may be on the edge that its triangles share.
    void new_values() {
        for (uint32_t& word : values_) word = random_.next() >> 24;
    }
    const Scene& scene_;
    Random& random_;
    std::array<uint32_t, 4> values_{};
    float depth_ = 0, w_ = 1;
};

struct Box {
    Place low, high;
};
Box some_box(Random& random) {
    const int width = random.between(2, 14), height = random.between(2, 10);
    const int x = random.below(kWidth - width + 1), y = random.below(kHeight - height + 1);
    return {{x * 8, y * 8}, {(x + width) * 8, (y + height) * 8}};
}

void triangles(Shaper& shaper, Random& random, bool whole_pixels) {
    for (int n = random.between(3, 6); n > 0; n--) {
        shaper.new_primitive();
        if (whole_pixels) {
            const Box box = some_box(random);
            const bool turned = random.one_in(2);
            const Place other[] = {{box.high.x, box.low.y}, {box.low.x, box.high.y}};
            for (const Place& place : {box.low, other[turned], other[!turned]}) shaper.put(place);
            for (const Place& place : {other[!turned], other[turned], box.high}) shaper.put(place);
            continue;
        }
        for (const Place& place : some_triangle(random).corners) shaper.put(place);
    }
}

/// Sides along the axes, and a diagonal that runs past the centres of pixels. Room for shifts to the right and down.
void lined_triangles(Shaper& shaper, Random& random) {
    for (int n = random.between(3, 6); n > 0; n--) {
        shaper.new_primitive();
        const int size = random.between(2, 8) * 8, x = random.between(8, 16) * 8 + 1, y = random.between(8, 9) * 8 + 1;
        const int side = random.one_in(2) ? std::min(size, 48) : -std::min(size, 40);
        const bool turned = random.one_in(2);
        const Place ends[] = {{x + side, y}, {x, y + side}};
        for (const Place& place : {Place{x, y}, ends[turned], ends[!turned]}) shaper.put(place);
    }
}

void strip(Shaper& shaper, Random& random, bool fan) {
    auto [a, b, c] = some_triangle(random).corners;
    for (const Place& place : {a, b, c}) shaper.put(place);
    for (int n = random.between(50, 300); n > 0; n--) {
        if (!fan) a = b;
        b = c;
        for (c = some_place(random, b); n > 0 && !is_good(a, b, c); n--) c = some_place(random, b);
        if (n > 0) shaper.put(c);
    }
}

/// Convex: both triangles of each are on different sides of the diagonal that may divide it.
void quads(Shaper& shaper, Random& random) {
    for (int n = random.between(2, 4); n > 0; n--) {
        shaper.new_primitive();
        const Box box = some_box(random);
        for (const Place& place : {box.low, {box.high.x, box.low.y}, box.high, {box.low.x, box.high.y}})
            shaper.put(place);
    }
}

void quad_strip(Shaper& shaper, Random& random) {
    const int low = random.between(0, 4) * 8, high = random.between(6, kHeight) * 8;
    for (int x = random.between(0, 6); x <= kWidth; x += random.between(2, 8)) {
        shaper.put({x * 8, low});
        shaper.put({x * 8, high});
    }
}

void polygon(Shaper& shaper, Random& random) {
    const Box box = some_box(random);
    const int x = (box.low.x + box.high.x) / 16 * 8;
    const Place corners[] = {box.low, {x, box.low.y}, {box.high.x, box.low.y}, box.high, {box.low.x, box.high.y}};
    for (const Place& place : corners) shaper.put(place);
}

/// Lines end outside of pixels' diamonds, and are horizontal, vertical or diagonal.
Place line_place(Random& random) {
    return {random.below(kWidth) * 8 + 1, random.below(kHeight) * 8 + 1};
}
Place line_end(Random& random, Place from) {
    static constexpr Place kWays[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    for (;;) {
        const Place& way = random.of(kWays);
        const int length = random.between(1, 14) * 8;
        const Place to{from.x + way.x * length, from.y + way.y * length};
        if (to.x >= 0 && to.x < kWidth * 8 && to.y >= 0 && to.y < kHeight * 8) return to;
    }
}

void lines(Shaper& shaper, Random& random, GLenum mode) {
    const bool adjacent = mode == GL_LINES_ADJACENCY || mode == GL_LINE_STRIP_ADJACENCY;
    const bool list = mode == GL_LINES || mode == GL_LINES_ADJACENCY;
    Place from = line_place(random);
    if (!list) shaper.put(from);
    if (!list && adjacent) shaper.put(from);
    for (int n = random.between(4, 8); n > 0; n--) {
        if (list) {
            shaper.new_primitive();
            from = line_place(random);
            if (adjacent) shaper.put(line_place(random));
            shaper.put(from);
        }
        shaper.put(from = line_end(random, from));
        if (list && adjacent) shaper.put(line_place(random));
    }
    if (!list && adjacent) shaper.put(from);
}

/// Back to the start along an axis, a diagonal and another axis.
void line_loop(Shaper& shaper, Random& random) {
    const int size = random.between(2, 10) * 8, x = random.below(kWidth - 10) * 8 + 1;
    const int y = random.below(kHeight - 10) * 8 + 1;
    for (const Place& place : {Place{x, y}, Place{x + size, y}, Place{x, y + size}}) shaper.put(place);
}

/// Room for the moves of other features: drivers draw points whose centres are outside of the clip volume.
void points(Shaper& shaper, Random& random) {
    for (int n = random.between(6, 14); n > 0; n--) {
        shaper.new_primitive();
        shaper.put({random.between(2, kWidth - 10) * 8 + 4, random.between(3, kHeight - 5) * 8 + 4});
    }
}

/// Two opposite corners a patch; its sides are multiples of four pixels, so that all inner edges are on edges of
/// pixels.
void patches(Shaper& shaper, Random& random) {
    for (int n = random.between(2, 4); n > 0; n--) {
        shaper.new_primitive();
        const int width = random.between(1, 3) * 4, height = random.between(1, 3) * 4;
        const int x = random.below(kWidth - width + 1), y = random.below(kHeight - height + 1);
        shaper.put({x * 8, y * 8});
        shaper.put({(x + width) * 8, (y + height) * 8});
    }
}

void adjacent_triangles(Shaper& shaper, Random& random) {
    for (int n = random.between(2, 4); n > 0; n--) {
        shaper.new_primitive();
        for (const Place& place : some_triangle(random).corners) {
            shaper.put(place);
            shaper.put(some_place(random));
        }
    }
}

}  // namespace

/// Sixteenths whose product with 2^16 - 1 or 2^24 - 1 is not half between two numbers, also when rounded to a float.
float some_depth(Random& random) {
    static constexpr int kSixteenths[] = {1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15};
    return static_cast<float>(random.of(kSixteenths)) / 16;
}

PixelBox some_pixels(Random& random, int least) {
    const int width = random.between(least, 12), height = random.between(least, 8);
    return {random.below(kWidth - width), random.below(kHeight - height), width, height};
}

std::vector<Vertex> shape(const Scene& scene, Random random) {
    Shaper shaper(scene, random);
    switch (scene.mode) {
        case GL_POINTS:
            points(shaper, random);
            break;
        case GL_LINES:
        case GL_LINE_STRIP:
        case GL_LINES_ADJACENCY:
        case GL_LINE_STRIP_ADJACENCY:
            lines(shaper, random, scene.mode);
            break;
        case GL_LINE_LOOP:
            line_loop(shaper, random);
            break;
        case GL_TRIANGLE_STRIP:
        case GL_TRIANGLE_FAN:
            strip(shaper, random, scene.mode == GL_TRIANGLE_FAN);
            break;
        case GL_QUADS:
            quads(shaper, random);
            break;
        case GL_QUAD_STRIP:
            quad_strip(shaper, random);
            break;
        case GL_POLYGON:
            polygon(shaper, random);
            break;
        case GL_TRIANGLES_ADJACENCY:
            adjacent_triangles(shaper, random);
            break;
        case GL_PATCHES:
            patches(shaper, random);
            break;
        default:
            if (scene.has("polygon_mode"))
                lined_triangles(shaper, random);
            else
                triangles(shaper, random, scene.whole_pixels);
    }
    return shaper.vertices;
}

}  // namespace scenes
