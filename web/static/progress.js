// The curves of a run.
import { ask, base, count, h, percent, seatColors, short } from './dom.js';
import { along, AXES, has, SCALES, smooth, SMOOTHING } from './curves.js';
import { Chart, savePicture } from './chart.js';
import { Cluster } from './cluster.js';

const HELD_OUT = [5, 4];

// The charts: columns of the run's history by name.
const panels = [
  { title: 'Policy loss', note: 'nats', lines: [['training', 'losses/policy', '--line-0'], ['held-out games', 'held_out/policy', '--line-1', HELD_OUT]] },
  { title: 'Value loss', lines: [['training', 'losses/value', '--line-0'], ['held-out games', 'held_out/value', '--line-1', HELD_OUT], ['target’s entropy', 'losses/value_target_entropy', '--line-2']] },
  { title: 'Labels of cells', note: 'nats per cell', lines: [['training', 'losses/cells', '--line-0'], ['held-out games', 'held_out/cells', '--line-1', HELD_OUT]] },
  { title: 'Labels of seats', note: 'squared error', lines: [['training', 'losses/seats', '--line-0'], ['held-out games', 'held_out/seats', '--line-1', HELD_OUT]] },
  { title: 'Belief', note: 'loss over the hidden facts of a position, nats; dashed: by counting', lines: [['training', 'losses/belief', '--line-0'], ['held-out games', 'held_out/belief', '--line-1', HELD_OUT], ['by counting', 'held_out/belief_prior', '--line-2', HELD_OUT]] },
  { title: 'Policy accuracy', note: 'how often the network’s first choice is the search’s', format: percent, lines: [['training', 'losses/policy_accuracy', '--line-0'], ['held-out games', 'held_out/policy_accuracy', '--line-1', HELD_OUT]] },
  { title: 'Entropy', note: 'nats', lines: [['network', 'losses/policy_entropy', '--line-0'], ['search', 'losses/target_entropy', '--line-2']] },
  { title: 'Self-play', note: 'games per second', lines: [['games/s', 'rates/games_per_second', '--line-0']] },
  { title: 'Game length', note: 'plies', lines: [['mean', 'plies', '--line-0']] },
  { title: 'Resignations', note: 'share of games, and the utility below which players resign', lines: [['games', 'resignation/share', '--line-0'], ['threshold', 'resignation/threshold', '--line-2']] },
  { title: 'Learning rate', lines: [['learning rate', 'losses/learning_rate', '--line-0']] },
  { title: 'Gradient norm', lines: [['training', 'losses/gradient_norm', '--line-0']] },
  { title: 'Search trees', note: 'states per game', lines: [['states', 'states', '--line-0']] },
  { title: 'Resolved searches', format: percent, lines: [['share', 'resolved', '--line-0']] },
];

// Counters, and columns that are shown elsewhere.
const passed = new Set(['iteration', 'games', 'steps', 'evaluations', 'elapsed_seconds', 'held_out/learning_rate', 'held_out/gradient_norm']);

export class Progress {
  constructor(host, run) {
    this.run = run;
    this.tiles = h('dl', { class: 'tiles' });
    this.grid = h('div', { class: 'charts' });
    this.more = h('details', { class: 'more', hidden: true }, h('summary', {}, 'All other metrics'), h('div', { class: 'charts' }));
    this.more.addEventListener('toggle', () => { if (this.more.open) this.rest(); });
    this.empty = h('p', { class: 'notice', hidden: true }, 'The curves begin after the first iteration.');
    this.axis = 'iteration';
    this.smoothing = 0;
    this.logs = '';
    const choose = (label, options, chosen) => h('label', {}, h('span', {}, label), h('select', { onchange: e => { chosen(e.target.value); this.again(); } },
      options.map(([value, text]) => h('option', { value }, text))));
    this.options = h('div', { class: 'options', hidden: true },
      choose('Over', AXES, v => { this.axis = v; }),
      choose('Smoothing', SMOOTHING, v => { this.smoothing = Number(v); }),
      choose('Axes', SCALES, v => { this.logs = v; }),
      h('a', { href: `${base}/api/v1/history.csv`, download: `${run.name}.csv` }, 'CSV'),
      h('button', { type: 'button', class: 'linklike', onclick: () => savePicture([...this.charts.values()], `${run.name}.png`, run.name) }, 'PNG'),
      h('a', { href: `${base}/api/v1/config` }, 'Configuration'));
    host.append(this.tiles, this.options, this.empty);
    this.cluster = new Cluster(host);
    host.append(this.grid, this.more);
    this.charts = new Map();
    this.version = null;
  }

