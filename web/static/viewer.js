// The viewer of one game: the board with a slider, the analysis of each move, and each
// player's expected result over the game. It shows recorded games and the one in progress.
import { h, icon, say, seatColors, short } from './dom.js';
import { Board, Words, token } from './board.js';
import { Chart } from './chart.js';

const MOST_EVENTS = 10; // described at a time
const OVERLAYS = [['none', 'Nothing'], ['visits', 'Visits'], ['prior', 'Prior'], ['value', 'Value']];

export class Viewer {
  // analysis(ply) asks the network about a position; play(action) chooses a move;
  // turned(ply) is called when another position is shown.
  constructor(host, { analysis, play, turned, curveHost }) {
    Object.assign(this, { analysis, playing: play, turned });
    this.ply = 0;
    this.overlay = 'visits';
    this.analyses = new Map(); // ply to the network's analysis
    this.seatsLine = h('div', { class: 'players' });
    this.picture = h('div', { class: 'picture' });
    this.slider = h('input', { type: 'range', min: 0, max: 0, value: 0, step: 1, 'aria-label': 'Ply', oninput: () => this.turn(Number(this.slider.value)) });
    this.counter = h('output', { class: 'counter' });
    const button = (sign, name, to) => h('button', { type: 'button', class: 'icon', 'aria-label': name, title: name, onclick: () => this.turn(to()) }, icon(sign));
    this.controls = h('div', { class: 'controls' },
      button('M6 5v14M18 6l-8 6 8 6z', 'First position', () => 0), button('M15 6l-7 6 7 6z', 'One move back', () => this.ply - 1),
      this.slider,
      button('M9 6l7 6-7 6z', 'One move on', () => this.ply + 1), button('M18 5v14M6 6l8 6-8 6z', 'Last position', () => Infinity), this.counter);
    this.others = h('div', { class: 'others' });
    this.seatChoice = h('select', { 'aria-label': 'Seat whose value is shown', onchange: () => this.paint() });
    // Buttons, which leave the arrow keys to the game.
    this.overlays = OVERLAYS.map(([value, name]) => h('button', { type: 'button', value, onclick: () => this.choose(value) }, name));
    this.choice = h('div', { class: 'overlays', role: 'group', 'aria-label': 'What the board shows for each move' }, this.overlays, this.seatChoice);
    this.choose(this.overlay);
    this.event = h('p', { class: 'event' });
    this.note = h('p', { class: 'note', role: 'status' });
    this.words = h('details', { class: 'inwords' }, h('summary', {}, 'The position in words'), h('p'));
    this.about = h('div', { class: 'about' });
    this.boardCard = h('div', { class: 'card boardcard' }, this.seatsLine, this.picture, this.controls, this.event, this.others, this.choice, this.note, this.words);
    this.side = h('div', { class: 'card side' }, this.about);
    host.append(this.boardCard, this.side);
    this.curve = new Chart(curveHost ?? host, {
      title: 'Expected result by player', note: 'by the searches before each move; click to go there', height: 170, xName: 'ply', pick: x => this.turn(x),
    });
    this.curve.root.classList.add('curve');
  }

  // choose has the board show one of OVERLAYS.
  choose(value) {
    this.overlay = value;
    for (const b of this.overlays) b.setAttribute('aria-pressed', b.value === value);
    this.paint();
  }

  // set shows a whole record.
  set(record, ply) {
    this.record = { ...record, moves: [], frames: [] };
    this.analyses.clear();
    this.colors = seatColors(record.layout.seats);
    this.shapes = [];
    this.drawn = record.layout.width > 0;
    this.board = this.drawn ? new Board(this.picture, record.layout, this.playing && (a => this.playing(a))) : new Words(this.picture);
    this.seatChoice.replaceChildren(h('option', { value: 'mover' }, 'of the player to move'), ...record.seats.map((s, i) => h('option', { value: i }, `of ${s.name}`)));
    this.add(record, ply);
  }

  // add extends the record shown; positions from record.from on are replaced.
  add(record, ply) {
    const r = this.record;
    const whole = !!record.layout;
    r.frames.length = whole ? 0 : record.from + 1;
    this.shapes.length = Math.min(this.shapes.length, r.frames.length);
    r.moves.length = whole ? 0 : record.from;
    for (const ply of this.analyses.keys()) if (ply > record.from || whole) this.analyses.delete(ply);
    r.frames.push(...record.frames);
    r.moves.push(...record.moves);
    Object.assign(r, { names: { ...r.names, ...record.names }, scores: record.scores, returns: record.returns, seats: record.seats });
    this.slider.max = r.moves.length;
    this.drawCurve();
    this.turn(ply ?? r.moves.length, true);
  }

