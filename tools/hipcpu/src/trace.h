// The record of what a program asked of the runtime, to be replayed under a sanitizer or on another device.
//
// A trace is a sequence of entries: a letter, three 64-bit words, and `size` bytes of data.
//   M address size -    memory, of the device or pinned      S address size value   device memory set
//   F address - -       freed                                H address - size DATA  copied to the device
//   L blocks threads size NAME\0ARGS   a launch              D address - size DATA  copied to the host, what it held then
#pragma once

#include <cstdint>
#include <cstdio>

namespace hipcpu {
struct entry {
  char what;
  uint64_t a, b, size;
};
} // namespace hipcpu
