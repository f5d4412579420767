// Workers on other machines.
import { ask, count, h, short } from './dom.js';

const EVERY = 5000;

const size = bytes => bytes >= 1 << 20 ? `${short(bytes / (1 << 20))} MiB` : `${short(bytes / 1024)} KiB`;
const list = counts => Object.entries(counts).sort((a, b) => b[1] - a[1]).map(([name, n]) => Object.keys(counts).length > 1 ? `${name} (${count(n)})` : name).join(', ');

export class Cluster {
  constructor(host) {
    this.root = h('section', { class: 'card cluster', hidden: true, 'aria-label': 'Workers on other machines' });
    host.append(this.root);
  }

  enter() {
    this.visible = true;
    this.load();
  }

  leave() {
    this.visible = false;
    clearTimeout(this.timer);
  }

  async load() {
    clearTimeout(this.timer);
    try {
      const c = await ask('/api/v1/cluster');
      if (!c.known) return; // nor will it ever be, in this process
      this.show(c);
    } catch { /* the page says that it is not connected */ }
    clearTimeout(this.timer);
    if (this.visible) this.timer = setTimeout(() => this.load(), EVERY);
  }

  show(c) {
    const open = this.root.querySelector('details')?.open;
    const refused = Object.entries(c.refused).filter(([, n]) => n > 0);
    const tiles = [
      ['Workers', count(c.playing), [c.playing ? `of ${list(c.builds)}, ${list(c.kernel_paths)}` : 'on other machines: none plays now']],
      ['Their evaluations per second', short(c.evaluations_per_second), ['as they say']],
      ['Their games', count(c.counted), [`${count(c.late)} came too late; ${count(c.given)} are given out${c.matches ? `; ${count(c.matches)} of evaluations` : ''}`]],
      ...c.queues.filter(q => q.name !== 'matches' || q.messages).map(q => [{ work: 'Blocks of work', matches: 'Blocks of matches', games: 'Batches that wait' }[q.name], count(q.messages), [`${size(q.bytes)} in the broker`]]),
      ['Given out again', count(c.again), [`blocks; ${count(c.redelivered)} batches were delivered again`]],
      ['Refused', count(refused.reduce((sum, [, n]) => sum + n, 0)), [refused.map(([why, n]) => `${why}: ${count(n)}`).join(', ') || 'nothing']],
    ].map(([name, value, [note]]) => h('div', {}, h('dt', {}, name), h('dd', {}, value, h('small', {}, note))));
    const rows = c.workers.map(w => h('tr', {}, h('th', { scope: 'row', title: w.id }, w.host || w.id.slice(0, 12)),
      h('td', {}, w.reason ? 'refused' : w.alive ? 'plays' : 'gone'), h('td', {}, short(w.rate)), h('td', {}, count(w.games)), h('td', {}, count(w.late)),
      h('td', {}, count(w.refused)), h('td', {}, w.kernels || '–'), h('td', {}, w.build || '–'), h('td', { class: 'why' }, w.reason ?? '')));
    const heads = ['Worker', 'State', 'Evaluations/s', 'Games', 'Late', 'Refused', 'Kernels', 'Build', 'Why'];
    this.root.replaceChildren(h('h2', {}, 'Workers on other machines'), h('dl', { class: 'tiles' }, tiles),
      h('details', { class: 'table', open }, h('summary', {}, c.all > c.workers.length ? `${count(c.workers.length)} of ${count(c.all)} workers` : 'Each worker'),
        h('div', { tabindex: '0', role: 'region', 'aria-label': 'Each worker' }, h('table', {}, h('thead', {}, h('tr', {}, heads.map(x => h('th', { scope: 'col' }, x)))), h('tbody', {}, rows)))));
    this.root.hidden = false;
  }
}
