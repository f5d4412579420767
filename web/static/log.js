// The log of the run, what training uses of the machine, and a person's notes.
import { ask, count, h, percent, short } from './dom.js';
import { Chart } from './chart.js';

const EVERY = 5000;
const gib = bytes => `${short(bytes / 2 ** 30)} GiB`;
const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

export class Log {
  constructor(host) {
    this.tiles = h('dl', { class: 'tiles' });
    this.idle = h('p', { class: 'quiet', hidden: true }, 'What training uses is shown while a process of this machine trains the run.');
    this.curves = h('div', { class: 'charts' });
    this.machine = h('section', { 'aria-label': 'The machine' }, this.tiles, this.idle, this.curves);
    this.text = h('textarea', { rows: 6, maxlength: 65536, placeholder: 'What this run tries, what was seen, what comes next …', oninput: () => this.typed() });
    this.save = h('button', { type: 'submit', disabled: true }, 'Save');
    this.said = h('span', { class: 'quiet', role: 'status' });
    this.notes = h('form', { class: 'card notes', onsubmit: e => { e.preventDefault(); this.keep(); } },
      h('label', {}, h('h2', {}, 'Notes'), this.text), h('div', { class: 'buttons' }, this.save, this.said));
    this.list = h('ol', { class: 'events' });
    this.only = h('select', { onchange: () => this.show() }, [['', 'everything'], ['iteration', 'iterations'], ['evaluation', 'evaluations'], ['warning', 'warnings']].map(([v, t]) => h('option', { value: v }, t)));
    this.more = h('button', { type: 'button', class: 'plain', hidden: true, onclick: () => this.load(true) }, 'Earlier');
    host.append(this.machine, this.notes, h('section', { class: 'card log' },
      h('div', { class: 'loghead' }, h('h2', {}, 'Log'), h('label', { class: 'quiet' }, h('span', {}, 'Show '), this.only)), this.list, this.more));
    this.events = [];
    addEventListener('beforeunload', e => { if (!this.save.disabled) e.preventDefault(); });
  }

  enter() {
    this.visible = true;
    this.look();
    this.load(false);
    if (this.save.disabled) this.read();
  }

  leave() {
    this.visible = false;
    clearTimeout(this.timer);
  }

  themed() { for (const c of Object.values(this.charts ?? {})) c.themed(); }

  status(s) {
    const fresh = this.version !== s.version;
    this.version = s.version;
    if (fresh && this.visible && this.top !== false) this.load(false);
  }

  async load(earlier) {
    try {
      const v = await ask(`/api/v1/log${earlier ? `?before=${this.before}` : ''}`);
      this.top = earlier ? false : true;
      this.events = earlier ? [...this.events, ...v.events].slice(0, 2000) : v.events;
      this.before = v.before;
      this.more.hidden = !v.before || this.events.length >= 2000;
      this.show();
    } catch (e) {
      this.list.replaceChildren(h('li', {}, `The log can’t be loaded: ${e.message}.`));
    }
  }

  show() {
    const kind = this.only.value;
    this.list.replaceChildren(...this.events.filter(e => !kind || e.kind === kind).map(e => h('li', { class: e.kind },
      h('time', { datetime: e.time }, when.format(new Date(e.time))), h('b', {}, e.kind === 'iteration' ? `iteration ${count(e.iteration)}` : `${e.kind}${e.iteration ? `, ${count(e.iteration)}` : ''}`), h('span', {}, e.text))));
    if (!this.list.children.length) this.list.append(h('li', {}, 'nothing yet'));
  }

  async look() {
    clearTimeout(this.timer);
    try {
      this.showMachine(await ask('/api/v1/machine'));
    } catch { /* the page says that it is not connected */ }
    clearTimeout(this.timer);
    if (this.visible) this.timer = setTimeout(() => this.look(), EVERY);
  }

  showMachine(m) {
    const last = m.samples.at(-1);
    const tile = (name, value, note) => h('div', {}, h('dt', {}, name), h('dd', {}, value, note && h('small', {}, note)));
    this.tiles.replaceChildren(...[
      tile('Busy cores', last ? short(last.cores) : '–', `of ${m.cores}${m.load ? `; the whole machine’s load is ${short(m.load)}` : ''}`),
      tile('Memory', last?.memory ? gib(last.memory) : '–', m.memory ? `of ${gib(m.memory)}; ${gib(m.available)} are free` : undefined),
      ...m.devices.map(d => tile(d.name, d.lost ? 'lost' : percent(d.utilization), [d.memory_used !== null && d.memory_total !== null && `${gib(d.memory_used)} of ${gib(d.memory_total)}`,
        d.power !== null && `${short(d.power)} W`, d.temperature !== null && `${short(d.temperature)} °C`].filter(Boolean).join(', ')))]);
    this.idle.hidden = m.known;
    this.curves.hidden = m.samples.length < 2;
    if (this.curves.hidden) return;
    this.charts ??= {
      cores: new Chart(this.curves, { title: 'Busy cores', note: `of ${m.cores}`, xName: 'minutes', height: 130 }),
      memory: new Chart(this.curves, { title: 'Memory', note: 'GiB', xName: 'minutes', height: 130 }),
    };
    const first = Date.parse(m.samples[0].time);
    const x = m.samples.map(s => (Date.parse(s.time) - first) / 60000);
    this.charts.cores.set(x, [{ label: 'cores', color: '--line-0', values: m.samples.map(s => s.cores) }]);
    this.charts.memory.set(x, [{ label: 'memory', color: '--line-2', values: m.samples.map(s => s.memory / 2 ** 30) }]);
    if (m.devices.length) {
      this.charts.devices ??= new Chart(this.curves, { title: 'Devices', note: 'share of time in which they compute', xName: 'minutes', height: 130, format: percent });
      this.charts.devices.set(x, m.devices.map((d, i) => ({ label: d.name, color: `--line-${i % 3}`, values: m.samples.map(s => s.devices?.[i] ?? null) })));
    }
  }

  async read() {
    try {
      const n = await ask('/api/v1/notes');
      this.notesVersion = n.version;
      this.text.value = n.text;
    } catch (e) {
      this.said.textContent = `The notes can’t be loaded: ${e.message}.`;
    }
  }

  typed() {
    this.save.disabled = false;
    this.said.textContent = 'not saved';
  }

  async keep() {
    const text = this.text.value;
    try {
      const n = await ask('/api/v1/notes', { method: 'PUT', send: { text, version: this.notesVersion ?? '' } });
      this.notesVersion = n.version;
      this.said.textContent = 'saved in notes.md';
      this.save.disabled = this.text.value === text;
    } catch (e) {
      this.said.textContent = `Not saved: ${e.message}. Copy your text and load the page again.`;
    }
  }
}
