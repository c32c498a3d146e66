// Runs a grid of one-dimensional blocks on the CPU.
#pragma once

#include <functional>

namespace hipcpu {
// run calls body once for every thread of every block. It ends the process, with a line on stderr, when some threads of a
// block wait at a barrier that others have passed, missed, or never reach.
void run(unsigned blocks, unsigned threads, const std::function<void()> &body);
} // namespace hipcpu
