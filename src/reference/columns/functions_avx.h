// sleef's functions of four doubles, in a file that is compiled for AVX as a whole: clang passes vectors to functions
// as the file's options say, not as a function's own attribute does.
#pragma once

namespace tgsi2spv::reference::columns {

/// Of four doubles each, aligned to 32 bytes; `out` may be an operand.
void exp2_of_4(const double* x, double* out);
void log2_of_4(const double* x, double* out);
void sin_of_4(const double* x, double* out);
void cos_of_4(const double* x, double* out);
void pow_of_4(const double* x, const double* y, double* out);

}  // namespace tgsi2spv::reference::columns
