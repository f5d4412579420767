// A board: shapes of the server (web/board) as SVG, what is thought of each
// action on top, and places to click or to reach with the arrow keys.
import { h, s } from './dom.js';

let boards = 0;

export class Board {
  // play(action) is called when a person chooses an action; without it the board only shows.
  constructor(host, layout, play) {
    this.layout = layout;
    this.play = play;
    this.id = `b${boards++}`;
    this.shapes = new Map(); // key to element
    this.ground = s('g', { class: 'ground' }, layout.ground.map(x => this.draw(x)));
    this.pieces = s('g');
    this.over = s('g', { class: 'over', 'aria-hidden': 'true' });
    this.spots = s('g', { class: 'spots' });
    this.svg = s('svg', {
      viewBox: `0 0 ${layout.width} ${layout.height}`, class: `board on-${layout.ground[0]?.tone ?? 'none'}`,
      role: play ? 'group' : 'img', 'aria-label': layout.name,
    }, this.defs(), this.ground, this.pieces, this.over, this.spots);
    this.svg.style.setProperty('--ratio', layout.width / layout.height);
    host.replaceChildren(this.svg);
    this.svg.addEventListener('keydown', e => this.key(e));
  }

  // defs are the lights on stones.
  defs() {
    return s('defs', {}, ['black', 'white', 'red', 'blue', 'green', 'gold'].map(tone =>
      s('radialGradient', { id: `${this.id}-${tone}`, cx: '36%', cy: '32%', r: '72%' },
        s('stop', { offset: '0%', class: `lit-${tone}` }), s('stop', { offset: '100%', class: `dim-${tone}` }))));
  }

  draw(x) {
    const tone = `tone-${x.tone ?? 'ink'}`;
    switch (x.kind) {
      case 'disc': return s('g', {},
        s('circle', { cx: x.x + 0.03 * x.r, cy: x.y + 0.09 * x.r, r: x.r, class: 'shade' }),
        s('circle', { cx: x.x, cy: x.y, r: x.r, fill: `url(#${this.id}-${x.tone})`, class: `disc ${tone}` }));
      case 'dot': return s('circle', { cx: x.x, cy: x.y, r: x.r, class: `fill ${tone}` });
      case 'ring': return s('circle', { cx: x.x, cy: x.y, r: x.r, class: `stroke ${tone}`, 'stroke-width': 0.3 * x.r });
      case 'cross': return s('path', { d: `M${x.x - x.r} ${x.y - x.r}l${2 * x.r} ${2 * x.r}m0 ${-2 * x.r}l${-2 * x.r} ${2 * x.r}`, class: `stroke ${tone}`, 'stroke-width': 0.32 * x.r });
      case 'rect': return s('rect', { x: x.x - x.w / 2, y: x.y - x.h / 2, width: x.w, height: x.h, rx: x.r ?? 0, class: `fill ${tone}` });
      case 'line': return s('path', { d: `M${x.x} ${x.y}l${x.w ?? 0} ${x.h ?? 0}`, class: `stroke hair ${tone}` });
      default: return s('text', { x: x.x, y: x.y, 'font-size': x.r, class: `label ${x.tone ? tone : ''}` }, x.text ?? '');
    }
  }

  // show puts a position on the board: shapes by key, in their order.
  show(shapes) {
    const old = this.shapes;
    this.shapes = new Map();
    this.present = [...shapes.values()];
    for (const [key, x] of shapes) {
      const kept = old.get(key);
      const text = JSON.stringify(x);
      if (kept && kept.text === text) {
        this.shapes.set(key, kept);
        old.delete(key);
      } else {
        this.shapes.set(key, { text, node: this.draw(x) });
      }
    }
    for (const { node } of old.values()) node.remove();
    let before = null;
    for (const { node } of this.shapes.values()) {
      const next = before ? before.nextSibling : this.pieces.firstChild;
      if (next !== node) this.pieces.insertBefore(node, next);
      before = node;
    }
    if (!this.play) this.svg.setAttribute('aria-label', `${this.layout.name}. ${this.words()}`);
  }

  // words are the position as a sentence for each seat: "Black: a1, c3."
  words() {
    const by = new Map();
    for (const x of this.present ?? []) {
      if (!x.of) continue;
      if (!by.has(x.of)) by.set(x.of, []);
      by.get(x.of).push(x.at ?? x.text ?? '');
    }
    if (by.size === 0) return 'Nothing is on it.';
    return [...by].map(([of, list]) => `${of}: ${list.join(', ')}.`).join(' ');
  }

