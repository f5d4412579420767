// Charts: uPlot with a custom legend, a table, and the colours of the current theme.
import { color, count, h, offer, percent, short } from './dom.js';
import { among, interval, plain, ticks, wide } from './scale.js';

// WHOLE are the axes whose places are whole numbers, and come before them in words; STEPS the distances of marks.
const WHOLE = ['iteration', 'ply'];
const STEPS = Array.from({ length: 12 }, (_, k) => [1, 2, 5].map(d => d * 10 ** (k - 5))).flat();

// Chart shows series over one axis.
//   logs: 'x', 'y' or 'xy' has logarithmic axes, as far as all values are positive
//   series: [{label, color: '--seat-0', dash, values, low, high, floor, format}]
// Values are arrays as long as x; low and high, if given, bound a band, which is not drawn below floor, if given.
export class Chart {
  constructor(host, { title, note, height = 200, xName = 'iteration', sync, format = short, pick, logs = '' }) {
    Object.assign(this, { title, height, xName, sync, format, pick, logs });
    this.legend = h('div', { class: 'legend' });
    this.plot = h('div', { class: 'plot', role: 'img' });
    this.table = h('details', { class: 'table' }, h('summary', {}, 'Table', h('span', { 'aria-hidden': 'true' }, xName)), h('div', { tabindex: 0, role: 'region', 'aria-label': `${title}: table` }));
    this.table.addEventListener('toggle', () => this.tabulate());
    this.root = h('figure', { class: 'card chart' },
      h('figcaption', {}, h('h2', {}, title), note && h('p', {}, note),
        h('button', { type: 'button', class: 'linklike save', 'aria-label': `Save ${title} as PNG`, title: 'Save as PNG', onclick: () => savePicture([this], `${title}.png`, '') }, 'PNG')),
      this.legend, this.plot, this.table);
    host.append(this.root);
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(this.plot);
  }

  // remove takes the chart from the page.
  remove() {
    this.watch.disconnect();
    this.u?.destroy();
    this.root.remove();
  }

  set(x, series) {
    this.x = x;
    this.series = series;
    const shape = JSON.stringify([this.logOf('x'), this.logOf('y'), series.map(s => [s.label, s.color, s.dash, !!s.low])]);
    const data = this.data();
    if (this.u && this.shape === shape) {
      this.u.setData(data);
    } else {
      this.shape = shape;
      this.draw(data);
    }
    this.name(this.u?.cursor.idx ?? null); // a person may be pointing at it
    this.describe();
    this.tabulate();
  }

  // logOf reports whether an axis is logarithmic: it is asked for, and nothing known is 0 or less.
  logOf(axis) {
    if (!this.logs.includes(axis)) return false;
    const all = axis === 'x' ? [this.x] : this.series.flatMap(s => s.low ? [s.values, s.low] : [s.values]);
    return all.every(list => list.every(v => v === null || v === undefined || v > 0));
  }

  // data returns uPlot's input: x, then for each series its values and its band's bounds.
  data() {
    const rows = [this.x];
    for (const s of this.series) {
      rows.push(s.values);
      if (s.low) rows.push(s.high, s.floor === undefined ? s.low : s.low.map(v => v === null ? null : Math.max(v, s.floor)));
    }
    return rows;
  }

