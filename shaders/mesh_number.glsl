// number is the float64 of an int64, given as its low and its high word, rounded once. Devices convert 64-bit integers at a
// fraction of the rate of these two additions: the words are put below 2^52 and, with the sign turned, below 2^84.
double number(uvec2 words) {
  precise double high = packDouble2x32(uvec2(words.y ^ 0x80000000u, 0x45300000u)) - 19342822341709703277445120.0lf; // 2^84 + 2^63 + 2^52
  precise double sum = high + packDouble2x32(uvec2(words.x, 0x43300000u));
  return sum;
}