  // at returns the board's shapes at a ply: those of the ply before with the changes.
  at(ply) {
    for (let k = this.shapes.length; k <= ply; k++) {
      const shapes = new Map(k > 0 ? this.shapes[k - 1] : []);
      const f = this.record.frames[k];
      for (const key of f.drop ?? []) shapes.delete(key);
      for (const x of f.set ?? []) shapes.set(x.key, x);
      this.shapes.push(shapes);
    }
    return this.shapes[ply];
  }

  get last() { return this.record.moves.length; }

  turn(ply, quiet) {
    if (!this.record) return;
    this.ply = Math.max(0, Math.min(ply, this.last));
    this.slider.value = this.ply;
    this.slider.setAttribute('aria-valuetext', this.sentence());
    this.counter.textContent = `${this.ply} / ${this.last}`;
    if (this.drawn) this.board.show(this.at(this.ply), this.ply > 0 ? this.at(this.ply - 1) : undefined);
    else this.board.showText(this.record.frames[this.ply].text);
    this.event.replaceChildren(...this.events().map(text => h('span', {}, text)));
    this.curve.at(this.ply);
    this.paint();
    if (!quiet) say(this.sentence());
    this.turned?.(this.ply);
  }

  // sentence describes the last move and says whose turn it is.
  sentence() {
    const r = this.record, move = r.moves[this.ply - 1], mover = r.frames[this.ply].mover;
    const words = move ? `Ply ${this.ply}: ${this.events().join('') || `${this.did(move)}.`}` : 'The initial position.';
    if (mover === -1) return `${words} The game is over. ${this.result()}`;
    return `${words} ${this.who(mover)} to move.`;
  }

  // did describes a move.
  did(move) { return move.told ?? `${this.who(move.mover)} ${move.mover < 0 ? 'brings' : 'plays'} ${move.name}`; }

  // events describes the moves that led to the position shown, in games whose boards do not
  // show them: those of the others since the current player's last one, or else the last.
  events() {
    const r = this.record, mover = r.frames[this.ply].mover, told = [];
    for (let k = this.ply - 1; k >= 0 && r.moves[k].told; k--) {
      if (told.length && (mover < 0 || r.moves[k].mover === mover)) break;
      told.unshift(r.moves[k].told);
      if (r.moves[k].mover === mover) break;
      if (told.length === MOST_EVENTS && k > 0) {
        told.unshift('…');
        break;
      }
    }
    return told.map((text, i) => text === '…' ? '… ' : `${text}${i < told.length - 1 ? '. ' : '.'}`);
  }

  who(seat) { return seat === -2 ? 'chance' : this.record.seats[seat]?.name ?? 'nobody'; }

  result() {
    const r = this.record;
    if (!r.returns) return '';
    const best = Math.max(...r.returns);
    const first = r.seats.filter((s, i) => r.returns[i] === best).map(s => s.name);
    const scores = r.seats.map((s, i) => `${s.name} ${short0(r.scores[i])}`).join(', ');
    if (first.length === r.seats.length) return `Draw: ${scores}.`;
    return `${first.join(' and ')} ${first.length > 1 ? 'share first place' : 'wins'}: ${scores}.`;
  }

  // whose returns the seat whose value is shown.
  whose() {
    const chosen = this.seatChoice.value;
    return chosen === 'mover' || chosen === '' ? Math.max(0, this.record.frames[this.ply].mover) : Number(chosen);
  }

  // considered returns the search's and the network's analysis of the actions at the ply shown.
  considered() {
    const move = this.hidden ? null : this.record.moves[this.ply];
    const opinion = this.hidden ? null : this.analyses.get(this.ply);
    const rows = new Map();
    const row = a => rows.get(a) ?? rows.set(a, { action: a, name: move?.names?.[a] ?? this.record.names[a] ?? String(a) }).get(a);
    const visits = move?.visits?.reduce((t, v) => t + v, 0) ?? 0;
    move?.acted?.forEach((a, i) => Object.assign(row(a), { visits: move.visits[i], share: visits ? move.visits[i] / visits : 0, target: move.policy?.[i], value: move.q?.[i] }));
    for (const m of opinion?.moves ?? []) {
      const r = row(m.action);
      r.name = m.name;
      r.prior = m.prior ?? undefined;
      r.value ??= m.value ?? undefined;
    }
    return { rows: [...rows.values()], move, opinion, visits };
  }

  // paint shows the analysis at the ply shown, on the board and beside it.
  paint() {
    if (!this.record) return;
    const known = this.considered();
    this.fetch(known);
    this.paintBoard(known);
    this.paintPlayers();
    this.paintSide(known);
    this.choice.hidden = this.hidden;
    this.seatChoice.hidden = this.overlay !== 'value';
    if (this.drawn) {
      const p = this.words.lastElementChild;
      p.textContent = this.board.words();
    }
    this.words.hidden = !this.drawn;
  }

