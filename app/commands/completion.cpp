// The commands whose result is made from the declarations of all commands, their own among them.

#include <fmt/format.h>

#include <memory>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

MakeRequest completion_options(CommandOptions& options, const Known&) {
  const auto shell = std::make_shared<std::optional<std::string>>();
  options.add_argument("bash|zsh|fish", *shell,
                       "The shell to complete in. An installed gpumem has its scripts where shells look");
  options.footer(
      "Examples:\n"
      "  source <(gpumem completion bash)     in ~/.bashrc, or now; likewise with zsh\n"
      "  gpumem completion fish > ~/.config/fish/completions/gpumem.fish");
  return [shell] {
    if (!*shell) throw usage_error("completion needs a shell: bash, zsh or fish");
    const std::string script = completion_script(**shell);
    if (script.empty()) {
      throw usage_error(fmt::format("there is no completion for '{}', but for bash, zsh and fish", **shell));
    }
    return print(script);
  };
}

MakeRequest manual_options(CommandOptions& options, const Known& known) {
  options.footer("Example:\n  gpumem manual | man -l -");
  return [&] { return print(manual_page(options.describe_program(known))); };
}

}  // namespace gpumem::app
