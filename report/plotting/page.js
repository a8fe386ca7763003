"use strict";
// Draws the figure in #data with plotly. Texts of reports become text nodes, or texts of plotly's without their markup.
(() => {
  const { blocks, timelines, looks, disturbed } = JSON.parse(document.getElementById("data").textContent);
  const READINGS = ["predicted", "measured", "counted"];  // in the order drawn
  const SYMBOLS = { o: "circle", s: "square", "^": "triangle-up", D: "diamond", v: "triangle-down", P: "cross", X: "x",
    "*": "star" };
  const PATTERNS = ["", "/", ".", "x", "\\", "-", "+", "|"];
  const SIDES = { right: "middle right", left: "middle left", above: "top center", below: "bottom center" };
  const MANY_CELLS = 16;  // of categories: bars would be too many to compare
  const shown = new Set(READINGS);
  const panels = [];

  const plain = (text) => String(text).replace(/[&<>]/g, (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[mark]);
  const html = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (series) => looks.colours[series.colour % looks.colours.length];
  const symbol = (series) => SYMBOLS[looks.markers[series.marker % looks.markers.length]];
  // As model.radius() has it.
  const radius = (share) => Math.max(2.4, 20 * Math.sqrt(Math.max(0, Math.min(1, share))));
  const dots = { hoverinfo: "skip", showlegend: false, mode: "markers", type: "scatter" };

  // ---- What plotly draws of a panel

  const value = (point, quantity, reading) => point.readings?.[quantity]?.[reading] ?? null;
  const known = (point, quantity) =>
    READINGS.map((reading) => value(point, quantity, reading)).filter((number) => number !== null).pop() ?? null;

  function told({ title, rows = [], flags = [], why, notes = [] }) {
    const lines = rows.map(([name, predicted, counted, measured]) => `${name}: ` + [[measured, "measured"],
      [predicted, "predicted"], [counted, "counted"]].filter(([text]) => text && text !== "–")
      .map((parts) => parts.join(" ")).join(", "));
    if (flags.length) lines.push("flags: " + flags.join(", "));
    const wrap = (text) => plain(text).match(/.{1,90}(?:\s|$)|.{90}/g)?.join("<br>") ?? "";
    return [`<b>${plain(title)}</b>`, ...lines.map(wrap), ...[why, ...notes].filter(Boolean).map(wrap)].join("<br>");
  }

  // The points that have the reading, and nothing where a line between two of them would lead over others.
  function withGaps(series, quantity, reading) {
    let apart = false;
    return series.points.flatMap((point) => {
      apart ||= point.apart;
      if (value(point, quantity, reading) === null) { apart = true; return []; }
      const found = apart ? [{ x: null, title: "" }, point] : [point];
      apart = false;
      return found;
    });
  }

  function curve(panel, series, reading, quantity, first) {
    const isLine = panel.x.scale !== "category" && !panel.scatter && reading !== "counted";
    const points = isLine ? withGaps(series, quantity, reading)
      : series.points.filter((point) => value(point, quantity, reading) !== null);
    const bars = panel.x.scale === "category";
    const measured = series.points.some((point) => value(point, quantity, "measured") !== null);
    const trace = { name: plain(series.label), legendgroup: series.name, showlegend: first, type: "scatter",
      uid: `${series.name}.${reading}`, meta: { reading, series: series.name },
      x: points.map((point) => point.x), y: points.map((point) => value(point, quantity, reading)),
      hovertext: points.map(told), hoverinfo: "text", marker: { color: colour(series), symbol: symbol(series), size: 7 },
      mode: panel.scatter || reading === "counted" ? "markers" : "lines+markers",
      line: { color: colour(series), width: series.thin ? 1 : 2, dash: reading === "predicted" ? "dash" : "solid" } };
    if (reading === "predicted") {
      Object.assign(trace.marker, { color: css("--paper"), size: 9, line: { color: colour(series), width: 1.3 } });
    }
    if (reading === "counted") trace.marker.symbol = "cross-thin-open";
    if (panel.area) {
      trace.marker.size = points.map((point) => 2 * radius(point.share));
      trace.marker.opacity = .85;
    }
    if (bars) {
      trace.offsetgroup = series.name;
      trace.marker.pattern = { shape: PATTERNS[series.marker % PATTERNS.length] };
      if (reading === "measured" || !measured) Object.assign(trace, { type: "bar", opacity: measured ? 1 : .4 });
      else Object.assign(trace, { mode: "markers", marker: { symbol: "line-ew-open", size: 18, color: css("--ink"),
        line: { width: reading === "counted" ? 3 : 1.6 } } });
    }
    if (points.some((point) => point.label)) {
      Object.assign(trace, { mode: trace.mode + "+text", text: points.map((point) => plain(point.label ?? "")),
        textposition: points.map((point) => SIDES[point.label_side] ?? "middle right"),
        textfont: { size: 11, color: colour(series) } });
    }
    const ends = ["ci95_low", "ci95_high"].map((end) => points.map((point) => value(point, quantity, end)));
    if (reading === "measured" && ends[0].some((low) => low !== null)) {
      trace.error_y = { type: "data", symmetric: false, thickness: 1.2, width: 2,
        array: ends[1].map((high, i) => high === null ? 0 : high - trace.y[i]),
        arrayminus: ends[0].map((low, i) => low === null ? 0 : trace.y[i] - low) };
    }
    return trace;
  }

  function beside(panel, series, quantity) {
    const flagged = series.points.filter((point) => value(point, quantity, "measured") !== null
      && (point.flags ?? []).some((flag) => disturbed.includes(flag)));
    const reaching = series.points.filter((point) => point.reach?.[quantity] && known(point, quantity) !== null);
    return [reaching.length && { ...dots, mode: "lines", legendgroup: series.name, line: { color: colour(series), width: 1.5 },
      meta: { part: "reach" }, x: reaching.flatMap(({ x }) => [x, x, null]),
      y: reaching.flatMap((point) => [known(point, quantity), point.reach[quantity], null]) },
    flagged.length && { ...dots, legendgroup: series.name, meta: { part: "flagged" }, x: flagged.map(({ x }) => x),
      y: flagged.map((point) => value(point, quantity, "measured")),
      marker: { symbol: "x-thin", size: 10, line: { color: css("--ink"), width: 2 } } }].filter(Boolean);
  }

  // What to hold the curves against, but for a far limit, which would flatten them.
  function guides(panel, quantity, traces, yLog) {
    const between = (low, high, share) => yLog ? low * (high / low) ** share : low + (high - low) * share;
    const values = traces.flatMap(({ y }) => y).filter((number) => number !== null);
    const places = panel.x.names.map(([at]) => at);
    const [bottom, top] = [Math.min(...values), Math.max(...values)];
    const [left, right] = [Math.min(...places), Math.max(...places)];
    return panel.guides.filter((guide) => [undefined, quantity].includes(guide.quantity))
      .filter(({ level, points }) => points || level === undefined || level > bottom / 4 && level < 4 * top)
      .map(({ label, level, points, x }, i) => {
        const isPlace = !points && level === undefined;  // these have their words at different heights
        const line = points ?? (isPlace ? [[x, top], [x, between(bottom, top, 1 - i / 14)], [x, bottom]]
          : [[left, level], [right, level]]);
        const at = points ? Math.floor(line.length * .75) : 1;
        const isFar = panel.x.scale.startsWith("log") ? x > Math.sqrt(left * right) : x > (left + right) / 2;
        const side = points ? "bottom right" : isPlace ? `middle ${isFar ? "left" : "right"}` : "top left";
        return { ...dots, mode: "lines+text", cliponaxis: false, meta: { part: "guide" },
          x: line.map((point) => point[0]), y: line.map((point) => point[1]),
          line: { color: css("--muted"), width: 1.3, dash: "dashdot" },
          text: line.map((_, i) => i === at ? plain(label) : ""), textposition: side,
          textfont: { color: css("--muted"), size: 12 } };
      });
  }

  // Where there is little room, the scale of colours is below the cells, whose numbers need it.
  function heatMap(panel, quantity, isNarrow) {
    const title = { text: plain(quantity.label), side: isNarrow ? "bottom" : "right" };
    const place = isNarrow ? { orientation: "h", y: -.2, yanchor: "top", thickness: 12 } : {};
    const cells = panel.series.map((series) => panel.x.names.map(([at]) => series.points.find(({ x }) => x === at)));
    const numbers = cells.map((row) => row.map((point) => point ? known(point, quantity.name) : null));
    return [{ type: "heatmap", x: panel.x.names.map(([, name]) => plain(name)),
      y: panel.series.map(({ label }) => plain(label)), z: numbers, hoverinfo: "text", hoverongaps: false,
      colorscale: "Viridis",
      hovertext: cells.map((row) => row.map((point) => point ? told(point) : "")), texttemplate: "%{z:.4~g}",
      colorbar: { title, ...place }, xgap: 2, ygap: 2 }];
  }

  // A cross for each case of a heat map without any reading: what was not to be run has no case.
  function failures(panel) {
    const name = Object.fromEntries(panel.x.names);
    return panel.series.flatMap(({ label, points }) => points.filter(({ readings }) => !readings).map((point) => ({
      x: plain(name[point.x]), y: plain(label), text: "×", hovertext: told(point), showarrow: false,
      font: { size: 18, color: css("--muted") } })));
  }

  function barsOf(panel, quantity) {
    return panel.series.map((series) => {
      const places = series.points.map(({ x }) => x), values = series.points.map((point) => known(point, quantity));
      return { type: "bar", name: plain(series.label), uid: series.name, meta: { reading: "measured", series: series.name },
        showlegend: true, hoverinfo: "text", hovertext: series.points.map(told), opacity: series.thin ? .35 : 1,
        marker: { color: colour(series) }, ...(panel.sideways ? { orientation: "h", width: .6, x: values, y: places }
          : { width: panel.stacked, x: places, y: values }) };
    });
  }

  function layout(panel, traces, { quantity, xLog, yLog, heat }) {
    const line = { gridcolor: css("--line"), zerolinecolor: css("--line"), linecolor: css("--muted"), automargin: true };
    const names = { tickvals: panel.x.ticks.map(([at]) => at), ticktext: panel.x.ticks.map(([, text]) => plain(text)) };
    const x = { ...line, title: { text: plain(panel.x.label), standoff: 8 } };
    const y = { ...line, title: { text: plain(quantity.label), standoff: 8 } };
    const base = { font: { family: "system-ui, sans-serif", size: 13, color: css("--ink") }, hovermode: "closest",
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", margin: { l: 56, r: 16, t: 24, b: 44 }, height: 420,
      hoverlabel: { align: "left", bgcolor: css("--paper"), bordercolor: css("--muted"),
        font: { color: css("--ink"), size: 12 } }, showlegend: traces.filter((trace) => trace.showlegend).length > 1,
      legend: { orientation: "h", y: -.2, yanchor: "top", uirevision: "stay" },
      uirevision: [quantity.name, xLog, yLog].join(), barmode: "group",
      scattermode: panel.x.scale === "category" ? "group" : "overlay" };
    if (heat) {  // numbers are names of rows and columns here
      const names = { type: "category", showgrid: false };
      return { ...base, height: Math.max(base.height, 110 + 34 * panel.series.length), annotations: failures(panel),
        xaxis: { ...x, ...names }, yaxis: { ...line, ...names, autorange: "reversed" } };
    }
    if (panel.sideways) {
      return { ...base, barmode: "overlay", height: 110 + 34 * panel.x.names.length,
        xaxis: { ...line, title: { text: plain(quantity.label) } }, yaxis: { ...line, ...names, autorange: "reversed" } };
    }
    if (panel.stacked) {
      Object.assign(base, { barmode: "stack", bargap: 0, showlegend: true });
      x.range = [0, panel.x.names.at(-1)[0]];
    }
    const values = traces.flatMap((trace) => trace.y).filter((number) => number > 0);
    const wide = Math.max(...values) > 1000 * Math.min(...values);
    const decades = yLog ? { type: "log", tickformat: "~g", dtick: wide ? 1 : "D2" } : {};
    return { ...base, xaxis: { ...x, ...names, type: xLog ? "log" : "linear", showgrid: panel.x.scale !== "category" },
      yaxis: { ...y, rangemode: "tozero", ...decades } };
  }

  // ---- A panel with its menus

  class Panel {
    constructor(panel) {
      const category = panel.x.scale === "category" && !panel.sideways;
      const cells = category ? panel.series.length * panel.x.names.length : 0;
      Object.assign(this, { panel, drawn: false, at: -1, state: { quantity: panel.quantities[0],
        yLog: panel.quantities[0].log, xLog: panel.x.scale.startsWith("log"),
        heat: panel.matrix || panel.series.length > 2 && panel.x.names.length > 2 && cells >= MANY_CELLS } });
      this.plot = html("div", { class: "plot", id: panel.name, tabindex: 0, role: "img", "aria-label": panel.title });
      const subtitle = [panel.subtitle, panel.area && `area: ${panel.area}`, panel.reach && `line up: ${panel.reach}`];
      const reasons = panel.sideways ? panel.series.flatMap(({ points }) => points.filter(({ label }) => label)
        .map(({ title, label }) => html("li", {}, html("b", {}, title), ` ${label}`))) : [];
      this.element = html("figure", { class: "panel" }, html("h2", {}, panel.title),
        html("p", { class: "muted" }, subtitle.filter(Boolean).join("; ")), this.controls(category && cells), this.plot,
        ...panel.notes.map((note) => html("p", { class: "note" }, note)),
        ...(reasons.length ? [html("ol", { class: "reasons" }, ...reasons)] : []));
      this.plot.addEventListener("keydown", (event) => this.key(event));
      panels.push(this);
    }

    menu(label, choices, chosen, change) {
      const select = html("select", {}, ...choices.map(([name, text]) => html("option", { value: name }, text)));
      select.value = chosen;
      select.addEventListener("change", () => { change(select.value); this.draw(); });
      return html("label", {}, label + " ", select);
    }

    controls(cells) {
      const { state, panel } = this;
      const scale = (label, member) => this.menu(label, [["linear", "linear"], ["log", "logarithmic"]],
        state[member] ? "log" : "linear", (kind) => { state[member] = kind === "log"; });
      if (panel.sideways || panel.stacked) return html("div", { class: "controls" });
      const yScale = scale("y scale", "yLog");
      const found = [this.menu("y", panel.quantities.map(({ name, label }) => [name, label]), state.quantity.name,
        (name) => {
          state.quantity = panel.quantities.find((quantity) => quantity.name === name);
          state.yLog = state.quantity.log;
          yScale.lastChild.value = state.yLog ? "log" : "linear";
        }), yScale];
      if (panel.x.scale !== "category" && panel.x.names.every(([at]) => at > 0)) found.push(scale("x scale", "xLog"));
      if (cells > 3) {
        const choose = (kind) => { yScale.hidden = state.heat = kind === "heat"; };
        found.push(this.menu("as", [["bars", "bars"], ["heat", "heat map"]], state.heat ? "heat" : "bars", choose));
        choose(state.heat ? "heat" : "bars");
      }
      return html("div", { class: "controls" }, ...found);
    }

    traces() {
      const { panel, state: { quantity, heat } } = this;
      if (heat) return heatMap(panel, quantity, this.plot.clientWidth < 480);
      if (panel.sideways || panel.stacked) {
        const bars = barsOf(panel, quantity.name);
        return [...bars, ...guides(panel, quantity.name, [{ y: panel.guides.map(({ level }) => level) }])];
      }
      const curves = panel.series.flatMap((series) => {
        const there = READINGS.filter((reading) => shown.has(reading)
          && series.points.some((point) => value(point, quantity.name, reading) !== null));
        const own = there.map((reading) => curve(panel, series, reading, quantity.name, reading === there.at(-1)));
        return there.length ? [...own, ...beside(panel, series, quantity.name)] : [];
      });
      return [...curves, ...guides(panel, quantity.name, curves, this.state.yLog)];
    }

    draw() {
      const traces = this.traces();
      this.drawn = true;
      Plotly.react(this.plot, traces, layout(this.panel, traces, this.state),
        { responsive: true, displayModeBar: false });
    }

    // The arrow keys walk through the cases that are drawn, each in its last reading.
    key(event) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") Plotly.Fx.unhover(this.plot);
      if (!step || !this.drawn) return;
      const cases = this.plot.data.flatMap((trace, curveNumber) => {
        if (trace.z) {
          return trace.z.flatMap((row, yval) => row.flatMap((cell, xval) => cell === null ? [] : [{ xval, yval }]));
        }
        return trace.showlegend && trace.visible !== "legendonly"
          ? trace.y.flatMap((y, pointNumber) => y === null ? [] : [[{ curveNumber, pointNumber }]]) : [];
      });
      if (!cases.length) return;
      this.at = (this.at + step + cases.length) % cases.length;
      Plotly.Fx.hover(this.plot, cases[this.at], "xy");
      event.preventDefault();
    }
  }

  // ---- Time lines

  class TimeLine extends Panel {
    controls() { return ""; }
    traces() {
      const { lanes, stages, spans } = this.panel;
      return stages.map((stage, i) => {
        const own = spans.filter((span) => span.stage === stage);
        return { type: "bar", orientation: "h", name: plain(stage), showlegend: true, width: .7, hoverinfo: "text",
          marker: { color: looks.colours[i % looks.colours.length], line: { width: .5, color: css("--paper") } },
          base: own.map(({ start }) => start), x: own.map(({ start, end }) => end - start),
          y: own.map(({ lane }) => lanes.indexOf(lane)),
          hovertext: own.map(({ start, end }) => `${plain(stage)}<br>${start.toPrecision(4)} to ${end.toPrecision(4)}`) };
      });
    }
  }

  const timeLine = (line) => new TimeLine({ guides: [], notes: [], ...line, sideways: true, series: [],
    quantities: [{ name: "time", label: line.label, log: false }],
    x: { scale: "category", label: "", names: line.lanes, ticks: line.lanes.map((lane, i) => [i, lane]) } });

  // ---- The page

  const redraw = () => panels.filter((panel) => panel.drawn).forEach((panel) => panel.draw());
  const main = document.getElementById("figure");
  for (const block of [...blocks.map((of) => of.map((panel) => new Panel(panel))), ...timelines.map((of) => [timeLine(of)])]) {
    const wide = block.length > 1 || block[0].panel.wide;
    main.append(html("section", wide ? { class: "wide" } : {}, html("div", { class: "panels" },
      ...block.map(({ element }) => element))));
  }
  for (const reading of ["measured", "predicted", "counted"]) {
    const box = html("input", { type: "checkbox", name: reading });
    box.checked = true;
    box.addEventListener("change", () => { shown[box.checked ? "add" : "delete"](reading); redraw(); });
    document.getElementById("readings").append(html("label", {}, box, " " + reading));
  }
  // A panel is drawn when it is about to be seen: many at once take seconds.
  const seen = new IntersectionObserver((entries) => entries.filter(({ isIntersecting }) => isIntersecting)
    .forEach(({ target }) => { seen.unobserve(target); panels.find(({ plot }) => plot === target).draw(); }),
  { rootMargin: "600px" });
  panels.forEach(({ plot }) => seen.observe(plot));
  addEventListener("beforeprint", () => panels.filter(({ drawn }) => !drawn).forEach((panel) => panel.draw()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