  enter() { this.visible = true; this.load(); this.cluster.enter(); }

  leave() { this.visible = false; this.cluster.leave(); }

  status(s) {
    this.now = s;
    if (this.data) this.showTiles();
    if (this.visible && s.version !== this.version && !this.loading) this.load();
  }

  themed() { for (const c of this.charts.values()) c.themed(); }

  async load() {
    this.loading = true;
    try {
      this.data = await ask('/api/v1/history');
      this.version = this.data.version;
      this.show();
    } catch (e) {
      this.empty.hidden = false;
      this.empty.textContent = `The curves can’t be loaded: ${e.message}.`;
    } finally {
      // Limits how often a run with short iterations redraws the page.
      setTimeout(() => {
        this.loading = false;
        if (this.visible && this.now && this.now.version !== this.version) this.load();
      }, 2000);
    }
  }

  // again draws all charts anew, after another axis was chosen.
  again() {
    for (const c of this.charts.values()) c.remove();
    this.charts.clear();
    if (this.data) this.show();
  }

  show() {
    const { iterations, evaluations } = this.data;
    this.options.hidden = !iterations.iteration;
    this.empty.hidden = !!iterations.iteration || !!evaluations.iteration;
    this.showTiles();
    this.showStrength();
    for (const p of panels) {
      this.lines(this.grid, p, iterations.iteration, p.lines.filter(l => has(iterations, l[1])).map(([label, name, color, dash]) => ({ label, color, dash, values: iterations[name] })));
    }
    const scores = this.seats('scores', iterations);
    this.lines(this.grid, { title: 'Scores in self-play', note: 'mean by seat' }, iterations.iteration, scores);
    if (has(iterations, 'cache_hits')) {
      this.lines(this.grid, { title: 'Cache hits', note: 'share of positions found in the cache', format: percent }, iterations.iteration,
        [{ label: 'hits', color: '--line-0', values: iterations.cache_hits }]);
    }
    this.more.hidden = this.others().length === 0;
    if (this.more.open) this.rest();
    if (this.data.version && !performance.getEntriesByName('drawn').length) performance.mark('drawn'); // for measurements
  }

  // lines shows a chart, unless it would be empty.
  lines(host, { title, note, format }, x, series) {
    series = series.filter(s => s.values?.some(v => v !== null));
    if (!x || series.length === 0) return;
    let chart = this.charts.get(title);
    if (!chart) {
      chart = new Chart(host, { title, note, format, sync: 'iterations', xName: this.axis, logs: this.logs });
      this.charts.set(title, chart);
    }
    const smoothed = column => column && smooth(column, this.smoothing);
    chart.set(along(this.data.iterations, this.axis, x), series.map(s => ({ ...s, values: smoothed(s.values), low: smoothed(s.low), high: smoothed(s.high) })));
  }

  seats(name, table) {
    const colors = seatColors(this.run.tokens);
    return this.run.seats.map((label, i) => ({ label, color: colors[i], values: table[`${name}/${label}`] }));
  }

  showStrength() {
    const e = this.data.evaluations;
    if (e.iteration) {
      const series = this.seats('strength/points', e).filter(s => s.values);
      const positive = !series.some(s => s.values.some(v => v < 0)); // chips are lost, points are not
      series.forEach(s => {
        const width = e[`strength/ci95/${s.label}`];
        if (width) {
          if (positive) s.floor = 0;
          s.low = s.values.map((v, k) => v === null || width[k] === null ? null : v - width[k]);
          s.high = s.values.map((v, k) => v === null || width[k] === null ? null : v + width[k]);
        }
      });
      // UCT itself in the same seat, with UCT in the others.
      for (const s of this.seats('strength/baseline', e)) if (s.values) series.push({ ...s, label: `UCT as ${s.label}`, dash: HELD_OUT });
      this.lines(this.grid, { title: 'Strength by seat', note: `${this.run.unit} against UCT in the other seats, with 95 % bands` }, e.iteration, series);
      this.charts.get('Strength by seat')?.root.classList.add('wide');
    }
    const r = this.data.ratings;
    this.lines(this.grid, { title: 'Rating', note: 'Elo over UCT, with 95 % band' }, r.iteration,
      [{ label: 'rating', color: '--line-0', values: r.value, low: r.low, high: r.high }]);
  }

