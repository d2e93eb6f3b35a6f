// Texts and what becomes of them, as rows of data/*.txt. `head` and its lines begin all texts after it, until the next;
// `case NAME` and its lines are a text. It ends with END, if it has none.
//
//     case the block size is fixed
//     with shared_words=16 -demote
//     $
//     STORE BUFFER[0].x, IMM[0].xxxx, SV[0]
//     => 1 Store
//     : MOV TEMP[0], SV[0] { flip_y } => ops FNegate; "local_size_x=8"
//
// `with` has settings (settings.h) of all rows, `=>` checks of all rows. A row has the text for $ (or, with || between
// them, for $1, $2, …; `;` ends a line), its settings, and its checks. A text is lowered as it is written, or with the
// setting `simplified`. Stages of a pipeline have lines ---- between them. Checks are separated by `;`:
//
//     3 Store, >3 Store, <3 Store, Store, !Store   how many of an operation, of a kind of variables, or of
//                                                  `unwritten` ones
//     3 "text", "text", !"text", /regex/           the same, in the document: `operations: ` and those of main, the
//                                                  printed module. \n ends a line. In a text, $n stands for %number
//     3 Store after ControlBarrier                 of the printed functions
//     ops FMul FAdd                                operations() of main, exactly
//     spec 15 16                                   the ids of specialization constants, all of them
//     drops 1 2                                    the numbers of the instructions that nothing needs
//     image 2D depth, does ImageSample dref        first_image(), image_operation()
//     error words, code name, refused              the first error, and no module
//     warns code code, at 13, at text              the codes of all diagnostics; the offset of the first
//     also io_buffers -demote                      with these settings, too, it is lowered
//     given BUFFER[0] 1 2                          words of a buffer for the runs after it
//     runs 1 2 3 4 | 5 -> 6 _ 8 9                  what the evaluator computes, of the module as it is and simplified;
//                                                  a word alone stands for all four; KILLED
//     stage 1                                      of a pipeline: what follows is of this stage with its linkage.
//                                                  Before, the document is the linkages
#pragma once

#include <string>
#include <vector>

namespace tgsi2spv::test {

struct TextRow {
    int line = 0;
    std::string text{}, settings{}, checks{};
};
struct TextCase {
    std::string name, text;
    int line = 0;
    std::string settings{}, checks{};  ///< of all rows
    std::vector<TextRow> rows{};
};

/// The names of all files, without their extension, and the cases of one. Bad syntax is a test failure.
std::vector<std::string> text_files();
std::vector<TextCase> text_cases(const std::string& file);

}  // namespace tgsi2spv::test