  // mark shows what is thought of actions: [{action, text, share (0 to 1), chosen}], and the last move.
  mark(thoughts, last, spots) {
    const at = new Map((spots?.length ? spots : this.layout.spots).map(x => [x.action, x]));
    const list = [];
    const place = last === undefined ? undefined : at.get(last);
    const under = place && this.present?.find(x => x.x === place.x && x.y === place.y);
    if (place) list.push(s('circle', { cx: place.x, cy: place.y, r: place.r * (under?.kind === 'disc' ? 0.4 : 0.98), class: `last last-on-${under?.tone ?? 'none'}` }));
    for (const t of thoughts) {
      const x = at.get(t.action);
      if (!x) continue;
      if (t.text !== undefined) {
        list.push(s('circle', { cx: x.x, cy: x.y, r: x.r * 0.95, class: 'plate' }),
          s('circle', { cx: x.x, cy: x.y, r: x.r * 0.95, class: 'thought', 'fill-opacity': (0.1 + 0.8 * t.share).toFixed(3) }),
          s('text', { x: x.x, y: x.y, 'font-size': x.r * Math.min(0.62, 2.1 / t.text.length), class: t.share > 0.55 ? 'value strong' : 'value' }, t.text));
      }
      if (t.chosen) list.push(s('circle', { cx: x.x, cy: x.y, r: x.r * 0.98, class: 'chosen' }));
    }
    this.over.replaceChildren(...list);
  }

  // offer lets a person choose among actions: [{action, name}].
  offer(choices, spots, seat) {
    const at = new Map((spots?.length ? spots : this.layout.spots).map(x => [x.action, x]));
    const focused = this.spots.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    const list = choices.filter(c => at.has(c.action)).map((c, i) => {
      const x = at.get(c.action);
      const g = s('g', { role: 'button', tabindex: i === 0 ? 0 : -1, 'data-action': c.action, 'aria-label': `play ${c.name}`, class: 'spot' },
        s('circle', { cx: x.x, cy: x.y, r: x.r, class: 'hit' }),
        s('circle', { cx: x.x, cy: x.y, r: x.r * 0.9, class: `ghost tone-${seat?.tone ?? 'ink'}` }));
      g.addEventListener('click', () => this.play(c.action));
      return g;
    });
    this.spots.replaceChildren(...list);
    this.places = at;
    this.svg.setAttribute('aria-label', `${this.layout.name}. ${this.words()}`);
    if (focused !== null && list.length) {
      const again = list.find(g => g.dataset.action === focused) ?? list[0];
      this.focus(again);
    }
  }

  focus(g) {
    for (const other of this.spots.children) other.setAttribute('tabindex', other === g ? 0 : -1);
    g.focus();
  }

  // key moves among the places: to the nearest one in the arrow's direction.
  key(e) {
    const here = e.target.closest?.('.spot');
    if (!here) return;
    if (e.key === 'Enter' || e.key === ' ') {
      e.preventDefault();
      this.play(Number(here.dataset.action));
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    const from = this.places.get(Number(here.dataset.action));
    let best, least = Infinity;
    for (const g of this.spots.children) {
      const to = this.places.get(Number(g.dataset.action));
      const along = (to.x - from.x) * step[0] + (to.y - from.y) * step[1];
      const aside = Math.abs((to.x - from.x) * step[1]) + Math.abs((to.y - from.y) * step[0]);
      if (along > 0.01 && along + 3 * aside < least) [best, least] = [g, along + 3 * aside];
    }
    if (best) this.focus(best);
  }
}

// token is a small picture of a seat.
export function token(shape) {
  const frame = s('svg', { viewBox: '-1.15 -1.15 2.3 2.3', class: 'token', 'aria-hidden': 'true' });
  const r = shape.kind === 'cross' ? 0.72 : shape.kind === 'ring' ? 0.76 : 1;
  const tone = `tone-${shape.tone}`;
  if (shape.kind === 'cross') frame.append(s('path', { d: `M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`, class: `stroke ${tone}`, 'stroke-width': 0.42 }));
  else if (shape.kind === 'ring') frame.append(s('circle', { r, class: `stroke ${tone}`, 'stroke-width': 0.42 }));
  else frame.append(s('circle', { r, class: `fill outlined ${tone}` }));
  return frame;
}

// words is the picture of a game that has none: its text.
export class Words {
  constructor(host) {
    this.pre = h('pre', { class: 'words', tabindex: 0 });
    host.replaceChildren(this.pre);
  }

  showText(text) { this.pre.textContent = text || 'This game has no drawing.'; }
}
