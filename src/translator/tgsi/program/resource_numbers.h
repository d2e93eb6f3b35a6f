// Numbers of resources that no register of their kind has: reflection, case files and the layout of bindings use them.
#pragma once

#include <cstdint>

namespace tgsi2spv::tgsi {

/// Storage buffers: BUFFER[n] is n, HWATOMIC[n] is kFirstCounter + n, and two have a number of their own.
inline constexpr uint32_t kFirstCounter = 64, kGlobalMemory = 132, kInputMemory = 133;
/// Sampled images: those that hold colour n for FBFETCH.
inline constexpr uint32_t kFirstTarget = 416;
/// Images of every kind: arrays that handles index have numbers from here on.
inline constexpr uint32_t kFirstHandle = 1024;

}  // namespace tgsi2spv::tgsi