  // fetch asks the network for its analysis if it is shown, once the slider rests.
  fetch(known) {
    clearTimeout(this.asking);
    const wants = this.overlay === 'prior' || this.overlay === 'value' || !known.move?.acted;
    const mover = this.record.frames[this.ply].mover;
    if (this.overlay === 'visits' && mover >= 0 && !known.visits && !this.hidden) this.tell(`No visits are recorded here.${known.opinion?.moves.some(m => m.prior !== null) ? ' “Prior” shows the network’s policy.' : ''}`);
    else this.tell(this.failed && wants && !this.hidden && mover >= 0 && !known.opinion ? this.failed : '', true);
    if (this.hidden || !this.analysis || mover < 0 || known.opinion || !wants || this.deaf) return;
    if (this.overlay === 'value' && known.move?.q && known.rows.length) return;
    const ply = this.ply, record = this.record;
    this.asking = setTimeout(async () => {
      try {
        const opinion = await this.analysis(ply);
        if (this.record !== record || opinion === null) return;
        this.failed = '';
        this.analyses.set(ply, opinion);
      } catch (e) {
        this.failed = `The network’s analysis is missing: ${e.message}.`;
        if (this.record === record && this.ply === ply) this.tell(this.failed, true);
        return;
      }
      if (this.ply === ply) this.paint();
    }, 120);
  }

  // tell shows a message below the board; bad marks it as an error.
  tell(text, bad) {
    this.note.textContent = text ?? '';
    this.note.className = bad ? 'note bad' : 'note';
  }

  paintBoard({ rows, move }) {
    if (!this.drawn) return;
    const seat = this.whose();
    let values = rows.map(r => r.value?.[seat]).filter(v => v !== undefined);
    const low = Math.min(...values), high = Math.max(...values);
    const marks = rows.map(r => {
      const t = { action: r.action, chosen: false };
      switch (this.overlay) {
        case 'visits':
          if (r.share >= 0.01) Object.assign(t, { text: `${Math.round(100 * r.share)}`, share: r.share });
          break;
        case 'prior':
          if (r.prior >= 0.01) Object.assign(t, { text: `${Math.round(100 * r.prior)}`, share: r.prior });
          break;
        case 'value': {
          const v = r.value?.[seat];
          if (v !== undefined) Object.assign(t, { text: short1(v * this.record.scale, this.record.scale), share: high > low ? (v - low) / (high - low) : 0.5 });
        }
      }
      return t;
    });
    if (move && this.overlay !== 'none') {
      const own = marks.find(m => m.action === move.action);
      if (own) own.chosen = true;
      else marks.push({ action: move.action, chosen: true });
    }
    const shown = this.hidden ? [] : marks;
    if (this.advised !== undefined && this.ply === this.last) shown.push({ action: this.advised, chosen: true });
    this.board.mark(shown, this.record.moves[this.ply - 1]?.action, this.record.frames[this.ply].spots);
  }

  paintPlayers() {
    const r = this.record, frame = r.frames[this.ply], over = frame.mover === -1;
    const best = over && r.returns ? Math.max(...r.returns) : NaN;
    this.seatsLine.replaceChildren(...r.seats.map((s, i) => seated(this.colors[i], h('div', { class: `player${frame.mover === i ? ' mover' : ''}${r.returns?.[i] === best ? ' first' : ''}` },
      token(r.layout.seats[i]), h('b', {}, s.name), h('span', { class: 'by', title: s.by }, s.by),
      h('span', { class: 'points' }, over && r.scores ? short0(r.scores[i]) : frame.scores ? short0(frame.scores[i]) : '')))));
  }

