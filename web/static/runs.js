// The runs of a folder: a list, and the settings, results and curves of those that are chosen.
import { ask, count, h, percent, short, span } from './dom.js';
import { Chart, savePicture } from './chart.js';
import { along, AXES, has, SCALES, smooth, SMOOTHING } from './curves.js';
import { interval } from './scale.js';
import { onTheme } from './switch.js';

const EVERY = 10_000;
const MOST = 8;

// The charts: a column of the evaluations or of the iterations.
const panels = [
  { title: 'Strength', note: 'summed over the seats, against UCT', table: 'evaluations', column: 'strength/sum', width: 'strength/sum_ci95' },
  { title: 'Rating', note: 'Elo over UCT', table: 'ratings', column: 'value', low: 'low', high: 'high' },
  { title: 'Policy loss, held out', note: 'nats', column: 'held_out/policy' },
  { title: 'Value loss, held out', column: 'held_out/value' },
  { title: 'Policy loss', note: 'nats', column: 'losses/policy' },
  { title: 'Value loss', column: 'losses/value' },
  { title: 'Policy accuracy, held out', format: percent, column: 'held_out/policy_accuracy' },
  { title: 'Entropy of the policy', note: 'nats', column: 'losses/policy_entropy' },
  { title: 'Self-play', note: 'games per second', column: 'rates/games_per_second' },
  { title: 'Game length', note: 'plies', column: 'plies' },
  { title: 'Learning rate', column: 'losses/learning_rate' },
  { title: 'Gradient norm', column: 'losses/gradient_norm' },
];

const columns = [
  ['name', 'Run', 'left'], ['game', 'Game', 'left'], ['state', 'State', 'left'], ['iterations', 'Iterations'], ['games', 'Games'], ['seconds', 'Time'],
  ['loss', 'Loss'], ['strength', 'Strength'], ['rating', 'Rating'], ['updated', 'Changed', 'left'], ['notes', 'Notes', 'left'],
];
const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

