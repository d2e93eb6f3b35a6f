// No header with inline functions may be included here, as other files could end up with versions compiled for AVX.
#include "reference/columns/functions_avx.h"

#if defined(__AVX__)
#include <immintrin.h>
#include <sleef.h>

namespace tgsi2spv::reference::columns {

void exp2_of_4(const double* x, double* out) {
    _mm256_store_pd(out, Sleef_cinz_exp2d4_u10avx(_mm256_load_pd(x)));
}
void log2_of_4(const double* x, double* out) {
    _mm256_store_pd(out, Sleef_cinz_log2d4_u10avx(_mm256_load_pd(x)));
}
void sin_of_4(const double* x, double* out) {
    _mm256_store_pd(out, Sleef_cinz_sind4_u10avx(_mm256_load_pd(x)));
}
void cos_of_4(const double* x, double* out) {
    _mm256_store_pd(out, Sleef_cinz_cosd4_u10avx(_mm256_load_pd(x)));
}
void pow_of_4(const double* x, const double* y, double* out) {
    _mm256_store_pd(out, Sleef_cinz_powd4_u10avx(_mm256_load_pd(x), _mm256_load_pd(y)));
}

}  // namespace tgsi2spv::reference::columns
#endif
