// Events as the mesh sees them: which block holds one, and how bright it is.

layout(std430, set = 0, binding = 0) readonly buffer Events { double events[]; }; // x y r g b flux support

// The brightness of a block's events is counted in this many classes, each of a factor of 2 from 1 unit on.
const uint CLASSES = 64u;

// place returns the block that holds pixel position (x,y), NONE when nothing from there reaches the frame, and the pixel
// within the block.
uint place(double x, double y, out ivec2 pixel) {
  precise double left = double(pm.first);
  precise double right = double(pm.w - pm.first), bottom = double(pm.h - pm.first);
  pixel = ivec2(0);
  if (!(x >= left && x < right && y >= left && y < bottom)) return NONE;
  precise double fx = floor(x);
  precise double fy = floor(y);
  pixel = ivec2(int(fx), int(fy)) - pm.first;
  ivec2 block = pixel / int(pm.pitch);
  pixel -= block * int(pm.pitch);
  return uint(block.y) * pm.blocksX + uint(block.x);
}

double largest(uint o) {
  precise double most = max(max(abs(events[o + 2u]), abs(events[o + 3u])), abs(events[o + 4u])) * abs(events[o + 5u]);
  return most;
}

// brightness is the largest |flux*colour| of the event at o, in units, rounded up.
double brightness(uint o) {
  precise double units = largest(o) * pm.unit;
  precise double up = ceil(units);
  return up;
}

uint classOf(double units) {
  precise double scaled = units * (1.0lf / 4294967296.0lf);
  uint high = uint(scaled);
  return high > 0u ? 32u + uint(findMSB(high)) : uint(max(findMSB(uint(units)), 0));
}

// A block's word says what becomes of its events: the slot of the group, and the class above which they are too bright; NONE for
// a block that is not in the group.
uint slotOf(uint word) { return word & 0xffffffu; }
bool tooBright(uint word, uint o) { return classOf(brightness(o)) > word >> 24; }
