#pragma once
// Files that a process writes beside the ones they will replace, and that a signal must not leave behind.

#include <string>

namespace gpumem {

/// While one lives, the file of that name is removed should a signal end the process. Files are written one after
/// another: a second one at the same time is not known.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;  // the signal handler reads where its path lies
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::string path_;
};

/// Removes what is unfinished. May be called in a signal handler.
void remove_unfinished_file() noexcept;

/// From now on each signal that ends a process by default removes what is unfinished first; the process ends by the
/// signal all the same. Leaves signals alone that are ignored or taken already, and those of a fault of the program.
/// SIGKILL cannot be taken, and leaves the file.
void remove_unfinished_file_at_signals();

/// A signal handler that does that.
extern "C" void gpumem_end_by_signal(int signal);

}  // namespace gpumem