  paintSide({ rows, move, opinion, visits }) {
    const r = this.record, frame = r.frames[this.ply], seats = r.seats;
    const parts = [h('h3', {}, this.heading(move))];
    const value = this.hidden ? undefined : move?.value?.length ? move.value : frame.mover === -1 ? r.returns : opinion?.value;
    if (value) parts.push(bars(seats, this.colors, value, r.scale, frame.mover === -1 ? 'The result' : move?.value?.length ? `Expected${visits ? ` after ${visits} visits` : ''}` : `Expected by the network of iteration ${opinion.iteration}`));
    if (rows.length) {
      const seat = this.whose();
      const order = rows.toSorted((a, b) => (b.visits ?? -1) - (a.visits ?? -1) || (b.target ?? -1) - (a.target ?? -1) || (b.prior ?? -1) - (a.prior ?? -1) || (b.value?.[seat] ?? -1) - (a.value?.[seat] ?? -1));
      const has = key => order.some(x => x[key] !== undefined);
      const seen = { visits: has('visits'), target: has('target'), prior: has('prior'), value: has('value') };
      parts.push(h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Moves considered' }, h('table', { class: 'moves' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'move'), seen.visits && h('th', { scope: 'col' }, 'visits'), seen.target && h('th', { scope: 'col' }, 'target'), seen.prior && h('th', { scope: 'col' }, 'prior'),
          seen.value && seats.map((s, i) => h('th', { scope: 'col' }, token(r.layout.seats[i]), h('span', { class: 'unseen' }, `value for ${s.name}`))))),
        h('tbody', {}, order.slice(0, 12).map(x => h('tr', { class: x.action === move?.action ? 'played' : undefined },
          h('th', { scope: 'row' }, x.name, x.action === move?.action && h('span', { class: 'unseen' }, ' (played)')),
          seen.visits && h('td', {}, x.visits === undefined ? '' : [!(seen.prior && seen.value) && h('span', { class: 'meter' }, meter(x.share)), share1(x.share)].filter(Boolean)),
          seen.target && h('td', {}, x.target === undefined ? '' : share1(x.target)),
          seen.prior && h('td', {}, x.prior === undefined ? '' : share1(x.prior)),
          seen.value && seats.map((_, i) => h('td', {}, x.value ? short1(x.value[i] * r.scale, r.scale) : ''))))))));
      if (move?.line?.length > 1) parts.push(h('p', { class: 'line' }, h('b', {}, 'Principal variation '), move.line.join(move.line.some(x => x.includes(' ')) ? ' · ' : ' ')));
    } else if (move && !this.hidden) {
      parts.push(h('p', { class: 'quiet' }, move.forced ? 'This was the only legal move.' : move.mover < 0 ? 'Chance decided.' : 'No search is recorded for this move.'));
    }
    if (frame.mover === -1) parts.push(h('p', { class: 'result' }, this.result()));
    this.about.replaceChildren(...parts);
  }

  heading(move) {
    const mover = this.record.frames[this.ply].mover;
    if (mover === -1) return 'The game is over';
    if (move) return `Move ${this.ply + 1}: ${this.did(move)}`;
    return `Move ${this.ply + 1}: ${this.who(mover)} to move`;
  }

  // hide hides the analysis, or shows it.
  hide(hidden) {
    this.hidden = hidden;
    this.curve.root.hidden = hidden;
    if (this.record) this.paint();
  }

  drawCurve() {
    const r = this.record;
    const plies = [], rows = [];
    r.moves.forEach((m, k) => { if (m.value?.length) { plies.push(k); rows.push(m.value); } });
    if (r.returns) { plies.push(r.moves.length); rows.push(r.returns); }
    this.curve.root.classList.toggle('void', plies.length < 2);
    if (plies.length === 0) return;
    this.curve.format = x => short1(x, r.scale);
    this.curve.set(plies, r.seats.map((s, i) => ({ label: s.name, color: this.colors[i], values: rows.map(v => v[i] * r.scale) })));
    this.curve.at(this.ply);
  }

  themed() { this.curve.themed(); }

  // key moves through the game with the arrow keys.
  key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.closest?.('input:not([type=range]), select, textarea, .spot, .scroll') || e.target === this.slider) return;
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: Infinity }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    this.turn(to);
  }
}

// short0 formats a score; short1 a value with about three digits, where scale is 1 for a utility.
const short0 = x => Number.isInteger(x) ? String(x).replace('-', '−') : short(x);
export const short1 = (x, scale) => x.toFixed(scale === 1 ? 2 : Math.abs(x) >= 99.95 ? 0 : 1).replace('-', '−');

// seated gives an element the colour of a seat in the charts.
function seated(color, e) {
  e.style.setProperty('--seat', `var(${color})`);
  return e;
}

// share1 formats a share in percent with one decimal, so that columns align.
const share1 = x => `${(100 * x).toFixed(1)}\u202f%`;

// meter returns a bar of the length of a share.
function meter(share) {
  const i = h('i');
  i.style.width = `${Math.round(100 * share)}%`;
  return i;
}

// bars shows the expected result of each seat.
function bars(seats, colors, value, scale, title) {
  const most = Math.max(...value, 1e-9, scale === 1 ? 1 : 0);
  return h('div', { class: 'bars' }, h('p', {}, title), seats.map((s, i) => {
    const fill = h('i');
    fill.style.width = `${Math.max(0, 100 * value[i] / most)}%`;
    fill.style.background = `var(${colors[i]})`;
    return h('div', {}, h('span', {}, s.name), h('span', { class: 'track' }, fill), h('b', {}, short1(value[i] * scale, scale)));
  }));
}
