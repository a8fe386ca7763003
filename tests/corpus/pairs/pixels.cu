// Makes pixels of three bytes (red, green, blue) gray. The bad kernel loads and stores single bytes, three requests a
// pixel. The good one takes four pixels as three words of four bytes and stores them as one.

#include "pair.hpp"

constexpr std::size_t pixels = std::size_t{1} << 26;
constexpr int launches = 20;

__device__ unsigned gray(unsigned red, unsigned green, unsigned blue) {
  return (77 * red + 150 * green + 29 * blue) >> 8;
}

__global__ void pixels_bad(unsigned char* to, const unsigned char* from) {
  const unsigned char* pixel = from + 3 * index();
  to[index()] = static_cast<unsigned char>(gray(pixel[0], pixel[1], pixel[2]));
}

__global__ void pixels_good(unsigned* to, const unsigned* from) {
  const unsigned a = from[3 * index()], b = from[3 * index() + 1], c = from[3 * index() + 2];
  const auto byte = [](unsigned word, int place) { return word >> (8 * place) & 0xff; };
  to[index()] = gray(byte(a, 0), byte(a, 1), byte(a, 2)) | gray(byte(a, 3), byte(b, 0), byte(b, 1)) << 8 |
                gray(byte(b, 2), byte(b, 3), byte(c, 0)) << 16 | gray(byte(c, 1), byte(c, 2), byte(c, 3)) << 24;
}

int main() {
  Array<unsigned char> from(3 * pixels);
  const Array<unsigned char> to(pixels);
  from.fill_below(256);
  const auto bad = run("pixels_bad", launches, to, [&] { pixels_bad<<<pixels / 256, 256>>>(to.get(), from.get()); });
  const auto good = run("pixels_good", launches, to, [&] {
    pixels_good<<<pixels / 1024, 256>>>(reinterpret_cast<unsigned*>(to.get()),
                                        reinterpret_cast<const unsigned*>(from.get()));
  });
  return compare(bad, good);
}
