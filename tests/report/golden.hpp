#pragma once
// Texts that are held against files, mostly those of tests/report/golden.

#include <filesystem>
#include <string>
#include <utility>

namespace gpumem::report {

/// Checks that they are the same. With GPUMEM_UPDATE_GOLDEN in the environment it then writes the file anew, so that
/// the run that changes a file fails, and the next one passes.
void compare_with_golden(const std::string& name, const std::string& text);

/// The same of any file of the source tree that follows from the program.
void compare_with_file(const std::filesystem::path& path, const std::string& text);

/// The base of a test case that says sentences (TEST_CASE_METHOD). They stand in a golden file, a line each, under the
/// name of the test case: the test itself asserts keys, and a changed sentence changes no test.
class Sentences {
 public:
  explicit Sentences(std::string file) : file_(std::move(file)) {}
  /// Compares what was told, as compare_with_golden() does.
  ~Sentences();
  Sentences(const Sentences&) = delete;
  Sentences& operator=(const Sentences&) = delete;

  void tell(const std::string& sentence) { told_ += sentence + "\n"; }
  /// Tells what was said, and returns it up to its colon: a verdict, or the option that a complaint is about.
  std::string head(const std::string& said) {
    tell(said);
    return said.substr(0, said.find(':'));
  }
  /// Tells the complaint, and returns the place in the JSON that it is about: "/results/0/status". Empty if it is about
  /// none.
  std::string place(const std::string& complaint) {
    tell(complaint);
    const std::size_t begin = complaint.find('/');
    return begin == std::string::npos ? "" : complaint.substr(begin, complaint.find(": ", begin) - begin);
  }

 private:
  std::string file_;
  std::string told_;
};

}  // namespace gpumem::report