  draw(data) {
    this.u?.destroy();
    this.u = null;
    if (this.plot.clientWidth === 0) return; // drawn once it is visible
    const ink = color('--muted'), line = color('--grid'), whole = WHOLE.includes(this.xName);
    const axis = { stroke: ink, font: '11px system-ui, sans-serif', grid: { stroke: line, width: 1 }, ticks: { show: false } };
    const columns = [{}], bands = [];
    for (const s of this.series) {
      const stroke = color(s.color);
      columns.push({
        label: s.label, stroke, width: 1.75, dash: s.dash, spanGaps: true,
        points: { show: this.x.length < 60, size: 4.5, width: 0, fill: stroke },
      });
      if (s.low) {
        const at = columns.length;
        const bound = { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true };
        columns.push({ ...bound, label: `${s.label} high` }, { ...bound, label: `${s.label} low` });
        bands.push({ series: [at, at + 1], fill: `color-mix(in srgb, ${stroke} 16%, transparent)` });
      }
    }
    const options = {
      width: this.plot.clientWidth, height: this.height, series: columns, bands, legend: { show: false },
      scales: {
        x: this.logOf('x') ? { time: false, distr: 3, range: (u, a, b) => a === b ? [a / 2, b * 2] : [a, b] } : { time: false, range: (u, a, b) => a === b ? among(a) : [a, b] },
        y: this.logOf('y') ? { distr: 3 } : { range: (u, a, b) => a === b || a === null ? wide(a) : uPlot.rangeNum(a, b, 0.1, true) },
      },
      padding: [8, 18, 0, 0],
      axes: [
        { ...axis, size: 26, gap: 4, space: 56, ...(this.logOf('x') ? { values: (u, list) => list.map(v => v === null ? null : plain(v)) } : { incrs: STEPS.filter(s => s >= 1 || !whole), values: (u, list, at, space, step) => ticks(list, step) }) },
        { ...axis, size: (u, list) => Math.max(46, 14 + 6.6 * Math.max(0, ...(list ?? []).map(v => v?.length ?? 0))), gap: 6, space: 34, values: this.logOf('y') ? (u, list) => list.map(v => v === null ? null : this.format(v)) : (u, list, at, space, step) => ticks(list, step, this.format === percent) },
      ],
      cursor: { sync: this.sync ? { key: this.sync } : undefined, drag: { x: !this.pick, y: false }, y: false, points: { size: 7 } },
      hooks: { setCursor: [u => this.name(u.cursor.idx)], draw: [u => this.mark(u)] },
    };
    this.u = new uPlot(options, data, this.plot);
    if (this.pick) {
      this.u.over.addEventListener('click', e => {
        const at = this.u.posToIdx(e.clientX - this.u.over.getBoundingClientRect().left);
        if (this.x[at] !== undefined) this.pick(this.x[at]);
      });
    }
  }

  // at marks a value on the x axis.
  at(x) {
    this.marked = x;
    this.u?.redraw(false, false);
    this.name(null);
  }

  // mark draws what the lines do not: the interval of a single point, and a place that is marked.
  mark(u) {
    for (const s of this.series) {
      const known = s.low ? this.x.map((x, i) => i).filter(i => (s.values[i] ?? null) !== null) : [];
      if (known.length === 1) this.whisker(u, s, known[0]);
    }
    if (this.marked === undefined) return;
    const x = Math.round(u.valToPos(this.marked, 'x', true));
    u.ctx.save();
    u.ctx.strokeStyle = color('--accent');
    u.ctx.lineWidth = 2 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  // whisker draws an interval as a line; one without a bound goes to the edge.
  whisker(u, s, i) {
    const x = Math.round(u.valToPos(this.x[i], 'x', true)), low = s.low[i] ?? null, high = s.high[i] ?? null;
    if (low === null && high === null) return;
    u.ctx.save();
    u.ctx.strokeStyle = color(s.color);
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, low === null ? u.bbox.top + u.bbox.height : u.valToPos(low, 'y', true));
    u.ctx.lineTo(x, high === null ? u.bbox.top : u.valToPos(high, 'y', true));
    u.ctx.stroke();
    u.ctx.restore();
  }

  // name fills the legend with the place of a row and its values, or with the last ones.
  name(row) {
    if (!this.series) return;
    const here = this.marked === undefined ? this.x.length - 1 : Math.max(0, this.x.findLastIndex(x => x <= this.marked));
    const at = row ?? here;
    const chips = this.series.map(s => {
      let i = at;
      if (row === null || row === undefined) while (i > 0 && (s.values[i] === null || s.values[i] === undefined)) i--;
      const value = s.values[i];
      const known = value !== null && value !== undefined && !Number.isNaN(value);
      const text = known ? this.format(value) + interval(s, i, this.format) : '–';
      return h('span', { class: 'chip' }, swatch(s), h('span', {}, s.label), h('b', {}, text));
    });
    this.legend.replaceChildren(h('span', { class: 'chip at' }, this.place(this.x[at])), ...chips);
  }

