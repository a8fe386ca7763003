// Moves particles along x. The bad kernel has them as an array of structures of 24 bytes and uses 8 of them, but memory
// brings whole sectors. The good one has an array for each member, and only two are touched.

#include "pair.hpp"

struct Particle {
  float x, y, z, vx, vy, vz;
};

constexpr std::size_t particles = std::size_t{3} << 23;
constexpr int launches = 20;
constexpr float time_step = 0.5f;

__global__ void particles_bad(Particle* all) {
  Particle& particle = all[index()];
  particle.x += time_step * particle.vx;
}

__global__ void particles_good(float* x, const float* vx) {
  const std::size_t i = index();
  x[i] += time_step * vx[i];
}

__global__ void place(Particle* all) {
  const float number = static_cast<float>(index() % 1000);
  all[index()] = {0, 1, 2, number, 3, 4};
}

__global__ void place_members(float* vx) { vx[index()] = static_cast<float>(index() % 1000); }

int main() {
  const Array<Particle> all(particles);
  const Array<float> x(particles), vx(particles);
  constexpr unsigned block_threads = 256, blocks = particles / block_threads;
  place_members<<<blocks, block_threads>>>(vx.get());
  // The velocities have to be there after the result was cleared, so the first launch is preceded by `place`.
  bool placed = false;
  const auto moved = run("particles_bad", launches, all, [&] {
    if (!placed) place<<<blocks, block_threads>>>(all.get());
    placed = true;
    particles_bad<<<blocks, block_threads>>>(all.get());
  });
  const auto good =
      run("particles_good", launches, x, [&] { particles_good<<<blocks, block_threads>>>(x.get(), vx.get()); });
  std::vector<float> bad;
  for (const Particle& particle : moved) bad.push_back(particle.x);
  return compare(bad, good);
}
