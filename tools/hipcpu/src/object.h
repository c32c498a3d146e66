// What the stand-in of the runtime reads in a code object.
#pragma once

#include <cstdint>
#include <string>

namespace hipcpu {
// target returns the device that an AMD code object is for, such as gfx1201, or "" if image is none.
std::string target(const void *image);
// argumentBytes returns the size of a kernel's arguments by its descriptor, or -1 if the object has no such kernel.
int64_t argumentBytes(const void *image, const std::string &kernel);
} // namespace hipcpu
