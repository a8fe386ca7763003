// The check of a product finds one element that is wrong, and nothing where none is.

#include "engine/measure/cuda.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/verify.hpp"
#include "probes/kernels/matmul/matmul_check.cuh"
#include "probes/kernels/matmul/matmul_kernels.cuh"
#include "tests/catch.hpp"

using namespace gpumem;
using namespace gpumem::kernels;

namespace {

constexpr ProductShape shape{.m = 300, .n = 270, .k = 150};

template <class Real>
class CheckedProduct {
 public:
  CheckedProduct() {
    fill_matrix<<<64, 128, 0, stream()>>>(a_.as<Real>(), 0, shape.m * shape.k);
    fill_matrix<<<64, 128, 0, stream()>>>(b_.as<Real>(), 1, shape.k * shape.n);
    const dim3 grid(blocks_for(shape.n, direct::along), blocks_for(shape.m, direct::across));
    product_from_global<Real, false><<<grid, dim3(direct::along, direct::across), 0, stream()>>>(
        a_.as<Real>(), b_.as<Real>(), c_.as<Real>(), shape);
  }

  [[nodiscard]] WrongEntries check(std::uint64_t entries) {
    const measure::CheckResult<WrongEntries> found(session_);
    found.reset(stream());
    check_product<<<64, 128, 0, stream()>>>(c_.as<Real>(), shape, entries, found.data());
    return found.read(stream());
  }

  /// Makes an element wrong by so much of it.
  void spoil(std::uint64_t index, double by) {
    Real value{};
    const auto copy = [&](void* to, const void* from) {
      measure::check(cudaMemcpyAsync(to, from, sizeof value, cudaMemcpyDefault, stream()), "copy an element");
      session_.stream().synchronize();
    };
    copy(&value, c_.as<Real>() + index);
    value = static_cast<Real>(static_cast<double>(value) * (1 + by));
    copy(c_.as<Real>() + index, &value);
  }

 private:
  [[nodiscard]] cudaStream_t stream() const { return session_.stream().get(); }

  measure::Session session_{0};
  measure::DeviceBuffer a_{shape.m * shape.k * sizeof(Real)};
  measure::DeviceBuffer b_{shape.k * shape.n * sizeof(Real)};
  measure::DeviceBuffer c_{shape.m * shape.n * sizeof(Real)};
};

/// `by` is a few times what rounding may be off by.
template <class Real>
void find_what_is_planted(double by) {
  constexpr std::uint64_t all = std::uint64_t{shape.m} * shape.n;
  constexpr std::uint64_t some = 1000;
  CheckedProduct<Real> product;
  CHECK(product.check(all).count == 0);
  CHECK(product.check(some).count == 0);
  const ProductEntry entry = checked_entry(77, shape);
  const std::uint64_t planted = std::uint64_t{entry.row} * shape.n + entry.column;
  product.spoil(planted, by);
  for (const std::uint64_t entries : {all, some}) {
    const WrongEntries found = product.check(entries);
    CHECK(found.count >= 1);  // an element may be chosen twice
    CHECK(found.first == planted);
  }
}

}  // namespace

TEST_CASE("one wrong element of a product of floats is found") { find_what_is_planted<float>(5e-5); }

TEST_CASE("one wrong element of a product of doubles is found") { find_what_is_planted<double>(1e-13); }
