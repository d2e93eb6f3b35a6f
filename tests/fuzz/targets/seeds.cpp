// Makes the seed corpora and the dictionary from the examples, or other shaders, and the tables.
//   fuzz-seeds ROOT OUT [SHADERS]       of these shaders alone
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "api/convert.h"
#include "host_seeds.h"
#include "ir/print.h"
#include "shaped.h"
#include "target.h"
#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"

namespace fs = std::filesystem;
using namespace tgsi2spv;

namespace {

constexpr size_t kShaped = 200;  ///< texts made from the opcode table

void write(const fs::path& path, std::string_view bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the words that occur in texts, from the tables and the examples.
std::string dictionary(const std::set<std::string>& words) {
    std::string out = "# Words of TGSI text.\n";
    for (const tgsi::OpcodeInfo& op : tgsi::kOpcodes) out += fmt::format("\"{}\"\n", op.mnemonic);
    for (const std::string& word : words) out += fmt::format("\"{}\"\n", word);
    return out;
}

void take_words(std::string_view text, std::set<std::string>& words) {
    std::string word;
    for (const char c : text) {
        if ((c >= 'A' && c <= 'Z') || c == '_' || (!word.empty() && c >= '0' && c <= '9')) {
            word += c;
            continue;
        }
        if (word.size() > 1 && !tgsi::opcode_from_name(word)) words.insert(word);
        word.clear();
    }
}

/// Returns bytes that select options, always the same ones for a number.
std::string some_choice(size_t number) {
    std::minstd_rand draw(static_cast<uint32_t>(number));
    std::string bytes;
    while (bytes.size() < fuzz::kChoiceBytes) bytes += static_cast<char>(draw() >> 8);
    return bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc > 4) return 2;
    const fs::path root = argv[1], out = argv[2], shaders = argc > 3 ? fs::path(argv[3]) : root / "shaders";
    std::set<std::string> words;
    api::Context context;
    api::Options options;
    size_t count = 0;
    std::vector<fs::path> examples;
    for (const auto& entry : fs::recursive_directory_iterator(shaders))
        if (entry.path().extension() == ".tgsi") examples.push_back(entry.path());
    std::sort(examples.begin(), examples.end(), std::greater<>());  // VERT comes first
    std::string vertex;
    for (const fs::path& path : examples) {
        const std::string text = read(path);
        std::string name = path.lexically_relative(shaders).string();
        std::replace(name.begin(), name.end(), '/', '-');
        take_words(text, words);
        write(out / "parse" / name, text);
        const std::string no_choice(fuzz::kChoiceBytes, '\0');
        const std::string choice = some_choice(1 + static_cast<size_t>(&path - examples.data()));
        write(out / "convert" / name, no_choice + text);
        write(out / "convert" / (name + "-chosen"), choice + text);
        // Puts the first VERT example before every other stage; most of these are valid pipelines.
        if (vertex.empty() && text.starts_with("VERT")) vertex = text;
        if (!vertex.empty() && (text.starts_with("FRAG") || text.starts_with("GEOM") || text.starts_with("TESS_EVAL")))
            for (const bool chosen : {false, true})
                write(out / "link" / (chosen ? name + "-chosen" : name),
                      (chosen ? choice : no_choice) + vertex + '\0' + text);
        if (!api::convert(context, text, options)) continue;
        ++count;
        write(out / "ir" / name, ir::print(context.module));
    }
    if (argc > 3) return count > 0 ? 0 : 1;
    // Texts that are refused at once test only the parser: of these, 63 % convert.
    fuzz::Random random(1);
    size_t converted = 0;
    for (size_t i = 0; i < kShaped; ++i) {
        const std::string text = fuzz::shaped(random), name = fmt::format("shaped-{}", i);
        converted += api::convert(context, text, options);
        write(out / "parse" / name, text);
        write(out / "convert" / name, some_choice(i) + text);
    }
    write(out / "tgsi.dict", dictionary(words));
    for (const auto& file : fs::directory_iterator(root / "tests/fuzz/seeds/json"))
        write(out / "json" / file.path().filename(), read(file.path()));
    for (const auto& file : fs::directory_iterator(root / "tests/draw/scenes"))
        if (file.path().extension() == ".json")
            write(out / "json" / file.path().stem(), (file.path().stem() < "n" ? "s" : "w") + read(file.path()));
    for (const auto& [target, seeds] : {std::pair{"virgl", fuzz::virgl_seeds()},
                                        {"vtest", fuzz::vtest_seeds()},
                                        {"machine", fuzz::machine_seeds()},
                                        {"viewers", fuzz::read_seeds("viewers")},
                                        {"viewer", fuzz::read_seeds("viewer")}})
        for (const auto& [name, bytes] : seeds) write(out / target / name, bytes);
    return count > 0 && 2 * converted > kShaped ? 0 : 1;
}
