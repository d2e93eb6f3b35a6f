// Reads the files of draws/: separates shaders from directives.
#include "draw/draws.h"

namespace tgsi2spv::test {
namespace {

Variant variant_of(const Expanded& expanded) {
    Variant v{expanded.label, expanded.variables, {}, {}};
    bool inside = false;
    for (const std::string& line : expanded.lines) {
        if (line == "VERT" || line == "TESS_CTRL" || line == "TESS_EVAL" || line == "GEOM" || line == "FRAG") {
            v.shaders.emplace_back();
            inside = true;
        }
        inside = inside || line == "BGNSUB";  // after END
        if (inside)
            v.shaders.back() += line + "\n";
        else
            v.directives.push_back(line);
        inside = inside && line != "END" && line != "ENDSUB";
    }
    return v;
}

}  // namespace

std::vector<NamedDraw> read_draws(const std::string& name) {
    const TextFile file = read_text_file("tests/draw/draws/" + name, "draw");
    std::vector<NamedDraw> all;
    for (const auto& [of, lines] : file.sections) {
        all.push_back({of, {}});
        for (const Expanded& expanded : expand_section(lines, file))
            all.back().variants.push_back(variant_of(expanded));
    }
    return all;
}

}  // namespace tgsi2spv::test
