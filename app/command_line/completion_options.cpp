#include <fmt/format.h>

#include "app/command_line/command_options.hpp"
#include "app/command_line/completion.hpp"
#include "app/command_line/interface.hpp"
#include "app/command_line/manual.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

/// A command whose result is made from the declarations of all commands, its own among them.
class InterfaceCommand : public CommandOptions {
 public:
  InterfaceCommand(CLI::App& program, const Known& known, const std::string& name, const std::string& purpose)
      : CommandOptions(program, name, purpose), known_(known) {}

 protected:
  [[nodiscard]] Interface interface() const { return describe_interface(*command().get_parent(), known_); }

 private:
  const Known& known_;
};

class CompletionCommand final : public InterfaceCommand {
 public:
  CompletionCommand(CLI::App& program, const Known& known)
      : InterfaceCommand(program, known, "completion", "Print the script that lets a shell complete gpumem's options") {
    command()
        .add_option("SHELL", shell_, "The shell to complete in. An installed gpumem has its scripts where shells look")
        ->option_text("bash|zsh|fish");
    command().footer(
        "Examples:\n"
        "  source <(gpumem completion bash)     in ~/.bashrc, or now; likewise with zsh\n"
        "  gpumem completion fish > ~/.config/fish/completions/gpumem.fish");
  }

  [[nodiscard]] Request take() override {
    if (shell_.empty()) throw usage_error("completion needs a shell: bash, zsh or fish");
    if (shell_ == "bash") return TextRequest{bash_completion(interface())};
    if (shell_ == "zsh") return TextRequest{zsh_completion(interface())};
    if (shell_ == "fish") return TextRequest{fish_completion(interface())};
    throw usage_error(fmt::format("there is no completion for '{}', but for bash, zsh and fish", shell_));
  }

 private:
  std::string shell_;
};

class ManualCommand final : public InterfaceCommand {
 public:
  ManualCommand(CLI::App& program, const Known& known)
      : InterfaceCommand(program, known, "manual", "Print the manual page, where it is not installed") {
    command().footer("Example:\n  gpumem manual | man -l -");
  }

  [[nodiscard]] Request take() override { return TextRequest{manual_page(interface())}; }
};

}  // namespace

Command add_completion_command(CLI::App& program, const Known& known) {
  return std::make_unique<CompletionCommand>(program, known);
}

Command add_manual_command(CLI::App& program, const Known& known) {
  return std::make_unique<ManualCommand>(program, known);
}

}  // namespace gpumem::app
