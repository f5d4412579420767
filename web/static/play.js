// A game against the network.
import { ask, h, offer, say } from './dom.js';
import { token } from './board.js';
import { short1, Viewer } from './viewer.js';

const WHO = [['human', 'You'], ['network', 'Network'], ['uct', 'UCT'], ['random', 'Random']];

// KINDS are the other players that the tree has, as they are called here.
const KINDS = { az: 'Network, with options', uct: 'UCT, with options', policy: 'Network without search', cfr: 'CFR', minimax: 'Minimax', alphabeta: 'Alpha-beta', expectiminimax: 'Expectiminimax', ubfm: 'Best-first minimax', descent: 'Descent' };

export class Play {
  constructor(host, run) {
    this.run = run;
    this.status_ = h('p', { class: 'turn', role: 'status' });
    const kinds = (run.opponents ?? []).filter(o => KINDS[o.kind]);
    this.seats = run.seats.map((name, i) => h('select', { 'aria-label': `Who plays ${name}`, onchange: () => this.choose(i) }, WHO.map(([value, label]) =>
      h('option', { value, selected: value === (i === 0 ? 'human' : run.networks.length ? 'network' : 'uct') }, label)),
    kinds.length > 0 && h('optgroup', { label: 'With options' }, kinds.map(o => h('option', { value: `${o.kind}:`, title: o.summary }, KINDS[o.kind])))));
    this.keys = run.seats.map((name, i) => h('input', { type: 'text', class: 'keys', hidden: true, maxlength: 500, spellcheck: 'false', autocapitalize: 'off', 'aria-label': `Options of ${name}`, placeholder: 'key=value, …', onfocus: () => this.explain(i) }));
    this.help = h('details', { class: 'quiet keyhelp', hidden: true }, h('summary'), h('dl'));
    this.network = h('select', {});
    this.simulations = h('input', { type: 'number', min: 1, max: run.play.max_simulations, value: run.play.simulations, required: true });
    this.analyses = h('input', { type: 'checkbox', onchange: () => this.viewer.hide(!this.analyses.checked) });
    this.undoButton = h('button', { type: 'button', disabled: true, onclick: () => this.undo() }, 'Take back');
    this.hintButton = h('button', { type: 'button', disabled: true, onclick: () => this.hint() }, 'Hint');
    this.resignButton = h('button', { type: 'button', disabled: true, onclick: () => this.resign() }, 'Resign');
    this.saveButton = h('button', { type: 'button', title: 'The game as a file, with which “tengen play --continue FILE” goes on', onclick: () => this.save() }, 'Download');
    this.actions = h('div', { class: 'buttons', hidden: true }, this.hintButton, this.undoButton, this.resignButton, this.saveButton);
    this.advice = h('p', { class: 'note advice', role: 'status' });
    this.beginButton = h('button', { type: 'submit', class: 'main' }, 'New game');
    this.form = h('form', { class: 'card setup', onsubmit: e => { e.preventDefault(); this.begin(); } },
      h('h2', {}, 'Play against the network'),
      h('fieldset', {}, h('legend', {}, 'Seats'), run.seats.map((name, i) => h('label', { class: 'seat' }, token(run.tokens[i]), h('span', {}, name), this.seats[i], this.keys[i]))),
      this.help,
      h('label', {}, h('span', {}, 'Network of iteration'), this.network),
      h('label', {}, h('span', {}, 'Simulations per move'), this.simulations),
      h('label', { class: 'check' }, this.analyses, h('span', {}, 'Show its analysis')),
      h('div', { class: 'buttons' }, this.beginButton),
      h('p', { class: 'quiet' }, 'On the board, the arrow keys move and Enter plays. The game is not saved and does not affect the run.'),
      rules(run));
    this.main = h('div', { class: 'viewer', id: 'play-viewer' });
    const curve = h('div', { class: 'curvehost' });
    this.layout = h('div', { class: 'gamesview' }, this.form, h('div', { class: 'gamesmain' }, h('div', { class: 'turnrow' }, this.status_, this.actions), this.advice, this.main, curve));
    host.append(this.layout);
    this.viewer = new Viewer(this.main, { analysis: ply => this.think(ply), play: a => this.move(a), turned: () => this.offer(), curveHost: curve });
    this.viewer.hide(true);
    Object.assign(this, { curve });
    this.main.hidden = curve.hidden = true;
    document.addEventListener('keydown', e => { if (this.visible) this.viewer.key(e); });
    this.tell('Choose who plays each seat, then start a game.');
  }

  // choose shows the field for the options of a seat's player, where it takes any.
  choose(i) {
    const kind = this.kind(i);
    this.keys[i].hidden = !kind;
    if (kind) this.explain(i);
    else this.help.hidden = !this.keys.some(k => !k.hidden);
  }

