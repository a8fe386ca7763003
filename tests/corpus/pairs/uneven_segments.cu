// Adds up segments of an array, some of which are a thousand times as long as others. In the bad kernel a warp has a
// segment, and the launch waits for the warp with the longest. In the good one long segments are cut into pieces of at
// most 4096 elements, a warp each.

#include <random>

#include "pair.hpp"

struct Piece {
  int segment, begin, end;
};

constexpr int segments = 30000, longest_piece = 4096, launches = 15;

__device__ float sum_of(const float* from, const Piece& piece) {
  float sum = 0;
  for (int i = piece.begin + static_cast<int>(threadIdx.x % 32); i < piece.end; i += 32) sum += from[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  return sum;
}

__global__ void uneven_segments_bad(float* sums, const float* from, const Piece* pieces, int count) {
  if (index() / 32 >= count) return;
  const Piece piece = pieces[index() / 32];
  const float sum = sum_of(from, piece);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[piece.segment], sum);
}

__global__ void uneven_segments_good(float* sums, const float* from, const Piece* pieces, int count) {
  if (index() / 32 >= count) return;
  const Piece piece = pieces[index() / 32];
  const float sum = sum_of(from, piece);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[piece.segment], sum);
}

int main() {
  std::mt19937 random(3);
  std::vector<Piece> whole, cut;
  int begin = 0;
  for (int segment = 0; segment < segments; ++segment) {
    const double share = (random() + 1.0) / 4294967297.0;
    const int end = begin + std::min(200000, static_cast<int>(150 / std::pow(share, 0.8)));
    whole.push_back({segment, begin, end});
    for (int from = begin; from < end; from += longest_piece) {
      cut.push_back({segment, from, std::min(end, from + longest_piece)});
    }
    begin = end;
  }
  const Array<Piece> of_whole(whole), of_cut(cut);
  Array<float> from(begin), sums(segments);
  from.fill_below(4);
  const auto launch = [&](auto kernel, const Array<Piece>& pieces) {
    kernel<<<blocks_for(pieces.count(), 8), 256>>>(sums.get(), from.get(), pieces.get(),
                                                   static_cast<int>(pieces.count()));
  };
  const auto bad = run("uneven_segments_bad", launches, sums, [&] { launch(uneven_segments_bad, of_whole); });
  const auto good = run("uneven_segments_good", launches, sums, [&] { launch(uneven_segments_good, of_cut); });
  return compare(bad, good);
}
