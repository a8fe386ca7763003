#pragma once
// One GPU being measured: its stream and the buffers that cases share, so that a sweep allocates and fills once.

#include <cstdint>
#include <map>
#include <memory>

#include "engine/machine/device.hpp"
#include "engine/machine/numa.hpp"
#include "engine/measure/cuda.hpp"

namespace gpumem::measure {

class Session {
 public:
  /// Binds this thread and its memory to a node of the host, see bind_host_memory, then creates the context on the CUDA
  /// device of that index. Throws a no-GPU error when that fails, a usage error for a node that does not exist.
  explicit Session(int device_index, const NumaRequest& numa = {});

  /// The session of another GPU of this machine, or of this one by its own index: made at the first call, and ended
  /// with the session that the user chose. Throws as the constructor does.
  [[nodiscard]] Session& peer(int device_index);

  [[nodiscard]] int device_index() const { return device_index_; }
  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] const NumaBinding& numa() const { return numa_; }
  [[nodiscard]] const Stream& stream() const { return stream_; }

  /// A buffer of at least `words` 32-bit words with random_word(index) in each. Valid until a larger one is
  /// asked for. Throws a probe error when memory does not suffice.
  [[nodiscard]] const std::uint32_t* random_source(std::uint64_t words);
  /// A buffer of at least `words` 32-bit words of any content. Valid until a larger one is asked for.
  [[nodiscard]] std::uint32_t* target(std::uint64_t words);
  /// A few bytes of device memory for results of checks. T must be trivial.
  template <class T>
  [[nodiscard]] T* scratch() {
    static_assert(sizeof(T) <= scratch_bytes);
    return static_cast<T*>(scratch_.data());
  }

  /// Before a case that will ask for this much memory in all: gives back what earlier cases left in the buffers, if the
  /// case might not find enough beside it. Invalidates the pointers handed out so far.
  void make_room(std::uint64_t bytes);
  /// Changes whenever pointers handed out before, by this session or its peers, are no longer valid.
  [[nodiscard]] std::uint64_t generation() const { return first_->generation_; }

 private:
  static constexpr std::uint64_t scratch_bytes = 4096;

  Session(int device_index, Session& first);

  void reserve(DeviceBuffer& buffer, std::uint64_t bytes);

  int device_index_;
  Session* first_;    ///< the one that the user chose
  NumaBinding numa_;  // before the rest: what is allocated on the host after it, by the driver too, lies where it says
  Device device_;
  Stream stream_;
  DeviceBuffer scratch_;
  DeviceBuffer source_;
  DeviceBuffer target_;
  std::uint64_t generation_ = 0;                   ///< of the first one
  std::uint64_t room_made_for_ = 0;                ///< bytes of the last make_room
  std::map<int, std::unique_ptr<Session>> peers_;  ///< of the first one
};

}  // namespace gpumem::measure
