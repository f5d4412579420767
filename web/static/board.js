// A board: the server's shapes (web/board) as SVG, with the analysis of each action on
// top, and spots to click or to reach with the arrow keys.
import { h, s } from './dom.js';

let boards = 0;

// ICONS are pictures on a square of 24 units: a path, filled or stroked.
const ICONS = {
  fight: ['M4.5 4.5l11 11M19.5 4.5l-11 11M5.5 13.5l5 5M18.5 13.5l-5 5M8 16l-4 4M16 16l4 4', false],
  heal: ['M12 20.5C5 15.5 3 11.8 3 8.6 3 6 5 4 7.5 4c1.9 0 3.5 1 4.5 2.7C13 5 14.6 4 16.5 4 19 4 21 6 21 8.6c0 3.2-2 6.9-9 11.9z', true],
  attack: ['M13.5 2L5 13.5h5.5L9.5 22 19 9.5h-6z', true],
  removal: ['M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM6.5 6.5l11 11', false],
  deck: ['M5 7.5h9.5V21H5zM9 7.5V3.5h10V17h-4.5', false],
  turtle: [`${ellipse(11, 12, 7.6, 6.6)}${ellipse(20.6, 12, 2.6, 2.2)}${ellipse(5.8, 5.6, 2, 2)}${ellipse(16, 5.4, 2, 2)}${ellipse(5.8, 18.4, 2, 2)}${ellipse(16, 18.6, 2, 2)}`, true],
};

// ellipse returns a path around x, y.
function ellipse(x, y, a, b) { return `M${x - a} ${y}a${a} ${b} 0 1 0 ${2 * a} 0a${a} ${b} 0 1 0 ${-2 * a} 0z`; }

// iconAt returns an icon of half side r around x, y.
function iconAt(name, x, y, r, kind) {
  const [d, filled] = ICONS[name] ?? ['', false];
  return s('path', { d, transform: `translate(${x} ${y}) scale(${r / 12}) translate(-12 -12)`, class: `icon ${filled ? 'filled' : 'lined'} ${kind}` });
}

// pieceAt returns an icon of half side r around x, y, in a tone, with a letter on it.
function pieceAt(name, letter, tone, x, y, r) {
  return s('g', { class: `piece tone-${tone}` }, iconAt(name, x, y, r, ''),
    s('text', { x: x - 0.08 * r, y: y + 0.02 * r, 'font-size': 0.72 * r, class: 'letter' }, letter ?? ''));
}

// goes returns the size of shapes that are drawn around 0, 0 and then moved to their place,
// which animates them; 0 for others.
const goes = x => x.kind === 'card' ? x.w : x.kind === 'piece' ? x.r : 0;

