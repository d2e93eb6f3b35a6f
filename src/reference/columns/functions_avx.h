// sleef's functions of four doubles, in a file that is compiled for AVX as a whole: clang passes vectors to functions
// according to the file's options, not to a function's own attribute.
#pragma once

namespace tgsi2spv::reference::columns {

/// Each pointer is to four doubles, aligned to 32 bytes; `out` may be an operand.
void exp2_of_4(const double* x, double* out);
void log2_of_4(const double* x, double* out);
void sin_of_4(const double* x, double* out);
void cos_of_4(const double* x, double* out);
void pow_of_4(const double* x, const double* y, double* out);

}  // namespace tgsi2spv::reference::columns
