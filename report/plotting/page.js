"use strict";
// Draws the figure in #data. Texts of reports only ever become text nodes and attributes, never markup.
(() => {
  const { blocks, looks, disturbed } = JSON.parse(document.getElementById("data").textContent);
  const READINGS = ["predicted", "measured", "counted"];  // in the order drawn
  const DASHES = { measured: "", predicted: "5 3", counted: "" };
  const WIDTH = 680, HEIGHT = 400, LEFT = 66, RIGHT = 14, TOP = 26, BOTTOM = 50, NEAR = 40;
  const tooltip = document.getElementById("tooltip");
  const shown = new Set(READINGS);
  const redraws = [];

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

  const SHAPES = { s: "-1 -1,1 -1,1 1,-1 1", "^": "0 -1.2,1.1 1,-1.1 1", v: "0 1.2,1.1 -1,-1.1 -1",
    D: "0 -1.4,1.4 0,0 1.4,-1.4 0", x: "-1 -1,1 1,0 0,-1 1,1 -1,0 0", "+": "-1.4 0,1.4 0,0 0,0 -1.4,0 1.4,0 0",
    P: "-.4 -1.2,.4 -1.2,.4 -.4,1.2 -.4,1.2 .4,.4 .4,.4 1.2,-.4 1.2,-.4 .4,-1.2 .4,-1.2 -.4,-.4 -.4",
    X: "0 -.5,.7 -1.2,1.2 -.7,.5 0,1.2 .7,.7 1.2,0 .5,-.7 1.2,-1.2 .7,-.5 0,-1.2 -.7,-.7 -1.2" };

  function marker(kind, x, y, r, attributes) {
    if (!SHAPES[kind]) return svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r, ...attributes });
    return svg("polygon", { points: SHAPES[kind], transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${r})`,
      "vector-effect": "non-scaling-stroke", ...attributes });
  }

  // ---- Scales

  function scale(kind, low, high, from, to) {
    const at = kind === "log" ? Math.log2 : (value) => value;
    const back = kind === "log" ? (value) => 2 ** value : (value) => value;
    const span = at(high) - at(low) || 1;
    const place = (value) => from + (at(value) - at(low)) / span * (to - from);
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

  class Panel {
    constructor(panel, hidden) {
      Object.assign(this, { panel, hidden, quantity: panel.quantities[0], zoom: null, targets: [], focused: -1 });
      this.category = panel.x.scale === "category";
      this.xLog = panel.x.scale.startsWith("log");
      this.yLog = this.quantity.log;
      this.svg = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", id: panel.name, tabindex: 0,
        role: "img" });
      this.element = html("figure", { class: "panel" }, html("h2", {}, panel.title),
        html("p", { class: "muted" }, panel.subtitle), this.controls(), this.svg,
        ...panel.notes.map((note) => html("p", { class: "note" }, note)));
      this.listen();
      redraws.push(() => this.draw());
    }

    // Draws anew, and all of it, after a choice of the reader.
    chosen(change) { change(); this.zoom = null; this.draw(); }

    menu(label, choices, value, change) {
      const select = html("select", {}, ...choices.map(([name, text]) => html("option", { value: name }, text)));
      select.value = value;
      select.addEventListener("change", () => this.chosen(() => change(select.value)));
      return html("label", {}, label + " ", select);
    }

    scaleMenu(label, member) {
      return this.menu(label, [["linear", "linear"], ["log", "logarithmic"]], this[member] ? "log" : "linear",
        (value) => { this[member] = value === "log"; });
    }

    controls() {
      const quantities = this.panel.quantities.map(({ name, label }) => [name, label]);
      const yScale = this.scaleMenu("y scale", "yLog");
      const found = [this.menu("y", quantities, this.quantity.name, (name) => {
        this.quantity = this.panel.quantities.find((quantity) => quantity.name === name);
        this.yLog = this.quantity.log;
        yScale.querySelector("select").value = this.yLog ? "log" : "linear";
      }), yScale];
      if (!this.category && this.panel.x.names.every(([at]) => at > 0)) found.push(this.scaleMenu("x scale", "xLog"));
      this.reset = html("button", { type: "button" }, "see all");
      this.reset.addEventListener("click", () => this.chosen(() => {}));
      return html("div", { class: "controls" }, ...found, this.reset);
    }

    series() { return this.panel.series.filter((series) => !this.hidden.has(series.label)); }

    value(point, reading) {
      const value = point.readings?.[this.quantity.name]?.[reading] ?? null;
      return this.yLog && value <= 0 ? null : value;
    }

    inside(x) { return !this.zoom || (x >= this.zoom.x[0] && x <= this.zoom.x[1]); }

    scales() {
      const xs = this.panel.x.names.map(([at]) => at);
      let [low, high] = [Math.min(...xs), Math.max(...xs)];
      if (this.category) [low, high] = [low - .6, high + .6];
      else if (this.xLog) [low, high] = [low / 1.2, high * 1.2];
      else [low, high] = [low - ((high - low) * .03 || 1), high + ((high - low) * .03 || 1)];
      const readings = [...shown, ...(shown.has("measured") ? ["ci95_high"] : [])];
      const known = this.series().flatMap((series) => series.points.filter((point) => this.inside(point.x)))
        .flatMap((point) => readings.map((reading) => this.value(point, reading))).filter((value) => value !== null);
      let top = Math.max(...known), bottom = Math.min(...known);
      if (!known.length) [bottom, top] = [this.yLog ? .1 : 0, 1];
      for (const { level } of this.guides().filter((guide) => guide.level > bottom / 4 && guide.level < 4 * top)) {
        [bottom, top] = [Math.min(bottom, level), Math.max(top, level)];
      }
      const y = this.yLog ? [bottom / 1.25, top * 1.3] : [Math.min(0, bottom * 1.1), top > 0 ? top * 1.1 : 1];
      const [xDomain, yDomain] = this.zoom ? [this.zoom.x, this.zoom.y] : [[low, high], y];
      this.x = scale(this.xLog ? "log" : "linear", ...xDomain, LEFT, WIDTH - RIGHT);
      this.y = scale(this.yLog ? "log" : "linear", ...yDomain, HEIGHT - BOTTOM, TOP);
    }

    guides() { return this.panel.guides.filter(({ quantity }) => !quantity || quantity === this.quantity.name); }

    xTicks() {
      const [low, high] = this.x.domain;
      const every = this.zoom ? this.panel.x.names : this.panel.x.ticks;
      let found = every.filter(([at]) => at >= low && at <= high);
      if (this.panel.scatter && this.zoom) found = steps(low, high, 6).map((at) => [at, words(at)]);
      const room = (WIDTH - LEFT - RIGHT) / Math.max(28, 9 + 7 * Math.max(0, ...found.map(([, text]) => text.length)));
      const every_nth = Math.ceil(found.length / room);
      return this.category ? found : found.filter((_, i) => i % every_nth === 0);
    }

    axes() {
      const axes = svg("g", { class: "axes" });
      for (const [at, text] of this.xTicks()) {
        const x = this.x(at).toFixed(1);
        if (!this.category) axes.append(svg("path", { class: "grid", d: `M${x} ${TOP}V${HEIGHT - BOTTOM}` }));
        axes.append(svg("text", { x, y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, text));
      }
      for (const at of this.yLog ? powers(...this.y.domain) : steps(...this.y.domain, 6)) {
        const y = this.y(at);
        axes.append(svg("path", { class: "grid", d: `M${LEFT} ${y.toFixed(1)}H${WIDTH - RIGHT}` }),
          svg("text", { x: LEFT - 8, y: (y + 4).toFixed(1), "text-anchor": "end" }, words(at)));
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
        if (this.yLog && level <= 0) return;
        const ends = x === undefined ? this.x.domain.map((at) => [at, level]) : this.y.domain.map((at) => [x, at]);
        const line = (points || ends).map(([at, value]) => `${this.x(at).toFixed(1)} ${this.y(value).toFixed(1)}`);
        area.append(svg("path", { class: "guide", d: `M${line.join("L")}` }));
        const [left, top, anchor] = level === undefined ? [LEFT + 10, TOP + 16 + 18 * i, "start"]
          : [WIDTH - RIGHT - 4, this.y(level) - 5, "end"];
        if (top > TOP - 8 && top < HEIGHT - BOTTOM) {
          labels.append(svg("text", { class: "guide-label", x: left, y: top.toFixed(1), "text-anchor": anchor },
            label));
        }
      });
    }

    curve(series, reading) {
      const group = svg("g", { id: `${series.name}.${reading}`, class: "series" });
      const found = series.points.map((point) => [point, this.value(point, reading)]);
      if (found.every(([, value]) => value === null)) return group;
      const stroke = colour(series);
      if (!this.panel.scatter && reading !== "counted") {
        const path = found.map(([point, value], i) => value === null ? ""
          : `${i && found[i - 1][1] !== null ? "L" : "M"}${this.x(point.x).toFixed(1)} ${this.y(value).toFixed(1)}`);
        group.append(svg("path", { d: path.join(""), fill: "none", stroke,
          "stroke-width": reading === "measured" ? 2 : 1.3, "stroke-dasharray": DASHES[reading] }));
      }
      const kind = reading === "counted" ? "+" : looks.markers[series.marker % looks.markers.length];
      const size = { measured: 3.2, predicted: 4.8, counted: 5 }[reading];
      for (const [point, value] of found.filter(([, known]) => known !== null)) {
        const [x, y] = [this.x(point.x), this.y(value)];
        group.append(marker(kind, x, y, size, { stroke, fill: reading === "measured" ? stroke : "#fff",
          "fill-opacity": reading === "counted" ? 0 : 1, class: "case", "data-x": point.x }));
        if (reading === "measured" && point.flags.some((flag) => disturbed.includes(flag))) {
          group.append(marker("x", x, y, 6, { stroke: looks.ink, "stroke-width": 2, class: "flagged" }));
        }
        this.target(series, point, x, y);
      }
      return group;
    }

    interval(series) {
      const ends = ["ci95_low", "ci95_high"];
      const found = series.points.map((point) => [point.x, ...ends.map((end) => this.value(point, end))]);
      const path = found.filter((one) => !one.includes(null)).map(([x, low, high]) =>
        `M${this.x(x).toFixed(1)} ${this.y(low).toFixed(1)}V${this.y(high).toFixed(1)}`);
      return svg("g", { id: `${series.name}.interval`, stroke: colour(series), "stroke-width": 6, opacity: .3 },
        svg("path", { d: path.join("") }));
    }

    bars(series, i, of) {
      const width = .8 / of;
      const groups = [];
      for (const reading of ["measured", "predicted", "counted"].filter((one) => shown.has(one))) {
        const group = svg("g", { id: `${series.name}.${reading}`, class: "series" });
        groups.push(group);
        for (const point of series.points) {
          const value = this.value(point, reading);
          if (value === null) continue;
          const middle = point.x + (i - (of - 1) / 2) * width;
          const [left, right, y] = [this.x(middle - width * .45), this.x(middle + width * .45), this.y(value)];
          const alone = !shown.has("measured") || this.value(point, "measured") === null;
          if (reading === "measured" || alone) {
            group.append(svg("rect", { x: left.toFixed(1), y: y.toFixed(1), width: (right - left).toFixed(1),
              height: Math.max(0, HEIGHT - BOTTOM - y).toFixed(1), fill: colour(series),
              "fill-opacity": alone ? .25 : 1, class: "case", "data-x": point.x }));
          }
          if (reading !== "measured") {
            group.append(svg("path", { d: `M${left.toFixed(1)} ${y.toFixed(1)}H${right.toFixed(1)}`, stroke: looks.ink,
              "stroke-width": 2, "stroke-dasharray": DASHES[reading] }));
          }
          this.target(series, point, (left + right) / 2, y);
        }
      }
      return groups;
    }

    target(series, point, x, y) {
      if (x >= LEFT - 1 && x <= WIDTH - RIGHT + 1 && y >= TOP - 9 && y <= HEIGHT - BOTTOM + 1) {
        this.targets.push({ series, point, x, y });
      }
    }

    draw() {
      this.hide();
      this.targets = [];
      this.scales();
      const clip = `${this.panel.name}.clip`;
      const area = svg("g", { "clip-path": `url(#${clip})` });
      const labels = svg("g");
      this.drawGuides(area, labels);
      const series = this.series();
      if (this.category) series.forEach((one, i) => area.append(...this.bars(one, i, series.length)));
      else {
        for (const one of series) {
          if (shown.has("measured")) area.append(this.interval(one));
          for (const reading of READINGS.filter((name) => shown.has(name))) area.append(this.curve(one, reading));
        }
      }
      this.overlay = svg("g");
      this.svg.replaceChildren(svg("clipPath", { id: clip }, svg("rect", { x: LEFT, y: TOP - 10,
        width: WIDTH - LEFT - RIGHT, height: HEIGHT - BOTTOM - TOP + 10 })), this.axes(), area, labels, this.overlay);
      this.svg.setAttribute("aria-label", `${this.panel.title}: ${this.quantity.label} against ${this.panel.x.label}`);
      this.reset.hidden = !this.zoom;
      this.targets.sort((a, b) => a.x - b.x || a.y - b.y);
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
      this.overlay.replaceChildren(svg("circle", { class: "focus", cx: x.toFixed(1), cy: y.toFixed(1), r: 8 }));
      const box = this.svg.getBoundingClientRect();
      tell(point, box.left + x / WIDTH * box.width, box.top + y / HEIGHT * box.height);
    }

    hide() {
      this.focused = -1;
      if (this.overlay) this.overlay.replaceChildren();
      tooltip.hidden = true;
    }

    drag([x, y]) {
      const [x0, y0] = this.from;
      this.overlay.replaceChildren(svg("rect", { class: "zoom", x: Math.min(x, x0), y: Math.min(y, y0),
        width: Math.abs(x - x0), height: Math.abs(y - y0) }));
    }

    drop([x, y]) {
      const [x0, y0] = this.from;
      this.from = null;
      if (Math.abs(x - x0) < 8 || Math.abs(y - y0) < 8) return;
      const [left, right] = [Math.min(x, x0), Math.max(x, x0)].map((at) => this.x.invert(Math.max(at, LEFT)));
      const [low, high] = [Math.max(y, y0), Math.min(y, y0)].map((at) => this.y.invert(Math.min(at, HEIGHT - BOTTOM)));
      this.zoom = { x: [left, right], y: [low, high] };
      this.draw();
    }

    listen() {
      this.svg.addEventListener("pointerdown", (event) => {
        if (event.button !== 0 || event.pointerType === "touch") return;
        this.from = this.at(event);
        this.svg.setPointerCapture(event.pointerId);
      });
      this.svg.addEventListener("pointermove", (event) => {
        if (this.from) { this.hide(); this.drag(this.at(event)); return; }
        const found = this.nearest(this.at(event));
        if (found < 0) this.hide(); else this.focus(found);
      });
      this.svg.addEventListener("pointerup", (event) => {
        if (!this.from) return;
        this.overlay.replaceChildren();
        this.drop(this.at(event));
      });
      this.svg.addEventListener("pointerleave", () => { if (!this.from) this.hide(); });
      this.svg.addEventListener("blur", () => this.hide());
      this.svg.addEventListener("dblclick", () => this.chosen(() => {}));
      this.svg.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === "Escape") this.hide();
        if (!step || !this.targets.length) return;
        event.preventDefault();
        const count = this.targets.length;
        this.focus(this.focused < 0 ? (step > 0 ? 0 : count - 1) : (this.focused + step + count) % count);
      });
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

  function legend(block, hidden, redraw) {
    const labels = new Map(block.flatMap((panel) => panel.series.map((series) => [series.label, series])));
    return html("ul", { class: "legend" }, ...[...labels.values()].map((series) => {
      const kind = looks.markers[series.marker % looks.markers.length];
      const picture = svg("svg", { width: 26, height: 14 },
        svg("path", { d: "M0 7H26", stroke: colour(series), "stroke-width": 2 }),
        marker(kind, 13, 7, 4.5, { fill: colour(series) }));
      const button = html("button", { type: "button", "aria-pressed": "true" }, picture, series.label);
      button.addEventListener("click", () => {
        if (!hidden.delete(series.label)) hidden.add(series.label);
        button.setAttribute("aria-pressed", String(!hidden.has(series.label)));
        redraw();
      });
      return html("li", {}, button);
    }));
  }

  function readings() {
    const all = blocks.flat().flatMap((panel) => panel.series.flatMap((series) => series.points));
    const there = (name) => all.some((point) => Object.values(point.readings || {}).some((reading) => name in reading));
    for (const name of READINGS.filter(there)) {
      const box = html("input", { type: "checkbox", name });
      box.checked = true;
      box.addEventListener("change", () => {
        if (box.checked) shown.add(name); else shown.delete(name);
        redraws.forEach((redraw) => redraw());
      });
      document.getElementById("readings").append(html("label", {}, box, ` ${name}`));
    }
  }

  readings();
  for (const block of blocks) {
    const hidden = new Set();
    const panels = block.map((panel) => new Panel(panel, hidden));
    document.getElementById("figure").append(html("section", { class: block.length > 1 ? "wide" : "" },
      legend(block, hidden, () => panels.forEach((panel) => panel.draw())),
      html("div", { class: "panels" }, ...panels.map((panel) => panel.element))));
  }
  redraws.forEach((redraw) => redraw());
})();