  // kind returns the player of a seat that takes options, undefined if it takes none.
  kind(i) {
    const value = this.seats[i].value;
    return value.endsWith(':') ? this.run.opponents.find(o => `${o.kind}:` === value) : undefined;
  }

  // explain lists the options of a seat's player.
  explain(i) {
    const kind = this.kind(i);
    if (!kind) return;
    this.help.hidden = false;
    this.help.firstElementChild.textContent = `Options of ${kind.kind}`;
    this.help.lastElementChild.replaceChildren(...[h('dd', {}, kind.summary), ...kind.keys.flatMap(k => [h('dt', {}, k.default ? `${k.key}=${k.default}` : k.key), h('dd', {}, k.help)])]);
  }

  // who returns who plays each seat, as the server wants it.
  who() { return this.seats.map((s, i) => s.value.endsWith(':') ? s.value.slice(0, -1) + (this.keys[i].value.trim() ? `:${this.keys[i].value.replace(/\s*,\s*/g, ',').trim()}` : '') : s.value); }

  // enter shows the view; #play/ID is a game that was begun before, perhaps by this page before it was loaded again.
  async enter(rest = []) {
    this.visible = true;
    if (this.game) this.remember();
    else if (rest[0]) this.takeUp(rest[0]);
    try {
      this.run.networks = (await ask('/api/v1/run')).networks;
    } catch { /* keep the previous list */ }
    const chosen = this.network.value;
    const list = this.run.networks.toReversed();
    this.network.replaceChildren(...list.map((n, i) => h('option', { value: n, selected: String(n) === chosen }, i === 0 ? `${n}, the newest` : n)));
    if (list.length === 0) {
      this.network.append(h('option', { value: '' }, 'none yet'));
    }
    for (const s of this.seats) {
      for (const o of s.options) {
        if (o.value === 'network' || this.run.opponents?.find(k => `${k.kind}:` === o.value)?.network) o.disabled = list.length === 0;
      }
    }
  }

  // remember puts the game into the address.
  remember() { history.replaceState(null, '', `#play/${this.game.id}`); }

  // takeUp continues a game that the server still has.
  async takeUp(id) {
    try {
      this.start(await ask(`/api/v1/play/${encodeURIComponent(id)}`));
    } catch (e) {
      if (!this.game) this.tell(`The game of this address can’t be taken up: ${e.message}. Start a new one.`);
    }
  }

  // start shows a game, and continues it until a person is to move.
  start(game) {
    this.game = game;
    this.remember();
    this.main.hidden = this.curve.hidden = this.actions.hidden = false;
    this.advise();
    this.layout.classList.add('playing');
    this.viewer.deaf = !this.run.networks.length;
    this.viewer.set(game);
    this.after(game);
  }

  leave() { this.visible = false; }

  // status offers the first network as soon as there is one.
  status(s) { if (this.visible && !this.run.networks.length && s.iteration > 0) this.enter(); }

  themed() { this.viewer.themed(); }

  tell(text) { this.status_.textContent = text; }

  async begin() {
    const old = this.game?.id;
    try {
      const game = await ask('/api/v1/play', { send: {
        seats: this.who(), simulations: Number(this.simulations.value),
        iteration: this.network.value && this.network.selectedIndex > 0 ? Number(this.network.value) : null,
      } });
      if (old) ask(`/api/v1/play/${old}`, { method: 'DELETE' }).catch(() => {});
      this.start(game);
    } catch (e) {
      this.tell(`The game can’t be started: ${e.message}.`);
    }
  }