export class Board {
  // play(action) is called when a person chooses an action; without it the board is read-only.
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
    }, this.defs(), this.ground, this.pieces, this.spots, this.over);
    this.svg.style.setProperty('--ratio', layout.width / layout.height);
    host.replaceChildren(this.svg);
    this.svg.addEventListener('keydown', e => this.key(e));
  }

  // defs returns the highlights of stones.
  defs() {
    return s('defs', {}, ['black', 'white', 'red', 'blue', 'green', 'gold', 'purple', 'faint'].map(tone =>
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
      case 'icon': return iconAt(x.text, x.x, x.y, x.r, tone);
      case 'card': return this.card(x, tone);
      case 'piece': {
        const g = s('g', {}, pieceAt(...x.text.split(' '), x.tone, 0, 0, 1));
        g.style.transform = `translate(${x.x}px, ${x.y}px) scale(${x.r})`;
        return g;
      }
      default: return s('text', { x: x.x, y: x.y, 'font-size': x.r, class: `label ${x.tone ? tone : ''}` }, x.text ?? '');
    }
  }

  // card returns a playing card around 0, 0, of width 1; show moves it to its place. A line
  // of its text is an icon and a value, a piece, or a word; a single icon has its name
  // below it.
  card(x, tone) {
    const tall = x.h / x.w;
    const lines = (x.text ?? '').split('\n').map(line => line.split(' '));
    const frame = { x: -0.5, y: -tall / 2, width: 1, height: tall, rx: 0.1 };
    const face = lines.flatMap(([name, value, colour], i) => {
      const middle = (i - (lines.length - 1) / 2) * 0.84 * tall / lines.length;
      if (colour) return [pieceAt(name, value, colour, 0, middle, 0.3)];
      if (!(name in ICONS)) return [s('text', { x: 0, y: middle, 'font-size': Math.min(0.52, 1.15 / Math.max(1, name.length)), class: 'worth' }, name)];
      if (value === undefined) {
        return [iconAt(name, 0, -0.1, 0.27, `of-${name}`), s('text', { x: 0, y: 0.36, 'font-size': 0.175, class: 'worth' }, name[0].toUpperCase() + name.slice(1))];
      }
      const y = (i - (lines.length - 1) / 2) * 0.88 * tall / lines.length;
      const none = value === '0' ? ' none' : '';
      return [iconAt(name, -0.2, y, 0.14, `of-${name}${none}`),
        s('text', { x: 0.19, y, 'font-size': Math.min(0.36, 0.8 / value.length), class: `worth${none}` }, value)];
    });
    return s('g', { class: `playing ${tone}` }, s('rect', { ...frame, y: frame.y + 0.035, class: 'shade' }), s('rect', { ...frame, class: 'face' }), face);
  }

  // show draws a position: shapes by key, in order. before has those of the previous
  // position.
  show(shapes, before) {
    const old = this.shapes;
    this.shapes = new Map();
    this.present = [...shapes.values()];
    // The cards that have moved, into a hand or out of it, and the stones that are new on a board without fixed spots.
    this.fresh = this.present.filter(x => before && (x.kind === 'card' ? before.get(x.key)?.of !== x.of : x.kind === 'disc' && !this.layout.spots?.length && !before.has(x.key)));
    for (const [key, x] of shapes) {
      const kept = old.get(key);
      const size = goes(x);
      const { of: _, at: __, ...drawn } = size ? { ...x, x: 0, y: 0, w: 1, h: x.h / x.w, r: 1 } : x;
      const text = JSON.stringify(drawn);
      const put = kept && kept.text === text ? kept : { text, node: this.draw(x) };
      if (put === kept) old.delete(key);
      // A shape that is drawn already moves to its new place.
      if (size) put.node.style.transform = `translate(${x.x}px, ${x.y}px) scale(${size})`;
      this.shapes.set(key, put);
    }
    for (const { node } of old.values()) node.remove();
    let last = null;
    for (const { node } of this.shapes.values()) {
      const next = last ? last.nextSibling : this.pieces.firstChild;
      if (next !== node) this.pieces.insertBefore(node, next);
      last = node;
    }
    if (!this.play) this.svg.setAttribute('aria-label', `${this.layout.name}. ${this.words()}`);
  }

  // words describes the position with a sentence for each seat: "Black: a1, c3."
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

  // places returns where actions are played: the position's spots, or else the board's.
  places(spots) { return spots?.length ? spots : this.layout.spots; }

  // mark shows the analysis of actions, [{action, text, share (0 to 1), chosen}], and the last move.
  mark(analyses, last, spots) {
    const at = new Map(this.places(spots).toReversed().map(x => [x.action, x]));
    const list = [];
    // If spots depend on the position, the last move's is not among the current ones.
    const place = last === undefined || spots?.length ? undefined : at.get(last);
    const under = place && this.present?.find(x => x.x === place.x && x.y === place.y);
    if (place) list.push(s('circle', { cx: place.x, cy: place.y, r: place.r * (under?.kind === 'disc' ? 0.4 : 0.98), class: `last last-on-${under?.tone ?? 'none'}` }));
    for (const x of this.fresh ?? []) {
      list.push(x.kind === 'card' ? outline({ ...x, r: 0.1 * x.w }, 0.035, 'last') : s('circle', { cx: x.x, cy: x.y, r: x.r * 0.4, class: `last last-on-${x.tone}` }));
    }
    for (const t of analyses) {
      const x = at.get(t.action);
      if (!x) continue;
      if (t.chosen) list.push(x.w ? outline(x, 0, 'chosen') : s('circle', { cx: x.x, cy: x.y, r: x.r * 0.98, class: 'chosen' }));
      if (t.text === undefined) continue;
      const strong = t.share > 0.55 ? 'value strong' : 'value';
      const fill = { class: 'analysis', 'fill-opacity': (0.1 + 0.8 * t.share).toFixed(3) };
      if (x.w) { // a label on its upper edge
        const width = Math.min(0.9 * x.w, 0.7), height = 0.42 * width, y = x.y - x.h / 2 - 0.2 * height;
        const label = { x: x.x - width / 2, y: y - height / 2, width, height, rx: height / 2 };
        list.push(s('rect', { ...label, class: 'plate' }), s('rect', { ...label, ...fill }),
          s('text', { x: x.x, y, 'font-size': 0.8 * height, class: strong }, t.text));
      } else {
        const label = { cx: x.x, cy: x.y, r: x.r * 0.95 };
        list.push(s('circle', { ...label, class: 'plate' }), s('circle', { ...label, ...fill }),
          s('text', { x: x.x, y: x.y, 'font-size': x.r * Math.min(0.62, 2.1 / t.text.length), class: strong }, t.text));
      }
    }
    this.over.replaceChildren(...list);
  }

  // offer lets a person choose an action: [{action, name}].
  offer(choices, spots, seat) {
    const names = new Map(choices.map(c => [c.action, c.name]));
    const inside = this.spots.contains(document.activeElement);
    if (inside) this.wanted = document.activeElement.dataset.action;
    else if (document.activeElement !== document.body) this.wanted = undefined;
    this.spotOf = new Map();
    const list = this.places(spots).filter(x => names.has(x.action)).map((x, i) => {
      const label = spots?.length ? x.name : `play ${names.get(x.action)}`;
      const g = s('g', { role: 'button', tabindex: i === 0 ? 0 : -1, 'data-action': x.action, 'aria-label': label, class: 'spot' },
        x.w ? [outline(x, 0, 'hit'), outline(x, 0, 'ghost')] : [
          s('circle', { cx: x.x, cy: x.y, r: x.r, class: 'hit' }),
          s('circle', { cx: x.x, cy: x.y, r: x.r * 0.9, class: `ghost tone-${seat?.tone ?? 'ink'}` })]);
      g.addEventListener('click', () => this.play(x.action));
      this.spotOf.set(g, x);
      return g;
    });
    this.spots.replaceChildren(...list);
    this.svg.setAttribute('aria-label', `${this.layout.name}. ${this.words()}`);
    // The keyboard focus stays where it was when it is the person's turn again.
    if (this.wanted !== undefined && list.length) {
      this.focus(list.find(g => g.dataset.action === this.wanted) ?? list[0]);
      this.wanted = undefined;
    }
  }

  focus(g) {
    for (const other of this.spots.children) other.setAttribute('tabindex', other === g ? 0 : -1);
    g.focus({ preventScroll: true });
  }

  // key moves the focus to the nearest spot in the arrow's direction.
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
    const from = this.spotOf.get(here);
    let best, least = Infinity;
    for (const g of this.spots.children) {
      const to = this.spotOf.get(g);
      const along = (to.x - from.x) * step[0] + (to.y - from.y) * step[1];
      const aside = Math.abs((to.x - from.x) * step[1]) + Math.abs((to.y - from.y) * step[0]);
      if (along > 0.01 && along + 3 * aside < least) [best, least] = [g, along + 3 * aside];
    }
    if (best) this.focus(best);
  }
}

