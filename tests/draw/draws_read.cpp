// Separates the shaders of draws/ from the directives.
#include "draw/draws.h"

namespace tgsi2spv::test {

Draw draw_of(const Case& of) {
    Draw draw;
    bool inside = false;
    for (const auto& [line, number] : of.lines) {
        if (line == "VERT" || line == "TESS_CTRL" || line == "TESS_EVAL" || line == "GEOM" || line == "FRAG") {
            draw.shaders.emplace_back();
            inside = true;
        }
        inside = inside || line == "BGNSUB";  // after END
        if (inside)
            draw.shaders.back() += line + "\n";
        else
            draw.directives.push_back(line);
        inside = inside && line != "END" && line != "ENDSUB" && !line.ends_with(": END");
    }
    return draw;
}

}  // namespace tgsi2spv::test
