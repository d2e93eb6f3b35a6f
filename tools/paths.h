// Where the output of each input goes.
#pragma once

#include <string>
#include <vector>

namespace tools {

/// Output paths under the folder `out`, one for each input: its path as it was given, or, where one of them is
/// absolute or climbs with "..", its path below the deepest folder that holds all; with the new extension in place of
/// `.tgsi`, else behind the name. Empty, with the reason in `error`, where two inputs would have the same output.
std::vector<std::string> output_paths(const std::vector<std::string>& inputs, const std::string& out,
                                      const std::string& extension, std::string& error);

/// An input that one of the outputs would overwrite; empty: none.
std::string overwritten(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

}  // namespace tools
