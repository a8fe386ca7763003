#pragma once
// The style sheet of a portrait's page: for light and dark screens, paper and phones.

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gpumem::report {

/// The number of classes c0, c1, ...
inline constexpr std::size_t colours = 8;

inline constexpr std::string_view portrait_style = R"(<style>
:root{--ink:#1d1d1f;--muted:#6b6b70;--paper:#fff;--rule:#e2e2e6;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;
--c4:#b97d00;--c5:#56b4e9;--c6:#7a5195;--c7:#777;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ink:#ececf0;--muted:#a0a0a8;--paper:#16161a;--rule:#34343c;--c0:#4aa8e0;
--c1:#ff8a3d;--c2:#3ecf9f;--c3:#e59fc6;--c4:#e6ac3c;--c5:#8fd0f5;--c6:#b08fd0;--c7:#aaa}}
@media print{:root{--ink:#000;--muted:#555;--paper:#fff;--rule:#ccc;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc79a7;
--c4:#b97d00;--c5:#56b4e9;--c6:#7a5195;--c7:#777;color-scheme:light}}
@page{margin:13mm}
*{box-sizing:border-box;print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{margin:0 auto;max-width:66rem;overflow-wrap:anywhere;padding:1.6rem 1.2rem;font:15px/1.45 system-ui,"Helvetica Neue",Arial,sans-serif;
color:var(--ink);background:var(--paper)}
header p,footer,.about{color:var(--muted)}header p{margin:0;letter-spacing:.14em;text-transform:uppercase;font-size:.75em}
h1{margin:.1em 0 .2em;font-size:2.3em;line-height:1.1;font-weight:650}h2{margin:2em 0 .4em;font-size:1.25em}
h3{margin:0 0 .3em;font-size:1.02em}.about{margin:.1em 0;font-size:.9em}.badge{color:var(--c1);font-weight:650}
.levels{width:100%;border-collapse:collapse;table-layout:fixed}.levels th,.levels td{padding:.5em .8em .5em 0;
text-align:left;vertical-align:top;border-top:1px solid var(--rule)}.levels thead th{border:0;color:var(--muted);
font-weight:400;font-size:.85em}.levels tbody th{font-weight:600}.swatch{display:inline-block;width:.8em;height:.8em;background:currentColor;
margin-right:.4em}.ladder{display:grid;grid-template-columns:6.5em 1fr;margin:0;font-size:.9em}.ladder dt,.ladder dd{margin:0}.value{font-size:.9em}.track{position:relative;height:.85em;margin:.15em 0 .3em}
.bar{height:100%;border-radius:1px;min-width:2px;background:currentColor}.limit{position:absolute;top:-.2em;width:2px;
height:1.25em;background:var(--ink)}.bar.predicted{background:repeating-linear-gradient(135deg,currentColor 0 3px,
transparent 3px 6px);border:1px solid currentColor}
.charts{display:grid;grid-template-columns:repeat(2,1fr);gap:1.8rem 2rem}figure{margin:0;min-width:0;break-inside:avoid}
svg{width:100%;height:auto;display:block;overflow:visible}figcaption{font-size:.88em}figcaption p{margin:.35em 0}
ul.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1em 1.1em;margin:0 0 .2em;padding:0;font-size:.85em}
ul.legend svg{display:inline-block;width:2em;height:.7em;margin-right:.4em}
text{fill:var(--ink);font-size:12px}.tick{fill:var(--muted);font-size:11.5px}.name{fill:var(--muted)}
.mark{fill:var(--c1);font-weight:650;letter-spacing:.08em}.grid{stroke:var(--rule)}.axis{stroke:var(--muted)}
.curve{fill:none;stroke-width:1.9}.curve.predicted{stroke-dasharray:5 4;stroke-width:1.4}circle.predicted{fill:var(--paper)}
.r1.curve{stroke-dasharray:8 3}.r2.curve{stroke-dasharray:2 3}.r3.curve{stroke-dasharray:9 3 2 3}
footer{margin-top:2.4em;padding-top:.7em;border-top:1px solid var(--rule);font-size:.82em}
@media (max-width:44rem){.charts{grid-template-columns:minmax(0,1fr)}.levels thead{display:none}.levels tr{display:block;
border-top:1px solid var(--rule);padding:.5em 0}.levels th,.levels td{display:block;border:0;padding:.1em 0}
h1{font-size:1.8em}}
@media print{html{font-size:9.5px}body{font-size:7.6pt;padding:0;max-width:none}h2{margin-top:1em;break-after:avoid}
.charts{gap:1rem 1.4rem;grid-template-columns:repeat(3,1fr)}.levels th,.levels td{padding:.25em .6em .25em 0}
figcaption{font-size:.92em;line-height:1.3}}
)";

/// The style element of HTML, with a class for each colour.
[[nodiscard]] inline std::string style_with_colours() {
  std::string text(portrait_style);
  for (std::size_t c = 0; c < colours; ++c) {
    text += fmt::format(".c{0}{{stroke:var(--c{0});color:var(--c{0})}}circle.c{0}.measured{{fill:var(--c{0})}}\n", c);
  }
  return text + "</style>\n";
}

}  // namespace gpumem::report