  // after continues the game until a person is to move.
  async after(game) {
    const id = game.id;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.game.id === id && !this.game.ready) {
        this.showTurn();
        await this.change(`/api/v1/play/${id}/step`);
      }
    } catch (e) {
      if (this.game.id === id) {
        this.tell(`The game has stopped: ${e.message}.`);
        this.viewer.others.replaceChildren(h('button', { type: 'button', onclick: () => this.after(this.game) }, 'Continue'));
      }
      return;
    } finally {
      this.busy = false;
      if (this.game.id !== id) this.after(this.game);
    }
    this.showTurn();
    this.offer();
  }

  // change asks the server to change the game, and shows the new state.
  async change(path, send = {}) {
    const game = await ask(`${path}?kept=${this.viewer.last}`, { send });
    if (game.id !== this.game.id) return;
    this.game = { ...this.game, resigned: undefined, ...game };
    this.advise();
    this.viewer.add(game);
    const move = this.viewer.record.moves.at(-1);
    if (move) say(this.viewer.sentence());
  }

  async move(action) {
    if (!this.game || this.busy || !this.game.ready || this.viewer.ply !== this.viewer.last) return;
    if (!this.game.legal?.some(c => c.action === action)) return;
    this.game.ready = false;
    this.offer();
    try {
      await this.change(`/api/v1/play/${this.game.id}/move`, { ply: this.viewer.last, action });
    } catch (e) {
      this.tell(`This move was not played: ${e.message}.`);
      this.game.ready = true;
      this.offer();
      return;
    }
    this.after(this.game);
  }

  async undo() {
    if (!this.game || this.busy) return;
    try {
      await this.change(`/api/v1/play/${this.game.id}/undo`);
      this.after(this.game);
    } catch (e) {
      this.tell(`The move can’t be taken back: ${e.message}.`);
    }
  }

  // advise shows a player's advice, or nothing.
  advise(hint) {
    this.viewer.advised = hint?.action;
    const seat = hint && this.viewer.whose();
    const expected = hint?.value && ` It expects ${short1(hint.value[seat] * this.run.scale, this.run.scale)} for ${this.viewer.who(seat)}.`;
    this.advice.textContent = hint ? `Hint of ${hint.by}: ${hint.name}.${expected ?? ''}` : '';
  }

  // hint asks what the network would do.
  async hint() {
    if (!this.game?.ready || this.busy) return;
    const id = this.game.id, ply = this.viewer.last;
    this.hintButton.disabled = true;
    this.advice.textContent = 'Asking …';
    try {
      const hint = await ask(`/api/v1/play/${id}/hint`, { send: {} });
      if (this.game.id !== id || this.viewer.last !== ply || this.game.resigned !== undefined) return;
      this.viewer.turn(ply, true);
      this.advise(hint);
      this.viewer.paint();
    } catch (e) {
      this.advice.textContent = `There is no hint: ${e.message}.`;
    } finally {
      this.offer();
    }
  }

  async resign() {
    if (!this.game?.ready || this.busy) return;
    try {
      await this.change(`/api/v1/play/${this.game.id}/resign`);
      this.showTurn();
      this.offer();
      say(this.status_.textContent);
    } catch (e) {
      this.tell(`The game can’t be resigned: ${e.message}.`);
    }
  }

  // save has the browser keep the game as a file.
  async save() {
    try {
      const record = await ask(`/api/v1/play/${this.game.id}/record`);
      offer(new Blob([`${JSON.stringify(record)}\n`], { type: 'application/json' }), `${this.run.name.replaceAll('/', '-')}-game.json`);
    } catch (e) {
      this.advice.textContent = `There is no file: ${e.message}.`;
    }
  }

  // think asks the network about the current position; earlier ones have their searches' analyses.
  async think(ply) {
    if (ply !== this.viewer.last || !this.game.ready) return null;
    return ask(`/api/v1/play/${this.game.id}/analysis`);
  }

  // offer shows the person's legal moves, if the current position is shown.
  offer() {
    const g = this.game, v = this.viewer;
    if (!g || !v.record) return;
    const mine = g.ready && v.ply === v.last && g.legal?.length ? g.legal : [];
    const mover = v.record.frames[v.ply].mover;
    const spots = v.record.frames[v.ply].spots;
    if (v.drawn) v.board.offer(mine, spots, v.record.layout.seats[mover]);
    const placed = new Set(!v.drawn ? [] : (spots?.length ? spots : v.record.layout.spots).map(s => s.action));
    v.others.replaceChildren(...mine.filter(c => !placed.has(c.action)).map(c => h('button', { type: 'button', onclick: () => this.move(c.action) }, c.name)));
    this.buttons();
  }

  // buttons lets a person press what makes sense.
  buttons() {
    const g = this.game;
    this.undoButton.disabled = !g.undo;
    this.hintButton.disabled = this.resignButton.disabled = !g.ready || !g.legal?.length;
  }

  showTurn() {
    const v = this.viewer, mover = v.record.frames[v.last].mover;
    this.buttons();
    const by = this.game.resigned;
    if (by !== undefined) this.tell(v.record.seats.length === 2 ? `${v.who(by)} resigned; ${v.who(1 - by)} wins.` : `${v.who(by)} resigned. The game is left unfinished.`);
    else if (mover === -1) this.tell(`The game is over. ${v.result()}`);
    else if (this.game.ready) this.tell(`${v.who(mover)}: your move.`);
    else this.tell(mover === -2 ? 'Chance decides …' : `${v.who(mover)} is thinking …`);
  }
}

// rules tells how the game is played.
function rules(run) {
  const { rules } = run;
  if (!rules) return null;
  return h('details', { class: 'rules', open: true }, h('summary', {}, 'Rules'),
    h('p', {}, rules.summary), rules.guide && h('p', { class: 'guide' }, rules.guide.trim()), h('p', { class: 'quiet' }, run.game));
}
