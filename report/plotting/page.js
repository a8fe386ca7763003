"use strict";
// Draws the figure in #data. Texts of reports only ever become text nodes and attributes, never markup.
(() => {
  const { blocks, looks, disturbed } = JSON.parse(document.getElementById("data").textContent);
  const READINGS = ["predicted", "measured", "counted"];  // in the order drawn
  const DASHES = { measured: "", predicted: "5 3", counted: "" };
  const WIDTH = 680, HEIGHT = 400, LEFT = 66, RIGHT = 14, TOP = 26, BOTTOM = 50, NEAR = 40;
  const tooltip = document.getElementById("tooltip");
  const shown = new Set(READINGS);
  const panels = [];
  const redraw = () => panels.forEach((panel) => panel.draw());

  // ---- Elements

  const SVG = "http://www.w3.org/2000/svg";
  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const colour = (series) => looks.colours[series.colour % looks.colours.length];
  const shape = (series) => looks.markers[series.marker % looks.markers.length];

  const SHAPES = { "*": "0 -1.4,.3 -.4,1.3 -.4,.5 .2,.8 1.1,0 .5,-.8 1.1,-.5 .2,-1.3 -.4,-.3 -.4",
    s: "-1 -1,1 -1,1 1,-1 1", "^": "0 -1.2,1.1 1,-1.1 1", v: "0 1.2,1.1 -1,-1.1 -1",
    D: "0 -1.4,1.4 0,0 1.4,-1.4 0", x: "-1 -1,1 1,0 0,-1 1,1 -1,0 0", "+": "-1.4 0,1.4 0,0 0,0 -1.4,0 1.4,0 0",
    P: "-.4 -1.2,.4 -1.2,.4 -.4,1.2 -.4,1.2 .4,.4 .4,.4 1.2,-.4 1.2,-.4 .4,-1.2 .4,-1.2 -.4,-.4 -.4",
    X: "0 -.5,.7 -1.2,1.2 -.7,.5 0,1.2 .7,.7 1.2,0 .5,-.7 1.2,-1.2 .7,-.5 0,-1.2 -.7,-.7 -1.2" };

  function marker(kind, x, y, r, attributes) {
    if (!SHAPES[kind]) return svg("circle", { cx: x, cy: y, r, ...attributes });
    return svg("polygon", { points: SHAPES[kind], transform: `translate(${x} ${y}) scale(${r})`,
      "vector-effect": "non-scaling-stroke", ...attributes });
  }

  // As model.radius() has it.
  const radius = (share) => Math.max(2.4, 20 * Math.sqrt(Math.max(0, Math.min(1, share))));

  // ---- Scales

  function scale(kind, low, high, from, to) {
    const [at, back] = kind === "log" ? [Math.log2, (value) => 2 ** value] : [Number, Number];
    const span = at(high) - at(low) || 1;
    const place = (value) => Math.round(10 * (from + (at(value) - at(low)) / span * (to - from))) / 10;
    place.invert = (pixel) => back(at(low) + (pixel - from) / (to - from) * span);
    place.domain = [low, high];
    return place;
  }

  function steps(low, high, most) {
    const raw = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) found.push(i * step);
    return found;
  }

  function powers(low, high) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; ++power) {
      for (const factor of high / low > 1000 ? [1] : [1, 2, 5]) found.push(factor * 10 ** power);
    }
    const inside = found.filter((value) => value >= low * .999 && value <= high * 1.001);
    return inside.length > 1 ? inside : steps(low, high, 5);
  }

  const words = (value) => String(+value.toPrecision(4));

  // ---- One panel

  const subtitle = ({ subtitle: said, area, reach }) => [said, area && `area: ${area}`, reach && `line up: ${reach}`]
    .filter(Boolean).join("; ");

  class Panel {
    constructor(panel, hidden) {
      Object.assign(this, { panel, hidden, quantity: panel.quantities[0], overlay: svg("g"), zoom: null });
      this.category = panel.x.scale === "category";
      this.xScale = panel.x.scale.startsWith("log") ? "log" : "linear";
      this.yScale = this.quantity.log ? "log" : "linear";
      this.svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", id: panel.name, tabindex: 0,
        role: "img" });
      this.element = html("figure", { class: "panel" }, html("h2", {}, panel.title),
        html("p", { class: "muted" }, subtitle(panel)), this.controls(), this.svg,
        ...panel.notes.map((note) => html("p", { class: "note" }, note)));
      this.listen();
      panels.push(this);
    }

    seeAll() { this.zoom = null; this.draw(); }

    menu(label, choices, value, change) {
      const select = html("select", {}, ...choices.map(([name, text]) => html("option", { value: name }, text)));
      select.value = value;
      select.addEventListener("change", () => { change(select.value); this.seeAll(); });
      return html("label", {}, label + " ", select);
    }

    controls() {
      const kinds = [["linear", "linear"], ["log", "logarithmic"]];
      const scaleMenu = (label, member) => this.menu(label, kinds, this[member], (kind) => { this[member] = kind; });
      const quantities = this.panel.quantities.map(({ name, label }) => [name, label]);
      const yScale = scaleMenu("y scale", "yScale");
      const found = [this.menu("y", quantities, this.quantity.name, (name) => {
        this.quantity = this.panel.quantities.find((quantity) => quantity.name === name);
        this.yScale = yScale.lastChild.value = this.quantity.log ? "log" : "linear";
      }), yScale];
      if (!this.category && this.panel.x.names.every(([at]) => at > 0)) found.push(scaleMenu("x scale", "xScale"));
      this.reset = html("button", { type: "button" }, "see all");
      this.reset.addEventListener("click", () => this.seeAll());
      return html("div", { class: "controls" }, ...found, this.reset);
    }

    series() { return this.panel.series.filter((series) => !this.hidden.has(series.label)); }

    value(point, reading) {
      const value = point.readings?.[this.quantity.name]?.[reading] ?? null;
      return this.yScale === "log" && value <= 0 ? null : value;
    }

    reach(point) { return point.reach?.[this.quantity.name] ?? null; }

    // Of the reading that is drawn last.
    last(point) {
      return READINGS.map((reading) => this.value(point, reading)).filter((known) => known !== null).pop() ?? null;
    }

    scales() {
      const lines = this.guides().flatMap(({ points }) => points || []);
      const xs = [...this.panel.x.names, ...lines].map(([at]) => at);
      const [low, high] = [Math.min(...xs), Math.max(...xs)];
      const margin = this.category ? .6 : (high - low) * .03 || 1;
      const x = this.xScale === "log" ? [low / 1.2, high * 1.2] : [low - margin, high + margin];
      const readings = [...shown, ...(shown.has("measured") ? ["ci95_high"] : [])];
      const known = this.series().flatMap((series) => series.points)
        .flatMap((point) => [...readings.map((reading) => this.value(point, reading)), this.reach(point)])
        .filter((value) => value !== null);
      const log = this.yScale === "log";
      let [bottom, top] = known.length ? [Math.min(...known), Math.max(...known)] : [log ? .1 : 0, 1];
      const near = ({ level, points }) => level && points || level > bottom / 4 && level < 4 * top;
      for (const { level } of this.guides().filter(near)) {
        [bottom, top] = [Math.min(bottom, level), Math.max(top, level)];
      }
      const y = log ? [bottom / 1.25, top * 1.3] : [Math.min(0, bottom * 1.1), top > 0 ? top * 1.1 : 1];
      this.x = scale(this.xScale, ...(this.zoom ? this.zoom.x : x), LEFT, WIDTH - RIGHT);
      this.y = scale(this.yScale, ...(this.zoom ? this.zoom.y : y), HEIGHT - BOTTOM, TOP);
    }

    guides() { return this.panel.guides.filter(({ quantity }) => !quantity || quantity === this.quantity.name); }

    xTicks() {
      const [low, high] = this.x.domain;
      const every = this.zoom ? this.panel.x.names : this.panel.x.ticks;
      const found = this.panel.scatter && this.zoom ? steps(low, high, 6).map((at) => [at, words(at)])
        : every.filter(([at]) => at >= low && at <= high);
      const room = (WIDTH - LEFT - RIGHT) / Math.max(28, 9 + 7 * Math.max(0, ...found.map(([, text]) => text.length)));
      const every_nth = Math.ceil(found.length / room);
      return this.category ? found : found.filter((_, i) => i % every_nth === 0);
    }

    axes() {
      const axes = svg("g", { class: "axes" });
      for (const [at, text] of this.xTicks()) {
        const x = this.x(at);
        if (!this.category) axes.append(svg("path", { class: "grid", d: `M${x} ${TOP}V${HEIGHT - BOTTOM}` }));
        axes.append(svg("text", { x, y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, text));
      }
      for (const at of this.yScale === "log" ? powers(...this.y.domain) : steps(...this.y.domain, 6)) {
        const y = this.y(at);
        axes.append(svg("path", { class: "grid", d: `M${LEFT} ${y}H${WIDTH - RIGHT}` }),
          svg("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, words(at)));
      }
      const middle = (TOP + HEIGHT - BOTTOM) / 2;
      axes.append(svg("path", { class: "frame", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }),
        svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 10, "text-anchor": "middle" }, this.panel.x.label),
        svg("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` },
          this.quantity.label));
      return axes;
    }

    drawGuides(area, labels) {
      this.guides().forEach(({ label, level, points, x }, i) => {
        if (this.yScale === "log" && level <= 0) return;
        const ends = x === undefined ? this.x.domain.map((at) => [at, level]) : this.y.domain.map((at) => [x, at]);
        const line = (points || ends).map(([at, value]) => `${this.x(at)} ${this.y(value)}`);
        area.append(svg("path", { class: "guide", d: `M${line.join("L")}` }));
        const [left, top, anchor] = level === undefined || points ? [LEFT + 10, TOP + 16 + 18 * i, "start"]
          : [WIDTH - RIGHT - 4, this.y(level) - 5, "end"];
        if (top > TOP - 8 && top < HEIGHT - BOTTOM) {
          labels.append(svg("text", { class: "guide-label", x: left, y: top, "text-anchor": anchor }, label));
        }
      });
    }

    curve(group, series, reading) {
      const found = series.points.map((point) => [point, this.value(point, reading)]);
      const stroke = colour(series);
      if (!this.panel.scatter && reading !== "counted") {
        const path = found.map(([point, value], i) => value === null ? ""
          : `${i && found[i - 1][1] !== null ? "L" : "M"}${this.x(point.x)} ${this.y(value)}`);
        group.append(svg("path", { d: path.join(""), fill: "none", stroke,
          "stroke-width": series.thin ? .8 : reading === "measured" ? 2 : 1.3, "stroke-dasharray": DASHES[reading] }));
      }
      for (const [point, value] of found.filter(([, known]) => known !== null)) {
        const [x, y] = [this.x(point.x), this.y(value)];
        const size = point.share === undefined ? { measured: 3.2, predicted: 4.8, counted: 5 }[reading]
          : radius(point.share) * (shape(series) === "o" ? 1 : .89);  // a square of the same area
        const top = this.reach(point);
        if (top !== null) {
          group.append(svg("path", { d: `M${x} ${y}V${this.y(top)}`, stroke, "stroke-width": 1.4, class: "reach" }));
        }
        group.append(marker(reading === "counted" ? "+" : shape(series), x, y, size, { stroke,
          fill: reading === "measured" ? stroke : "#fff", "fill-opacity": reading === "counted" ? 0 : 1, class: "case",
          "data-x": point.x }));
        if (reading === "measured" && point.flags.some((flag) => disturbed.includes(flag))) {
          group.append(marker("x", x, y, 6, { stroke: looks.ink, "stroke-width": 2, class: "flagged" }));
        }
        this.targets.push({ point, x, y });
      }
    }

    drawLabels(group, series) {
      for (const point of series.points.filter(({ label }) => label)) {
        const value = this.last(point);
        if (value === null) continue;
        const past = point.share === undefined ? 0 : radius(point.share) - 3;
        const [dx, dy, anchor] = { right: [7 + past, 4, "start"], left: [-7 - past, 4, "end"],
          above: [0, -8 - past, "middle"], below: [0, 16 + past, "middle"] }[point.label_side];
        group.append(svg("text", { class: "case-label", x: this.x(point.x) + dx, y: this.y(value) + dy,
          color: colour(series), "text-anchor": anchor }, point.label));
      }
    }

    interval(series) {
      const ends = ["ci95_low", "ci95_high"];
      const found = series.points.map((point) => [point.x, ...ends.map((end) => this.value(point, end))]);
      const path = found.filter((one) => !one.includes(null))
        .map(([x, low, high]) => `M${this.x(x)} ${this.y(low)}V${this.y(high)}`);
      return svg("g", { id: `${series.name}.interval`, stroke: colour(series), "stroke-width": 6, opacity: .3 },
        svg("path", { d: path.join("") }));
    }

    bars(group, series, reading, i, of) {
      const width = .8 / of;
      for (const point of series.points) {
        const value = this.value(point, reading);
        if (value === null) continue;
        const middle = point.x + (i - (of - 1) / 2) * width;
        const [left, right, y] = [this.x(middle - width * .45), this.x(middle + width * .45), this.y(value)];
        const alone = !shown.has("measured") || this.value(point, "measured") === null;
        if (reading === "measured" || alone) {
          group.append(svg("rect", { x: left, y, width: right - left, height: Math.max(0, HEIGHT - BOTTOM - y),
            fill: colour(series), "fill-opacity": alone ? .25 : 1, class: "case", "data-x": point.x }));
        }
        if (reading !== "measured") {
          group.append(svg("path", { d: `M${left} ${y}H${right}`, stroke: looks.ink, "stroke-width": 2,
            "stroke-dasharray": DASHES[reading] }));
        }
        this.targets.push({ point, x: (left + right) / 2, y });
      }
    }

    drawSeries(area, series, i, of) {
      if (!this.category && shown.has("measured")) area.append(this.interval(series));
      const readings = this.category ? ["measured", "predicted", "counted"] : READINGS;
      for (const reading of readings.filter((name) => shown.has(name))) {
        const group = svg("g", { id: `${series.name}.${reading}`, class: "series" });
        area.append(group);
        if (this.category) this.bars(group, series, reading, i, of); else this.curve(group, series, reading);
      }
    }

    draw() {
      this.hide();
      this.targets = [];
      this.scales();
      const frame = { x: LEFT, y: TOP - 10, width: WIDTH - LEFT - RIGHT, height: HEIGHT - BOTTOM - TOP + 10 };
      const area = svg("svg", { ...frame, viewBox: Object.values(frame) });  // what is outside is not seen
      const labels = svg("g");
      this.drawGuides(area, labels);
      this.series().forEach((one, i, all) => this.drawSeries(area, one, i, all.length));
      this.series().forEach((one) => this.drawLabels(labels, one));
      this.svg.replaceChildren(this.axes(), area, labels, this.overlay);
      this.svg.setAttribute("aria-label", `${this.panel.title}: ${this.quantity.label} against ${this.panel.x.label}`);
      this.reset.hidden = !this.zoom;
      this.targets = this.targets.filter(({ x, y }) => x >= LEFT - 1 && x <= WIDTH - RIGHT + 1 && y >= TOP - 9
        && y <= HEIGHT - BOTTOM + 1).sort((a, b) => a.x - b.x || a.y - b.y);
    }

    // ---- What a pointer and keys do

    at(event) {
      const box = this.svg.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width * WIDTH, (event.clientY - box.top) / box.height * HEIGHT];
    }

    nearest([x, y]) {
      let best = -1, least = NEAR;
      this.targets.forEach((target, i) => {
        const far = Math.hypot(target.x - x, this.category && y > target.y ? 0 : target.y - y);
        if (far < least) [best, least] = [i, far];
      });
      return best;
    }

    focus(i) {
      this.focused = i;
      const { point, x, y } = this.targets[i];
      this.overlay.replaceChildren(svg("circle", { class: "focus", cx: x, cy: y, r: 8 }));
      const box = this.svg.getBoundingClientRect();
      tell(point, box.left + x / WIDTH * box.width, box.top + y / HEIGHT * box.height);
    }

    hide() {
      this.focused = -1;
      this.overlay.replaceChildren();
      tooltip.hidden = true;
    }

    // The rectangle from where a drag began to where it is.
    dragged(event) {
      const [[x0, y0], [x, y]] = [this.from, this.at(event)];
      return { x: Math.min(x, x0), y: Math.min(y, y0), width: Math.abs(x - x0), height: Math.abs(y - y0) };
    }

    drop({ x, y, width, height }) {
      this.from = null;
      this.overlay.replaceChildren();
      if (width < 8 || height < 8) return;
      this.zoom = { x: [x, x + width].map((at) => this.x.invert(Math.max(at, LEFT))),
        y: [y + height, y].map((at) => this.y.invert(Math.min(at, HEIGHT - BOTTOM))) };
      this.draw();
    }

    listen() {
      const on = (name, heard) => this.svg.addEventListener(name, heard);
      on("pointerdown", (event) => {
        if (event.button !== 0 || event.pointerType === "touch") return;
        this.from = this.at(event);
        this.svg.setPointerCapture(event.pointerId);
      });
      on("pointermove", (event) => {
        const found = this.from ? -1 : this.nearest(this.at(event));
        if (found < 0) this.hide(); else this.focus(found);
        if (this.from) this.overlay.append(svg("rect", { class: "zoom", ...this.dragged(event) }));
      });
      on("pointerup", (event) => { if (this.from) this.drop(this.dragged(event)); });
      on("pointerleave", () => { if (!this.from) this.hide(); });
      on("blur", () => this.hide());
      on("dblclick", () => this.seeAll());
      on("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === "Escape") this.hide();
        const count = this.targets.length;
        if (!step || !count) return;
        event.preventDefault();
        this.focus(this.focused < 0 ? (step > 0 ? 0 : count - 1) : (this.focused + step + count) % count);
      });
    }
  }

  // ---- Bars from left to right, of cases with long names and a sentence

  class Bars {
    constructor(panel, hidden) {
      Object.assign(this, { panel, hidden, list: html("ul", { class: "bars", id: panel.name }) });
      this.element = html("figure", { class: "panel" }, html("h2", {}, panel.title),
        html("p", { class: "muted" }, subtitle(panel)), this.list, html("p", { class: "muted" },
          panel.quantities[0].label));
      panels.push(this);
    }

    value(point) { return Object.values(point.readings[this.panel.quantities[0].name])[0]; }

    row(place, name, series, most) {
      const found = series.flatMap((one) => one.points.filter(({ x }) => x === place).map((point) => [one, point]));
      const bars = found.map(([one, point]) => {
        const bar = html("span", { class: "case", id: `${one.name}.${place + 1}` });
        Object.assign(bar.style, { width: `${100 * this.value(point) / most}%`, background: colour(one),
          opacity: one.thin ? .3 : 1 });
        bar.addEventListener("pointermove", (event) => tell(point, event.clientX, event.clientY));
        bar.addEventListener("pointerleave", () => { tooltip.hidden = true; });
        return bar;
      });
      const numbers = found.map(([, point]) => words(this.value(point))).reverse().join(" of ");
      const labels = found.map(([, { label }]) => label).filter(Boolean);
      return html("li", {}, html("strong", {}, name), ` ${numbers}`, html("div", {}, ...bars),
        ...labels.map((label) => html("p", { class: "muted" }, label)));
    }

    draw() {
      const series = this.panel.series.filter(({ label }) => !this.hidden.has(label));
      const most = Math.max(...series.flatMap(({ points }) => points).map((point) => this.value(point)));
      this.list.replaceChildren(...this.panel.x.names.map(([place, name]) => this.row(place, name, series, most)));
    }
  }

  // ---- All readings of one case

  function tell(point, x, y) {
    const row = (tag, cells) => html("tr", {}, ...cells.map((cell) => html(tag, {}, cell)));
    const head = html("thead", {}, row("th", ["", "predicted", "counted", "measured"]));
    const table = html("table", {}, head, html("tbody", {}, ...point.rows.map((cells) =>
      row("td", cells.map((cell, i) => cell || (i && "–"))))));
    tooltip.replaceChildren(html("h3", {}, point.title), table);
    if (point.flags.length) tooltip.append(html("p", { class: "flags" }, `flags: ${point.flags.join(", ")}`));
    if (point.why) tooltip.append(html("p", { class: "why" }, point.why));
    for (const note of point.notes) tooltip.append(html("p", { class: "muted" }, note));
    tooltip.hidden = false;
    const box = tooltip.getBoundingClientRect();
    const left = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
    const top = y + 16 + box.height > innerHeight ? y - 16 - box.height : y + 16;
    tooltip.style.left = `${Math.max(4, Math.min(left, innerWidth - box.width - 4))}px`;
    tooltip.style.top = `${Math.max(4, top)}px`;
  }

  // ---- The page

  function legend(block, hidden) {
    const labels = new Map(block.flatMap((panel) => panel.series.map((series) => [series.label, series])));
    return html("ul", { class: "legend" }, ...[...labels.values()].map((series) => {
      const picture = svg("svg", { width: 26, height: 14 },
        svg("path", { d: "M0 7H26", stroke: colour(series), "stroke-width": series.thin ? .8 : 2 }),
        marker(shape(series), 13, 7, 4.5, { fill: colour(series) }));
      const button = html("button", { type: "button", "aria-pressed": true }, picture, series.label);
      button.addEventListener("click", () => {
        if (!hidden.delete(series.label)) hidden.add(series.label);
        button.setAttribute("aria-pressed", !hidden.has(series.label));
        redraw();
      });
      return html("li", {}, button);
    }));
  }

  function readings() {
    const all = blocks.flat().flatMap((panel) => panel.series.flatMap((series) => series.points));
    const there = (name) => all.some((point) => Object.values(point.readings || {}).some((reading) => name in reading));
    return READINGS.filter(there).map((name) => {
      const box = html("input", { type: "checkbox", name, checked: "" });
      box.addEventListener("change", () => {
        if (box.checked) shown.add(name); else shown.delete(name);
        redraw();
      });
      return html("label", {}, box, ` ${name}`);
    });
  }

  document.getElementById("readings").append(...readings());
  document.getElementById("figure").append(...blocks.map((block) => {
    const hidden = new Set();
    return html("section", { class: block.length > 1 ? "wide" : "" }, legend(block, hidden),
      html("div", { class: "panels" }, ...block.map((panel) =>
        new (panel.sideways ? Bars : Panel)(panel, hidden).element)));
  }));
  redraw();
})();