  // place says where a value of x is: "iteration 17", "1.25 hours".
  place(x) { return x === undefined ? '' : WHOLE.includes(this.xName) ? `${this.xName} ${count(x)}` : `${Number.isInteger(x) ? count(x) : short(x)} ${this.xName}`; }

  describe() {
    const last = this.series.map(s => {
      const known = s.values.filter(v => v !== null && v !== undefined);
      return known.length ? `${s.label} ${this.format(known.at(-1))}` : '';
    }).filter(Boolean).join(', ');
    this.plot.setAttribute('aria-label', `${this.title} over ${this.x.length} points; last: ${last || 'nothing'}. The table below has all values.`);
  }

  // tabulate fills the table, if it is open.
  tabulate() {
    if (!this.table.open || !this.series) return;
    const rows = this.x.map((x, i) => h('tr', {}, h('th', { scope: 'row' }, Number.isInteger(x) ? count(x) : short(x)), this.series.map(s => {
      const v = s.values[i];
      return h('td', {}, v === null || v === undefined ? '' : this.format(v) + interval(s, i, this.format));
    })));
    this.table.lastElementChild.replaceChildren(h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, this.xName), this.series.map(s => h('th', { scope: 'col' }, s.label)))),
      h('tbody', {}, rows.reverse())));
  }

  resize() {
    const width = this.plot.clientWidth;
    if (width === 0 || !this.series) return;
    if (!this.u) this.draw(this.data());
    else if (this.u.width !== width) this.u.setSize({ width, height: this.height });
  }

  themed() {
    if (!this.series) return;
    this.draw(this.data());
    this.name(null);
  }
}

// swatch returns a sample of a series' line.
function swatch(s) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 18 8');
  svg.setAttribute('class', 'swatch');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'M1 4H17');
  path.setAttribute('stroke', color(s.color));
  path.setAttribute('stroke-width', '2.4');
  path.setAttribute('stroke-linecap', 'round');
  if (s.dash) path.setAttribute('stroke-dasharray', '4 4');
  svg.append(path);
  return svg;
}

// savePicture offers charts as one PNG, two in a row, with their titles and legends in words, in the colours of the theme.
export function savePicture(charts, name, heading) {
  charts = charts.filter(c => c.u);
  if (charts.length === 0) return;
  const scale = devicePixelRatio, gap = 16 * scale, head = 40 * scale, top = heading ? 34 * scale : 0;
  const columns = charts.length > 1 ? 2 : 1;
  const width = Math.max(...charts.map(c => c.u.ctx.canvas.width)), height = Math.max(...charts.map(c => c.u.ctx.canvas.height)) + head;
  const canvas = h('canvas', { width: columns * (width + gap) + gap, height: top + Math.ceil(charts.length / columns) * (height + gap) + gap });
  const g = canvas.getContext('2d');
  const text = (words, x, y, size, ink, bold) => {
    g.font = `${bold ? 600 : 400} ${size * scale}px system-ui, sans-serif`;
    g.fillStyle = color(ink);
    g.fillText(words, x, y);
    return g.measureText(words).width;
  };
  g.fillStyle = color('--card');
  g.fillRect(0, 0, canvas.width, canvas.height);
  if (heading) text(heading, gap, gap + 12 * scale, 17, '--ink', true);
  charts.forEach((c, i) => {
    const x = gap + i % columns * (width + gap), y = top + gap + Math.floor(i / columns) * (height + gap);
    text(c.title, x, y + 12 * scale, 14, '--ink', true);
    let at = x;
    for (const s of c.series) at += text('— ', at, y + 30 * scale, 12, s.color, true) + text(s.label, at + 18 * scale, y + 30 * scale, 12, '--soft') + 22 * scale;
    g.drawImage(c.u.ctx.canvas, x, y + head);
  });
  canvas.toBlob(blob => offer(blob, name), 'image/png');
}
