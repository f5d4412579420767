// The recorded games, newest first.
import { ask, base, count, h, short } from './dom.js';
import { token } from './board.js';
import { Viewer } from './viewer.js';

export class Games {
  constructor(host, run) {
    this.run = run;
    this.list = h('ul', { class: 'gamelist', 'aria-label': 'Games' });
    this.more = h('button', { type: 'button', class: 'plain', onclick: () => this.load(true), hidden: true }, 'Earlier games');
    this.number = h('input', { type: 'number', min: 0, step: 1, placeholder: 'Game №', 'aria-label': 'Number of a game', required: true });
    this.notice = h('p', { class: 'notice', hidden: true });
    const find = h('form', { class: 'find', onsubmit: e => { e.preventDefault(); this.seek(); } }, this.number, h('button', { type: 'submit' }, 'Go to'));
    this.side = h('div', { class: 'card list' }, h('div', { class: 'listhead' }, h('h2', {}, 'Latest games'),
      h('button', { type: 'button', class: 'plain', onclick: () => this.newest() }, 'Newest')), find, this.list, this.more);
    const curve = h('div', { class: 'curvehost' });
    const main = h('div', { class: 'viewer', id: 'games-viewer' });
    this.file = h('a', { class: 'quiet file', download: '' }, 'Download this game (JSON)');
    this.layout = h('div', { class: 'gamesview' }, this.side, h('div', { class: 'gamesmain' }, this.notice, main, curve, h('p', {}, this.file)));
    host.append(this.layout);
    this.viewer = new Viewer(main, {
      analysis: ply => ask(`/api/v1/games/${this.id}/analysis?ply=${ply}`),
      turned: ply => this.remember(ply), curveHost: curve,
    });
    main.hidden = curve.hidden = this.file.hidden = true;
    Object.assign(this, { main, curve, games: [], top: true });
    document.addEventListener('keydown', e => { if (this.visible) this.key(e); });
  }

  async enter([id, ply]) {
    this.visible = true;
    if (this.games.length === 0) await this.load(false);
    if (id && id !== this.id) this.open(id, Number(ply) || 0);
    else if (!this.id && this.games.length) this.open(this.games[0].id);
    else if (this.id) this.remember(this.viewer.ply);
  }

  leave() { this.visible = false; }

  themed() { this.viewer.themed(); }

  // played is called when there are new games.
  played() {
    if (this.top && this.visible) this.load(false);
    else if (this.top) this.games = [];
  }

  async load(older, query) {
    const last = this.games.at(-1);
    try {
      const { games } = await ask(`/api/v1/games${query ?? (older && last ? `?before=${last.id}` : '')}`);
      this.games = older ? [...this.games, ...games] : games;
      this.top = older ? this.top && this.games.length < 200 : !query;
      this.more.hidden = games.length === 0;
      this.tell(this.games.length ? '' : 'No game is in the replay log yet.');
      this.show();
    } catch (e) {
      this.tell(`The games can’t be loaded: ${e.message}.`);
    }
  }

  tell(text) {
    this.notice.hidden = !text;
    this.notice.textContent = text;
  }

  async seek() {
    await this.load(false, `?number=${encodeURIComponent(this.number.value)}`);
    if (this.games.length) this.open(this.games[0].id);
  }

  async newest() {
    await this.load(false);
    if (this.games.length) this.open(this.games[0].id);
  }

  show() {
    this.list.replaceChildren(...this.games.map(g => {
      const best = Math.max(...g.returns);
      return h('li', {}, h('button', {
        type: 'button', 'aria-current': g.id === this.id ? 'true' : undefined, 'data-id': g.id, onclick: () => this.open(g.id),
      },
      h('span', { class: 'number' }, `№ ${count(g.number)}`),
      h('span', { class: 'when' }, `iteration ${g.iteration + 1} · ${g.plies} plies`),
      h('span', { class: 'scores' }, g.scores.map((x, i) => h('span', { class: g.returns[i] === best ? 'best' : '', title: `${this.run.seats[i]}: ${g.by[i]}` },
        token(this.run.tokens[i]), short(x).replace(/\.?0+$/, '') || '0')))));
    }));
  }

  async open(id, ply) {
    this.id = id;
    for (const b of this.list.querySelectorAll('button')) {
      if (b.dataset.id === id) {
        b.setAttribute('aria-current', 'true');
        const box = this.list.getBoundingClientRect(), own = b.getBoundingClientRect();
        if (own.top < box.top || own.bottom > box.bottom) this.list.scrollTop += own.top - box.top - box.height / 3;
      } else {
        b.removeAttribute('aria-current');
      }
    }
    try {
      const record = await ask(`/api/v1/games/${id}`);
      if (this.id !== id) return;
      this.tell('');
      this.main.hidden = this.curve.hidden = this.file.hidden = false;
      this.file.href = `${base}/api/v1/games/${id}/record`;
      this.file.download = `${this.run.name.replaceAll('/', '-')}-${record.number}.json`;
      this.viewer.set(record, ply ?? 0);
    } catch (e) {
      this.tell(`This game can’t be shown: ${e.message}.`);
    }
  }

  remember(ply) {
    if (this.visible && this.id) history.replaceState(null, '', `#games/${this.id}/${ply}`);
  }

  key(e) {
    if (!this.viewer.record) return;
    this.viewer.key(e);
    if (e.defaultPrevented || e.target.closest?.('input, select, .scroll')) return;
    const step = { PageDown: 1, PageUp: -1 }[e.key];
    const at = this.games.findIndex(g => g.id === this.id);
    if (step && this.games[at + step]) {
      e.preventDefault();
      this.open(this.games[at + step].id);
    }
  }
}