class Runs {
  constructor(host) {
    Object.assign(this, { runs: [], by: 'updated', down: true, axis: 'iteration', smoothing: 0, logs: '', extra: '' });
    this.recall();
    addEventListener('hashchange', () => { this.recall(); this.version = null; this.load(); });
    this.search = h('input', { type: 'text', oninput: () => this.list(), placeholder: 'part of a name, a game, a note' });
    this.found = h('p', { class: 'quiet', role: 'status' });
    this.head = h('tr');
    this.body = h('tbody');
    this.differences = h('section', { class: 'card differences', hidden: true, 'aria-label': 'Differences' });
    const choose = (label, options, chosen) => h('label', {}, h('span', {}, label), h('select', { onchange: e => { chosen(e.target.value); this.redraw(); } }, options.map(([value, text]) => h('option', { value }, text))));
    this.other = h('select', { onchange: () => { this.extra = this.other.value; this.compare(); } }, h('option', { value: '' }, 'none'));
    this.options = h('div', { class: 'options', hidden: true },
      choose('Over', AXES, v => { this.axis = v; }), choose('Smoothing', SMOOTHING, v => { this.smoothing = Number(v); }), choose('Axes', SCALES, v => { this.logs = v; }),
      h('label', {}, h('span', {}, 'Another metric'), this.other),
      h('button', { type: 'button', class: 'linklike', onclick: () => savePicture([...this.charts.values()], 'runs.png', this.chosen.join(', ')) }, 'PNG'));
    this.grid = h('div', { class: 'charts' });
    this.charts = new Map();
    host.append(h('h1', {}, 'Runs'), h('div', { class: 'runsbar' }, h('label', {}, h('span', {}, 'Find'), this.search), this.found),
      h('div', { class: 'card runlist', tabindex: 0, role: 'region', 'aria-label': 'List of runs' }, h('table', {}, h('thead', {}, this.head), this.body)),
      this.options, this.differences, this.grid);
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.load(); });
    onTheme(() => { for (const c of this.charts.values()) c.themed(); });
  }

  async load() {
    clearTimeout(this.timer);
    const link = document.getElementById('link');
    let soon = false;
    try {
      const { folder, runs, unread } = await ask('/api/v1/runs');
      document.title = `${folder} · Tengen`;
      link.textContent = '';
      this.runs = runs;
      this.heard = new Date();
      soon = unread > 0;
      const before = this.chosen.length;
      this.chosen = this.chosen.filter(n => runs.some(r => r.name === n));
      if (this.chosen.length !== before) this.remember();
      this.list();
      const version = JSON.stringify(runs.filter(r => this.chosen.includes(r.name)).map(r => [r.name, r.updated, r.state]));
      if (version !== this.version) { this.version = version; await this.compare(); }
    } catch (e) {
      link.textContent = `not connected: ${e.message}`;
      this.found.textContent = this.heard ? `The connection is lost: this is how the runs were at ${when.format(this.heard)}.` : '';
    }
    document.getElementById('loading')?.remove();
    clearTimeout(this.timer);
    if (!document.hidden) this.timer = setTimeout(() => this.load(), soon ? 200 : EVERY);
  }

  // recall takes the choice from the address.
  recall() { this.chosen = [...new Set(location.hash.slice(1).split('&').filter(Boolean).map(n => decodeURIComponent(n)))].slice(0, MOST); }

  remember() { history.replaceState(null, '', this.chosen.length ? `#${this.chosen.map(encodeURIComponent).join('&')}` : location.pathname); }

  sort(by) {
    this.down = this.by === by ? !this.down : !['name', 'game', 'state', 'notes'].includes(by);
    this.by = by;
    this.list();
  }

  list() {
    const focused = document.activeElement?.dataset?.focus;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const order = this.down ? -1 : 1;
    const value = r => r[this.by] ?? (this.down ? -Infinity : Infinity);
    const shown = this.runs.filter(r => words.every(w => `${r.name} ${r.game} ${r.state} ${r.notes}`.toLowerCase().includes(w)))
      .sort((a, b) => order * (typeof value(a) === 'string' && typeof value(b) === 'string' ? value(a).localeCompare(value(b), undefined, { numeric: true }) : value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0));
    const unread = this.runs.filter(r => r.unread).length;
    this.found.textContent = `${shown.length} of ${this.runs.length} runs; choose up to ${MOST} to compare${unread ? `; ${unread} are still read` : ''}`;
    this.head.replaceChildren(h('th', {}, h('span', { class: 'unseen' }, 'Compare')), ...columns.map(([key, label, side]) => h('th', { scope: 'col', class: side, 'aria-sort': this.by === key ? (this.down ? 'descending' : 'ascending') : undefined },
      h('button', { type: 'button', 'data-focus': `sort ${key}`, onclick: () => this.sort(key) }, label + (this.by === key ? (this.down ? ' ↓' : ' ↑') : '')))));
    this.body.replaceChildren(...shown.map(r => {
      const chosen = this.chosen.includes(r.name);
      const cell = (text, side) => h('td', { class: side }, text ?? '');
      return h('tr', {},
        h('td', {}, h('label', {}, h('input', { type: 'checkbox', checked: chosen, disabled: !chosen && this.chosen.length >= MOST || r.unread, 'aria-label': `Compare ${r.name}`, 'data-focus': r.name, onchange: () => this.choose(r.name) }))),
        h('td', { class: 'left' }, h('a', { href: `/runs/${encodeURIComponent(r.name)}/`, 'data-focus': `open ${r.name}` }, r.name)),
        ...(r.unread ? [h('td', { class: 'left', colspan: columns.length - 1 }, 'reading …')] : [
          cell(r.game, 'left'), h('td', { class: 'left', title: r.problem }, r.problem ? `${r.state}, damaged` : r.state), cell(r.of ? `${count(r.iterations)} of ${count(r.of)}` : count(r.iterations)),
          cell(count(r.games)), cell(span(r.seconds)), cell(r.loss === null ? '' : short(r.loss)),
          cell(r.strength === null ? '' : short(r.strength) + (r.strength_ci95 === null ? '' : ` ± ${short(r.strength_ci95)}`)),
          cell(r.rating === null ? '' : count(r.rating)), cell(r.updated.startsWith('0001') ? '' : when.format(new Date(r.updated)), 'left'), h('td', { class: 'left' }, h('p', { class: 'note' }, r.notes))]));
    }));
    if (focused) document.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  }

  choose(name) {
    this.chosen = this.chosen.includes(name) ? this.chosen.filter(n => n !== name) : [...this.chosen, name];
    this.remember();
    this.list();
    this.version = null;
    this.compare();
  }

  async compare() {
    const chosen = [...this.chosen];
    this.options.hidden = this.differences.hidden = chosen.length === 0;
    if (chosen.length === 0) {
      this.data = null;
      this.clear();
      return;
    }
    const asked = [...panels.flatMap(p => p.table === 'ratings' ? [] : [p.column, p.width]).filter(Boolean), this.extra].filter(Boolean);
    try {
      const data = await ask(`/api/v1/runs/compare?${[...chosen.map(n => ['run', n]), ...asked.map(c => ['column', c])].map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join('&')}`);
      if (chosen.join() !== this.chosen.join()) return; // another choice was made meanwhile
      this.data = data;
      this.draw();
    } catch (e) {
      this.differences.replaceChildren(h('p', {}, `These runs can’t be compared: ${e.message}.`));
    }
  }

  clear() {
    for (const c of this.charts.values()) c.remove();
    this.charts.clear();
  }

  redraw() {
    this.clear();
    if (this.data) this.draw();
  }

  draw() {
    const { curves } = this.data;
    const names = [...new Set(curves.flatMap(c => c.names))].filter(n => !n.startsWith('ratings/'));
    if (names.length !== this.other.options.length - 1) {
      this.other.replaceChildren(h('option', { value: '' }, 'none'), ...names.sort().map(n => h('option', { value: n, selected: n === this.extra }, n.replaceAll('_', ' '))));
    }
    this.showDifferences();
    const wanted = new Set();
    for (const p of this.extra ? [...panels, { title: this.extra.replaceAll('_', ' '), column: this.extra }] : panels) {
      if (this.lines(p)) wanted.add(p.title);
    }
    for (const [title, chart] of this.charts) {
      if (wanted.has(title)) continue;
      chart.remove();
      this.charts.delete(title);
    }
  }

  // lines overlays one column of all chosen runs; it reports whether any of them has it.
  lines(panel) {
    const tables = [], labels = [];
    this.data.curves.forEach((c, i) => {
      const t = panel.table ? c[panel.table] : c.iterations[panel.column] ? c.iterations : c.evaluations;
      const values = t?.[panel.column];
      if (!has(t, panel.column)) return;
      const widths = panel.width && t[panel.width];
      const bound = (own, sign) => smooth(own ? t[own] : values.map((v, k) => widths && v !== null && widths[k] !== null ? v + sign * widths[k] : null), this.smoothing);
      const low = bound(panel.low, -1), high = bound(panel.high, 1);
      const x = along(c.iterations, this.axis, t.iteration);
      const y = smooth(values, this.smoothing);
      // Of points at one place the last one counts: uPlot's join wants ascending places.
      const at = new Map(x.map((v, k) => [v, k]));
      const rows = [...at.keys()].sort((a, b) => a - b).map(v => at.get(v));
      tables.push([rows.map(k => x[k]), rows.map(k => y[k]), rows.map(k => low[k]), rows.map(k => high[k])]);
      labels.push([this.chosen[i], `--seat-${i}`, !!(widths || panel.low)]);
    });
    if (tables.length === 0) return false;
    const joined = uPlot.join(tables);
    let chart = this.charts.get(panel.title);
    if (!chart) {
      chart = new Chart(this.grid, { title: panel.title, note: panel.note, format: panel.format, sync: 'runs', xName: this.axis, logs: this.logs });
      this.charts.set(panel.title, chart);
    }
    chart.set(joined[0], labels.map(([label, color, banded], i) => ({ label, color, values: joined[1 + 3 * i], ...(banded ? { low: joined[2 + 3 * i], high: joined[3 + 3 * i] } : {}) })));
    return true;
  }

  showDifferences() {
    const { runs, notes } = this.data, settings = this.data.settings ?? [];
    const row = (name, cells) => h('tr', {}, h('th', { scope: 'row' }, name), cells.map(c => h('td', {}, c ?? '–')));
    const results = [
      ['iterations', r => count(r.iterations)], ['games', r => count(r.games)], ['time', r => span(r.seconds)],
      ['strength, sum', r => r.strength && short(r.strength.sum) + (r.strength.sum_ci95 === null ? '' : ` ± ${short(r.strength.sum_ci95)}`)], ['rating', r => r.rating && count(r.rating.rating) + interval({ values: [r.rating.rating], low: [r.rating.rating_low], high: [r.rating.rating_high] }, 0, count)],
      ['loss, held out', r => r.held_out && short(r.held_out.total)], ['loss', r => r.losses && short(r.losses.total)],
    ];
    const same = this.chosen.length > 1 && settings.length === 0 ? ['Their configurations are the same.'] : [];
    this.differences.replaceChildren(h('h2', {}, this.chosen.length > 1 ? 'Differences' : 'Results'), h('table', {},
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, ''), this.chosen.map(n => h('th', { scope: 'col' }, n)))),
      h('tbody', {}, settings.map(s => row(s.key, s.values)), results.filter(([, f]) => runs.some(f)).map(([name, f]) => row(name, runs.map(f))))),
    ...[...same, ...notes].map(n => h('p', { class: 'quiet' }, n)));
  }
}

new Runs(document.getElementById('main')).load();