  // others returns the columns that no chart shows.
  others() {
    const shown = new Set(panels.flatMap(p => p.lines.map(l => l[1])));
    return Object.keys(this.data.iterations).filter(n => !shown.has(n) && !passed.has(n) && !n.startsWith('scores/') && n !== 'cache_hits' && has(this.data.iterations, n));
  }

  // rest draws the others, with training and held-out games in one chart.
  rest() {
    const { iterations } = this.data;
    const host = this.more.lastElementChild;
    const groups = new Map();
    for (const name of this.others()) {
      const [, held, key] = name.match(/^(?:losses|rates|(held_out))\/(.*)$/) ?? [null, false, name];
      const title = words(key);
      if (!groups.has(title)) groups.set(title, []);
      groups.get(title).push(held ? { label: 'held-out games', color: '--line-1', dash: HELD_OUT, values: iterations[name] } : { label: 'training', color: '--line-0', values: iterations[name] });
    }
    for (const [title, series] of groups) {
      if (series.length === 1) series[0].label = 'value';
      this.lines(host, { title }, iterations.iteration, series);
    }
  }

  showTiles() {
    const { iterations, evaluations, ratings } = this.data;
    const tiles = [];
    const last = column => column?.findLast(v => v !== null);
    const add = (name, value, note) => { if (value !== undefined) tiles.push(h('div', {}, h('dt', {}, name), h('dd', {}, value, note && h('small', {}, note)))); };
    const sum = last(evaluations['strength/sum']), width = last(evaluations['strength/sum_ci95']);
    if (sum !== undefined) {
      const alone = this.run.seats.map(seat => last(evaluations[`strength/baseline/${seat}`]));
      const base = alone.includes(undefined) ? undefined : alone.reduce((t, x) => t + x, 0);
      add(`${this.run.unit === 'points' ? 'Points' : 'Results'} against UCT`, short(sum), [width !== undefined && `± ${short(width)}`, base !== undefined && `UCT itself ${short(base)}`].filter(Boolean).join('; '));
    }
    const rated = ratings.value?.findLastIndex(v => v !== null) ?? -1;
    if (rated >= 0) {
      const rating = ratings.value[rated], bound = (v, none) => v === null ? none : short(v);
      add('Rating', `${rating > 0 ? '+' : ''}${short(rating)}`, `Elo, ${bound(ratings.low[rated], '−∞')} to ${bound(ratings.high[rated], '∞')}`);
    }
    const accuracy = [['held_out', 'on held-out games'], ['losses', 'in training']].find(([group]) => has(iterations, `${group}/policy_accuracy`));
    if (accuracy) add('Policy accuracy', percent(last(iterations[`${accuracy[0]}/policy_accuracy`])), accuracy[1]);
    const loss = last(iterations['losses/total']);
    add('Loss', loss && short(loss), iterations['held_out/total'] && last(iterations['held_out/total']) !== undefined ? `held out ${short(last(iterations['held_out/total']))}` : undefined);
    const rate = this.now?.games_per_second || last(iterations['rates/games_per_second']);
    if (rate) add('Games per second', short(rate), this.now?.evaluations_per_second ? `${count(this.now.evaluations_per_second)} evaluations per second` : 'in self-play');
    const plies = last(iterations.plies);
    add('Replay window', iterations.window_games && count(last(iterations.window_games)), `games, ${count(last(iterations.window_positions) ?? 0)} positions`);
    const reuse = last(iterations.reuse); // of cycles in which games are played while the network learns
    if (reuse !== undefined) {
      const lag = last(iterations.lag_steps) ?? 0, games = last(iterations.selfplay_wait_seconds) ?? 0, training = last(iterations.play_seconds) ?? 0;
      add('Samples per position', short(reuse), `networks ${count(lag)} steps old; training waited ${short(training)} s, self-play ${short(games)} s`);
    }
    if (tiles.length < 5 && plies) add('Plies per game', short(plies));
    this.tiles.replaceChildren(...tiles);
  }
}

// words turns a column's name into a title.
function words(name) {
  const text = name.replaceAll('_', ' ').replaceAll('/', ', ');
  return text[0].toUpperCase() + text.slice(1);
}
