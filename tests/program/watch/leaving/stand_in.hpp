#pragma once
// A stand-in for the driver and the sanitizer's library, in one library: it launches nothing, and calls back as they
// do.

#include <cstdint>

extern "C" {

/// Launches a kernel of this number, counted from 1, as a call of the driver's.
int stand_in_launch(unsigned kernel);
/// The context ends without anybody being told. Events of it must not be used any more: that ends the process.
void stand_in_end_context();
/// The next call of sanitizerUnsubscribe fails.
void stand_in_refuse_to_unsubscribe();

/// Each launch takes so long on the GPU, by its events. 200 ns otherwise.
void stand_in_set_kernel_time(unsigned nanoseconds);

struct StandInCounts {
  std::uint64_t called_back;     ///< at the beginning of launches
  std::uint64_t unsubscribed;    ///< calls of sanitizerUnsubscribe
  std::uint64_t from_callbacks;  ///< of these, those by a thread that was in a callback
  std::uint64_t disabled;        ///< calls that disabled all callbacks
};
StandInCounts stand_in_counts();
}
