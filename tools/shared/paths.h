// The output path of each input, and the checks of outputs.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tools {

/// The inputs, with every *.tgsi below it, sorted, in place of a folder. An error if a folder cannot be read or has
/// none.
tl::expected<std::vector<std::string>, std::string> with_folders_searched(const std::vector<std::string>& inputs);

/// The output of each input. For one input: `out`, unless that is a folder (a shell pattern may have matched a single
/// file: a folder stays a folder). For several: paths under the folder `out`, each the input's path as given; or, if
/// one of them is absolute or climbs with "..", its path below the deepest folder that holds all. `extension` replaces
/// the extension `replaced`, or else follows the name. An error if that is not possible.
tl::expected<std::vector<std::string>, std::string> output_paths(const std::vector<std::string>& inputs,
                                                                 const std::string& out, const std::string& replaced,
                                                                 const std::string& extension);

/// An input that one of the outputs would overwrite; empty: none.
std::string overwritten(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

/// Why these files cannot all be written, as a clause: one would overwrite an input, or two have the same name. Empty
/// if they can. Empty names, "-", and paths that are not regular files, such as /dev/null, do not count.
std::string conflict(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace tools