// outline returns the rectangle of a spot or card, enlarged by more on each side.
function outline(x, more, kind) {
  return s('rect', { x: x.x - x.w / 2 - more, y: x.y - x.h / 2 - more, width: x.w + 2 * more, height: x.h + 2 * more, rx: x.r + more, class: kind });
}

// token returns a small picture of a seat.
export function token(shape) {
  const frame = s('svg', { viewBox: '-1.15 -1.15 2.3 2.3', class: 'token', 'aria-hidden': 'true' });
  const r = shape.kind === 'cross' ? 0.72 : shape.kind === 'ring' ? 0.76 : 1;
  const tone = `tone-${shape.tone}`;
  if (shape.kind === 'cross') frame.append(s('path', { d: `M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`, class: `stroke ${tone}`, 'stroke-width': 0.42 }));
  else if (shape.kind === 'ring') frame.append(s('circle', { r, class: `stroke ${tone}`, 'stroke-width': 0.42 }));
  else frame.append(s('circle', { r, class: `fill outlined ${tone}` }));
  if (shape.text) frame.append(s('text', { 'font-size': 1.3, 'text-anchor': 'middle', 'dominant-baseline': 'central', class: `inscribed ${tone}` }, shape.text));
  return frame;
}

// Words shows the text of a game without a picture.
export class Words {
  constructor(host) {
    this.pre = h('pre', { class: 'words', tabindex: 0 });
    host.replaceChildren(this.pre);
  }

  showText(text) { this.pre.textContent = text || 'This game has no drawing.'; }
}
