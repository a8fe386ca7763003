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
  const BESIDE_AREA = 80;  // pixels, of a plot: the labels of its y axis
  const ROOMY = 560;  // pixels of a plot in which there is room for the names of points
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
  const colourName = (series) => `--colour-${series.colour % looks.colours}`;
  const colour = (series) => css(colourName(series));
  const symbol = (series) => SYMBOLS[looks.markers[series.marker % looks.markers.length]];
  // As model.radius() has it.
  const radius = (share) => Math.max(2.4, 20 * Math.sqrt(Math.max(0, Math.min(1, share))));
  const pen = document.createElement("canvas").getContext("2d");
  const FONT = "system-ui, sans-serif";
  const TITLE_SIZE = 14, GUIDE_SIZE = 12;  // pixels
  // The words in as many lines as fit into so many pixels: plotly breaks none.
  function inLines(text, size, pixels) {
    pen.font = `${size}px ${FONT}`;
    return text.split(" ").reduce((lines, word) => {
      const longer = `${lines.at(-1)} ${word}`.trim();
      return pen.measureText(longer).width <= pixels || longer === word ? [...lines.slice(0, -1), longer] : [...lines, word];
    }, [""]);
  }
  const axisTitle = (text, pixels) =>
    ({ text: inLines(text, TITLE_SIZE, pixels).map(plain).join("<br>"), font: { size: TITLE_SIZE } });
  // Plotly looks for a trace by its name as for classes of CSS, which begin with no digit.
  const classes = (name) => name.replace(/\.(?=\d)/g, "._");
  const dots = { hoverinfo: "skip", showlegend: false, mode: "markers", type: "scatter" };

  // ---- What plotly draws of a panel

  const isBars = (panel) => panel.x.scale === "category" && !panel.scatter;
  const value = (point, quantity, reading) => point.readings?.[quantity]?.[reading] ?? null;
  const known = (point, quantity) =>
    READINGS.map((reading) => value(point, quantity, reading)).filter((number) => number !== null).pop() ?? null;

  // What the pointer shows beside a case: so little that the curves stay in sight.
  function brief(point, quantity) {
    const read = ["measured", "predicted", "counted"].map((name) => [value(point, quantity.name, name), name])
      .filter(([number]) => number !== null).map(([number, name]) => `${+number.toPrecision(4)} ${name}`);
    const said = read.length ? `${quantity.label}: ${read.join(", ")}` : (point.notes ?? []).join("; ");
    return `<b>${plain(point.title)}</b><br>${plain(said).replace(/(.{60,}?) /g, "$1<br>")}`;
  }

  // And below the plot all that is known of it.
  function told({ title, rows = [], flags = [], why, notes = [] }) {
    const header = html("tr", {}, ...["", "measured", "predicted", "counted"].map((text) => html("th", {}, text)));
    const lines = rows.map(([name, predicted, counted, measured]) => html("tr", {},
      ...[name, measured, predicted, counted].map((text) => html("td", {}, text || ""))));
    const said = [flags.length && `flags: ${flags.join(", ")}`, why, ...notes].filter(Boolean);
    return [html("b", {}, title), ...(lines.length ? [html("table", {}, header, ...lines)] : []),
      ...said.map((text) => html("p", {}, text))];
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

  // The 95 % intervals of measured points, undefined if there are none.
  function intervals(points, quantity) {
    const ends = ["ci95_low", "ci95_high"].map((end) => points.map((point) => value(point, quantity, end)));
    if (ends[0].every((low) => low === null)) return undefined;
    const away = (i) => ends[i].map((end, j) => end === null ? 0 : Math.abs(end - value(points[j], quantity, "measured")));
    return { type: "data", symmetric: false, thickness: 1.2, width: 2, array: away(1), arrayminus: away(0) };
  }

  function curve(panel, series, reading, { name: quantity, ...about }, roomy) {
    const isLine = panel.x.scale !== "category" && !panel.scatter && reading !== "counted";
    const points = isLine ? withGaps(series, quantity, reading)
      : series.points.filter((point) => value(point, quantity, reading) !== null);
    const bars = isBars(panel);
    const measured = series.points.some((point) => value(point, quantity, "measured") !== null);
    const trace = { type: "scatter", uid: classes(`${series.name}.${reading}`), meta: { reading, series: series.name },
      cliponaxis: false, customdata: points,
      x: points.map((point) => point.x), y: points.map((point) => value(point, quantity, reading)),
      hovertext: points.map((point) => brief(point, { name: quantity, ...about })), hoverinfo: "text", marker: { color: colour(series), symbol: symbol(series), size: 7 },
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
    if (roomy && points.some((point) => point.label)) {
      Object.assign(trace, { mode: trace.mode + "+text", text: points.map((point) => plain(point.label ?? "")),
        textposition: points.map((point) => SIDES[point.label_side] ?? "middle right"),
        textfont: { size: 11, color: colour(series) } });
    }
    if (reading === "measured") trace.error_y = intervals(points, quantity);
    return trace;
  }

  function beside(panel, series, quantity) {
    const flagged = series.points.filter((point) => value(point, quantity, "measured") !== null
      && (point.flags ?? []).some((flag) => disturbed.includes(flag)));
    const beyond = series.points.filter((point) => point.beyond && known(point, quantity) !== null);
    const reaching = series.points.filter((point) => point.reach?.[quantity] && known(point, quantity) !== null);
    return [reaching.length && { ...dots, mode: "lines", line: { color: colour(series), width: 1.5 },
      meta: { part: "reach" }, x: reaching.flatMap(({ x }) => [x, x, null]),
      y: reaching.flatMap((point) => [known(point, quantity), point.reach[quantity], null]) },
    beyond.length && { ...dots, meta: { part: "beyond" }, x: beyond.map(({ x }) => x),
      y: beyond.map((point) => known(point, quantity)),
      marker: { symbol: "circle-open", size: 15, color: css("--ink"), line: { width: 1.6 } } },
    flagged.length && { ...dots, meta: { part: "flagged" }, x: flagged.map(({ x }) => x),
      y: flagged.map((point) => value(point, quantity, "measured")),
      marker: { symbol: "x-thin", size: 10, line: { color: css("--ink"), width: 2 } } }].filter(Boolean);
  }

  // What to hold the curves against, but for a far limit, which would flatten them.
  function guides(panel, { quantity, yLog, shared }, traces, width) {
    const between = (low, high, share) => yLog ? low * (high / low) ** share : low + (high - low) * share;
    const values = traces.flatMap(({ y }) => y).filter((number) => number !== null);
    const places = panel.x.names.map(([at]) => at);
    const [low, high] = endsOf(quantity, shared);
    const [bottom, top] = [low ?? Math.min(...values), high ?? Math.max(...values)];
    const [left, right] = [panel.x.low ?? Math.min(...places), panel.x.high ?? Math.max(...places)];
    let taken = 0;  // lines of words
    return panel.guides.filter((guide) => [undefined, quantity.name].includes(guide.quantity))
      .filter(({ level, points }) => points || level === undefined || level > bottom / 4 && level < 4 * top)
      .map(({ label, level, points, x, at_left: atLeft }) => {
        const isPlace = !points && level === undefined;  // these have their words at different heights
        const isLog = panel.x.scale.startsWith("log");
        const share = isLog ? Math.log(x / left) / Math.log(right / left) : (x - left) / (right - left);
        const words = inLines(label, GUIDE_SIZE, isPlace ? Math.max(share, 1 - share) * (width - BESIDE_AREA) : Infinity);
        const line = points ?? (isPlace ? [[x, top], [x, between(bottom, top, (taken + words.length / 2) / 18)], [x, bottom]]
          : [[left, level], [right, level]]);
        if (isPlace) taken += words.length;
        const at = isPlace ? 1 : atLeft ? 0 : line.length - 1;
        const side = isPlace ? `middle ${share > .5 ? "left" : "right"}` : atLeft ? "top right" : "top left";
        return { ...dots, mode: "lines+text", cliponaxis: false, meta: { part: "guide" },
          x: line.map((point) => point[0]), y: line.map((point) => point[1]),
          line: { color: css("--muted"), width: 1.3, dash: "dashdot" },
          text: line.map((_, i) => i === at ? words.map(plain).join("<br>") : ""), textposition: side,
          textfont: { color: css("--muted"), size: GUIDE_SIZE } };
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
      colorscale: "Viridis", zmin: quantity.low, zmax: quantity.high, customdata: cells,
      hovertext: cells.map((row) => row.map((point) => point ? brief(point, quantity) : "")), texttemplate: "%{z:.4~g}",
      colorbar: { title, ...place }, xgap: 2, ygap: 2 }];
  }

  // A tile of shared memory: pale where the request accesses nothing, else in full with the number of the wavefront.
  function bankMap({ grid: { rows, marks, ticks, together }, x }, quantity) {
    const accessed = rows.map((row) => row.map(() => null)), numbers = rows.map((row) => row.map(() => ""));
    const first = (names) => Number(names[0][1]);
    const columns = (begin) => together > 1 ? `columns ${begin} to ${begin + together - 1}` : `column ${begin}`;
    const said = rows.map((row, i) =>
      row.map((bank, j) => `row ${first(ticks) + i}, ${columns(first(x.ticks) + together * j)}: bank ${bank}`));
    for (const [row, column, wavefront] of marks) {
      accessed[row][column] = rows[row][column];
      numbers[row][column] = wavefront;
      said[row][column] += `, wavefront ${wavefront}`;
    }
    const looks = { type: "heatmap", colorscale: "Viridis", zmin: quantity.low, zmax: quantity.high, hoverongaps: false,
      hoverinfo: "text", hovertext: said };
    return [{ ...looks, z: rows, opacity: .35, showscale: false },
      { ...looks, z: accessed, text: numbers, texttemplate: "%{text}", textfont: { size: 9 },
        colorbar: { title: { text: quantity.label }, thickness: 12, tickvals: [0, 8, 16, 24, 31] } }];
  }

  // A cross for each case of a heat map without any reading: what was not to be run has no case.
  function failures(panel, quantity) {
    const name = Object.fromEntries(panel.x.names);
    return panel.series.flatMap(({ label, points }) => points.filter(({ readings }) => !readings).map((point) => ({
      x: plain(name[point.x]), y: plain(label), text: "×", hovertext: brief(point, quantity), showarrow: false,
      font: { size: 18, color: css("--muted") } })));
  }

  function barsOf(panel, shownSeries, quantity) {
    return shownSeries.map((series) => {
      const places = series.points.map(({ x }) => x), values = series.points.map((point) => known(point, quantity.name));
      return { type: "bar", uid: classes(series.name), meta: { reading: "measured", series: series.name, last: true }, hoverinfo: "text",
        customdata: series.points, hovertext: series.points.map((point) => brief(point, quantity)), opacity: series.thin ? .35 : 1,
        marker: { color: colour(series) }, ...(panel.sideways ? { orientation: "h", width: .6, ...(panel.base && { base: panel.base }),
          x: values.map((number) => number - (panel.base ?? 0)), y: places,
          error_x: intervals(series.points, quantity.name) }
          : { width: panel.stacked, x: places, y: values }) };
    });
  }

  // An axis that ends at the quantity's least and most.
  const exactly = ({ low, high }, isLog) => isLog
    ? { type: "log", dtick: "D2", tickformat: "~g", range: [Math.log10(low), Math.log10(high)] } : { range: [low, high] };

  // The values of an axis between which a change is noise, and a line in their middle.
  function band(ends, axis) {
    const along = (from, to, looks) => ({ layer: "below", [axis === "x" ? "yref" : "xref"]: "paper", x0: 0, x1: 1, y0: 0, y1: 1,
      [`${axis}0`]: from, [`${axis}1`]: to, ...looks });
    const middle = ends && (ends[0] + ends[1]) / 2;
    return !ends ? [] : [along(...ends, { type: "rect", line: { width: 0 }, fillcolor: css("--muted"), opacity: .18 }),
      along(middle, middle, { type: "line", line: { width: 1, color: css("--muted") } })];
  }

  // The least and the most on the y axis, if several panels share them.
  const endsOf = ({ low, high, together }, shared) => shared && together || [low, high];

  function layout(panel, traces, { quantity, xLog, yLog, heat, shared }, width) {
    const line = { gridcolor: css("--line"), zerolinecolor: css("--line"), linecolor: css("--muted"), automargin: true };
    const names = { tickvals: panel.x.ticks.map(([at]) => at), ticktext: panel.x.ticks.map(([, text]) => plain(text).replace("\n", "<br>")) };
    const x = { ...line, title: { ...axisTitle(panel.x.label, width - 1.5 * BESIDE_AREA), standoff: 8 } };
    const y = { ...line, title: { ...axisTitle(quantity.label, 280), standoff: 8 } };
    const base = { font: { family: FONT, size: 13, color: css("--ink") }, hovermode: "closest",
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", margin: { l: 52, r: 16, t: 24, b: 44 }, height: 380,
      hoverlabel: { align: "left", bgcolor: css("--paper"), bordercolor: css("--muted"),
        font: { color: css("--ink"), size: 12 } }, showlegend: false, uirevision: [quantity.name, xLog, yLog, shared].join(), barmode: "group",
      scattermode: isBars(panel) ? "group" : "overlay" };
    if (panel.grid) {
      const { rows, ticks } = panel.grid;
      return { ...base, height: 90 + Math.min(Math.max(420, 10 * rows.length), 26 * rows.length), xaxis: { ...x, ...names, showgrid: false },
        yaxis: { ...line, title: axisTitle("row", 280), autorange: "reversed", showgrid: false, zeroline: false,
          tickvals: ticks.map(([at]) => at), ticktext: ticks.map(([, text]) => text) } };
    }
    if (heat) {  // numbers are names of rows and columns here
      const names = { type: "category", showgrid: false };
      return { ...base, height: Math.max(base.height, 110 + 34 * panel.series.length), annotations: failures(panel, quantity),
        xaxis: { ...x, ...names }, yaxis: { ...line, ...names, autorange: "reversed" } };
    }
    if (panel.sideways) {
      return { ...base, barmode: "overlay", height: 110 + (panel.base ? 42 : 34) * panel.x.names.length,
        shapes: band(panel.band, "x"),
        xaxis: { ...line, title: y.title, ...(quantity.exact && exactly(quantity, yLog)) },
        yaxis: { ...line, ...names, range: [panel.x.names.length - .5, -.5] } };
    }
    if (panel.stacked) {
      Object.assign(base, { barmode: "stack", bargap: 0 });
      x.range = [0, panel.x.names.at(-1)[0]];
    }
    const values = traces.flatMap((trace) => trace.y).filter((number) => number > 0);
    const wide = Math.max(...values) > 1000 * Math.min(...values);
    const decades = yLog ? { type: "log", tickformat: "~g", dtick: wide ? 1 : "D2" } : {};
    // Panels that are to be compared have one scale.
    const ends = (low, high, isLog) => low === undefined || isLog && low <= 0 ? {}
      : { range: isLog ? [Math.log10(low), Math.log10(high)] : [low, high] };
    const [low, high] = endsOf(quantity, shared);
    const yEnds = quantity.exact ? exactly(quantity, yLog) : low === undefined ? {} : yLog ? ends(low / 1.2, high * 1.4, true) : ends(Math.min(0, 1.1 * low), 1.1 * high);
    return { ...base, shapes: band(panel.band, "y"), xaxis: { ...x, ...names, type: xLog ? "log" : "linear", showgrid: panel.x.scale !== "category",
      ...ends(panel.x.low, panel.x.high, xLog) }, yaxis: { ...y, rangemode: "tozero", ...decades, ...yEnds } };
  }

  // ---- A panel with its menus

  class Panel {
    constructor(panel, hidden, heading) {
      const category = isBars(panel) && !panel.sideways;
      const cells = category ? panel.series.length * panel.x.names.length : 0;
      Object.assign(this, { panel, hidden, cells, drawn: false, at: -1, state: { quantity: panel.quantities[0],
        yLog: panel.quantities[0].log, xLog: panel.x.scale.startsWith("log"),
        heat: panel.matrix || panel.series.length > 2 && panel.x.names.length > 2 && cells >= MANY_CELLS } });
      this.plot = html("div", { class: "plot", id: panel.name, tabindex: 0, role: "img", "aria-label": panel.title });
      if (panel.grid) this.plot.removeAttribute("tabindex");  // it has no cases to walk through
      this.told = html("div", { class: "case", "aria-live": "polite" });
      const subtitle = [panel.grid?.text, panel.subtitle, panel.area && `area: ${panel.area}`, panel.reach && `line up: ${panel.reach}`];
      const reasons = panel.sideways ? panel.series.flatMap(({ points }) => points.filter(({ label }) => label)
        .map(({ title, label }) => html("li", {}, html("b", {}, title), ` ${label}`))) : [];
      this.element = html("figure", { class: "panel" }, html(heading, {}, panel.title),
        html("p", { class: "muted" }, subtitle.filter(Boolean).join(panel.grid ? " " : "; ")), this.plot,
        this.told, ...(reasons.length ? [html("ol", { class: "reasons" }, ...reasons)] : []));
      const [line, column] = panel.place ?? [0, 0];
      this.element.style = `--line: ${1 + 6 * line}; --column: ${1 + column}`;
      this.plot.addEventListener("keydown", (event) => this.key(event));
      panels.push(this);
    }

    // What the legend has.
    entries() { return this.panel.series; }

    traces() {
      const { panel, state: { quantity, heat } } = this;
      const series = panel.series.filter(({ label }) => !this.hidden.has(label));
      if (panel.grid) return bankMap(panel, quantity);
      if (heat) return heatMap(panel, quantity, this.width < 480);
      if (panel.sideways || panel.stacked) {
        const bars = barsOf(panel, series, quantity);
        return [...bars, ...guides(panel, { quantity }, [{ y: panel.guides.map(({ level }) => level) }], this.width)];
      }
      const curves = series.flatMap((one) => {
        const there = READINGS.filter((reading) => shown.has(reading)
          && one.points.some((point) => value(point, quantity.name, reading) !== null));
        const own = there.map((reading) => curve(panel, one, reading, quantity, this.width > ROOMY));
        if (there.length) own.at(-1).meta.last = true;
        return there.length ? [...own, ...beside(panel, one, quantity.name)] : [];
      });
      return [...curves, ...guides(panel, this.state, curves, this.width)];
    }

    draw() {
      this.width = this.plot.clientWidth;
      const traces = this.traces();
      const place = layout(this.panel, traces, this.state, this.width);
      this.plot.style.height = `${place.height}px`;
      // Not left to plotly, which measures a while later: paper does not wait.
      Plotly.react(this.plot, traces, { ...place, width: this.width }, { displayModeBar: false });
      if (!this.drawn) this.plot.on("plotly_hover", ({ points: [point] }) => this.tell(point.customdata));
      this.drawn = true;
    }

    // It grows and never shrinks, so that what is below does not jump.
    tell(point) {
      if (!point?.title) return;
      this.told.style.minHeight = `${this.told.offsetHeight}px`;
      this.told.replaceChildren(...told(point));
    }

    // The arrow keys walk through the cases that are drawn, each in its last reading.
    key(event) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") Plotly.Fx.unhover(this.plot);
      if (!step || !this.drawn) return;
      const cases = this.plot.data.flatMap((trace, curveNumber) => {
        if (trace.z) {
          return trace.z.flatMap((row, yval) => row.flatMap((cell, xval) => cell === null ? []
            : [{ at: { xval, yval }, point: trace.customdata[yval][xval] }]));
        }
        return !trace.meta?.last ? [] : trace.customdata.flatMap((point, pointNumber) => point.x === null ? []
          : [{ at: [{ curveNumber, pointNumber }], point }]);
      });
      if (!cases.length) return;
      this.at = (this.at + step + cases.length) % cases.length;
      Plotly.Fx.hover(this.plot, cases[this.at].at, "xy");
      this.tell(cases[this.at].point);  // no event says so
      event.preventDefault();
    }
  }

  // ---- Time lines

  class TimeLine extends Panel {
    entries() { return this.panel.stages.map((stage, i) => ({ label: stage, colour: i, marker: 0 })); }
    traces() {
      const { lanes, stages, spans } = this.panel;
      return stages.flatMap((stage, i) => {
        if (this.hidden.has(stage)) return [];
        const own = spans.filter((span) => span.stage === stage);
        return { type: "bar", orientation: "h", width: .7, hoverinfo: "text",
          marker: { color: colour({ colour: i }), line: { width: .5, color: css("--paper") } },
          base: own.map(({ start }) => start), x: own.map(({ start, end }) => end - start),
          y: own.map(({ lane }) => lanes.indexOf(lane)),
          hovertext: own.map(({ start, end }) => `${plain(stage)}<br>${start.toPrecision(4)} to ${end.toPrecision(4)}`) };
      });
    }
  }

  const timeLine = (line) => ({ guides: [], ...line, sideways: true, series: [],
    quantities: [{ name: "time", label: line.label, log: false }],
    x: { scale: "category", label: "", names: line.lanes, ticks: line.lanes.map((lane, i) => [i, lane]) } });

  // ---- What all panels of a block share: menus and a legend

  function menu(label, choices, chosen, change) {
    const select = html("select", {}, ...choices.map(([name, text]) => html("option", { value: name }, text)));
    select.value = chosen;
    select.addEventListener("change", () => change(select.value));
    return html("label", {}, label + " ", select);
  }

  function menus(own) {
    const state = own[0].state, has = (panel, name) => panel.quantities.find((quantity) => quantity.name === name);
    const change = (set) => (chosen) => { own.forEach((of) => set(of, chosen)); redraw(own); };
    const scale = (label, member) => menu(label, [["linear", "linear"], ["log", "logarithmic"]],
      state[member] ? "log" : "linear", change((of, kind) => { of.state[member] = kind === "log"; }));
    const plain = own.filter(({ panel }) => !panel.sideways && !panel.stacked && !panel.grid);
    if (!plain.length) return [];
    const quantities = new Map(own.flatMap(({ panel }) => panel.quantities.map(({ name, label }) => [name, label])));
    const yScale = scale("y scale", "yLog");
    const found = [menu("y", [...quantities], state.quantity.name, change((of, name) => {
      of.state.quantity = has(of.panel, name) ?? of.state.quantity;
      of.state.yLog = of.state.quantity.log;
      yScale.lastChild.value = of.state.yLog ? "log" : "linear";
    })), yScale];
    if (own.every(({ panel }) => panel.x.scale !== "category" && panel.x.names.every(([at]) => at > 0))) {
      found.push(scale("x scale", "xLog"));
    }
    if (own.some(({ panel }) => panel.quantities.some(({ together }) => together))) {
      found.push(menu("y axes", [["own", "each its own"], ["shared", "the same"]], "own",
        change((of, choice) => { of.state.shared = choice === "shared"; })));
    }
    if (own.some(({ cells }) => cells > 3)) {
      found.push(menu("as", [["bars", "bars"], ["heat", "heat map"]], state.heat ? "heat" : "bars", change((of, kind) => {
        yScale.hidden = of.state.heat = kind === "heat";
      })));
      yScale.hidden = state.heat;
    }
    return [html("div", { class: "controls" }, ...found)];
  }

  // A line or an area as it is drawn, with its marker. Plotly's own symbols need a plot.
  const svg = (content) => {
    const sample = html("span");
    sample.innerHTML = `<svg width="30" height="14" viewBox="0 0 30 14" aria-hidden="true">${content}</svg>`;
    return sample;
  };
  const SHAPES = { circle: "M15 3a4 4 0 1 0 .01 0z", square: "M11 3h8v8h-8z", "triangle-up": "M15 2l5 9h-10z",
    diamond: "M15 2l5 5-5 5-5-5z", "triangle-down": "M15 12l5-9h-10z", cross: "M13 2h4v3h3v4h-3v3h-4v-3h-3v-4h3z",
    x: "M11 2l4 3 4-3 1 2-3 3 3 3-1 2-4-3-4 3-1-2 3-3-3-3z", star: "M15 1l2 4h4l-3 3 1 5-4-3-4 3 1-5-3-3h4z" };
  // Of bars: as PATTERNS.
  const HATCHES = ["", "M6 13l8-12M12 13l8-12M18 13l8-12", "M8 5h2M14 5h2M20 5h2M8 9h2M14 9h2M20 9h2",
    "M6 13l8-12M14 13l8-12M6 1l8 12M14 1l8 12", "M6 1l8 12M12 1l8 12M18 1l8 12", "M4 5h22M4 9h22",
    "M4 7h22M11 1v12M19 1v12", "M9 1v12M15 1v12M21 1v12"];
  function sample(series, panel) {
    const own = `var(${colourName(series)})`, fill = `fill="${own}"`;
    if (panel.sideways || panel.stacked || isBars(panel)) {
      const hatch = panel.sideways || panel.stacked ? "" : HATCHES[series.marker % HATCHES.length];
      return svg(`<rect x="4" y="1" width="22" height="12" ${fill} opacity="${series.thin ? .35 : 1}"/>
        <path d="${hatch}" stroke="var(--paper)" stroke-width="1.5"/>`);
    }
    const line = panel.scatter ? "" : `<path d="M1 7h28" stroke="${own}" stroke-width="2"/>`;
    return svg(`${line}<path d="${SHAPES[symbol(series)]}" ${fill}/>`);
  }
  const LOOKS = { measured: '<path d="M1 7h28" stroke="currentColor" stroke-width="2"/><circle cx="15" cy="7" r="3.5" fill="currentColor"/>',
    predicted: '<path d="M1 7h28" stroke="currentColor" stroke-width="2" stroke-dasharray="5 3"/><circle cx="15" cy="7" r="3.5" fill="var(--paper)" stroke="currentColor"/>',
    counted: '<path d="M10 7h10M15 2v10" stroke="currentColor" stroke-width="2"/>' };

  // Of all panels of a block: they share how their series look. It hides curves, in all of them.
  function legend(own, hidden) {
    const found = new Map(own.flatMap((of) => of.entries().map((series) => [series.label, sample(series, of.panel)])));
    if (found.size < 2 || own.every(({ panel }) => panel.matrix)) return "";
    return html("div", { class: "legend" }, ...[...found].map(([label, look]) => {
      const button = html("button", { type: "button", "aria-pressed": "true" }, look, ` ${label}`);
      button.addEventListener("click", () => {
        if (!hidden.delete(label)) hidden.add(label);
        button.setAttribute("aria-pressed", String(!hidden.has(label)));
        redraw(own);
      });
      return button;
    }));
  }

  // ---- The page

  const redraw = (some = panels) => some.filter((panel) => panel.drawn).forEach((panel) => panel.draw());
  const main = document.getElementById("figure");
  const sections = [];

  function addSection({ title, subtitle, notes = [], panels: plain, columns }, Kind) {
    const hidden = new Set(), id = `block-${sections.length + 1}`;
    const own = plain.map((panel) => new Kind(panel, hidden, title ? "h3" : "h2"));
    const choices = menus(own);
    if (!title) own[0].plot.before(...choices);
    const head = title ? [html("h2", {}, title), html("p", { class: "muted" }, subtitle), ...choices] : [];
    const element = html("section", { id }, ...head, html("div", columns ? { class: "panels beside", style: `--columns: ${columns}` } : { class: "panels" },
      ...own.map((panel) => panel.element)), legend(own, hidden),
      ...(notes.length ? [html("ul", { class: "notes" }, ...notes.map((note) => html("li", {}, note)))] : []));
    main.append(element);
    sections.push({ element, title: title || plain[0].title, note: notes[0], wide: own.length > 1 || columns || plain[0].wide });
  }

  blocks.forEach((block) => addSection(block, Panel));
  timelines.forEach((line) => addSection({ panels: [timeLine(line)] }, TimeLine));
  // Narrow ones stand two in a row; one that is left over has the row for itself.
  let waiting = null;
  for (const section of sections) {
    if (section.wide) waiting?.classList.add("wide");
    if (section.wide) section.element.classList.add("wide");
    waiting = section.wide || waiting ? null : section.element;
  }
  waiting?.classList.add("wide");

  if (sections.length > 1) {
    const contents = document.getElementById("contents");
    contents.hidden = false;
    contents.append(html("ol", {}, ...sections.map(({ element, title, note }) => html("li", {},
      html("a", { href: `#${element.id}` }, title), ...(note ? [html("br"), note] : [])))));
  }
  const there = (reading) => panels.some(({ panel }) => panel.series.some(({ points }) => points.some((point) =>
    panel.quantities.some(({ name }) => value(point, name, reading) !== null))));
  const readings = document.getElementById("readings");
  for (const reading of ["measured", "predicted", "counted"].filter(there)) {
    const box = html("input", { type: "checkbox", name: reading });
    box.checked = true;
    box.addEventListener("change", () => { shown[box.checked ? "add" : "delete"](reading); redraw(); });
    readings.append(html("label", {}, box, " ", svg(LOOKS[reading]), ` ${reading}`));
  }
  if (!panels.length) for (const element of [readings, document.querySelector(".hint")]) element.hidden = true;

  // Many panels take seconds. Most pages draw all theirs at once. Further panels are drawn when they are about to be
  // seen or when the reader does nothing: a capture of the whole page scrolls nowhere.
  const AT_ONCE = 1000;  // milliseconds
  const drawOnce = (panel) => panel.drawn || panel.draw();
  const panelOf = (plot) => panels.find((panel) => panel.plot === plot);
  const begun = performance.now();
  for (const panel of panels) if (performance.now() - begun < AT_ONCE) panel.draw();
  const seen = new IntersectionObserver((entries) => entries.filter(({ isIntersecting }) => isIntersecting)
    .forEach(({ target }) => { seen.unobserve(target); drawOnce(panelOf(target)); }), { rootMargin: "600px" });
  panels.filter(({ drawn }) => !drawn).forEach(({ plot }) => seen.observe(plot));
  const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(work, 50));
  const drawNext = () => {
    const next = panels.find(({ drawn }) => !drawn);
    next?.draw();
    if (next) whenIdle(drawNext);
  };
  whenIdle(drawNext);
  // Whatever changes the room of a plot: a window, a legend, a page that comes back from paper.
  const resized = new ResizeObserver((entries) => entries.map(({ target }) => panelOf(target))
    .filter((panel) => panel.drawn && panel.width !== panel.plot.clientWidth).forEach((panel) => panel.draw()));
  panels.forEach(({ plot }) => resized.observe(plot));
  // Paper is white, and narrower than a window. Its layout may depend on .on-paper alone: the plots are measured before
  // the browser goes over to the rules of `@media print`.
  const PAPER = "680px";
  const print = (begins) => {
    document.documentElement.classList.toggle("on-paper", begins);
    document.body.style.width = begins ? PAPER : "";
    panels.forEach((panel) => panel.draw());
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());
})();
