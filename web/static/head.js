// The head of the page: the run, its progress and its current stages.
import { count, h, span } from './dom.js';

const states = {
  training: ['training', 'live'], elsewhere: ['training elsewhere', 'live'], finished: ['finished', 'done'],
  stopped: ['stopped', 'still'], waiting: ['not started', 'still'],
};

export class Head {
  constructor(host, run) {
    this.state = h('span', { class: 'state' });
    this.far = h('p', { class: 'far' });
    this.bar = h('progress', { max: 1, value: 0, 'aria-label': 'Iterations' });
    this.stages = h('ol', { class: 'stages', 'aria-label': 'Stages of an iteration' });
    this.warnings = h('details', { class: 'warnings', hidden: true }, h('summary'), h('ul'));
    host.append(
      h('div', { class: 'title' },
        h('div', {}, h('h1', {}, run.name), h('p', { class: 'what' }, h('span', {}, run.game), h('span', {}, run.algorithm), h('span', {}, run.network))),
        this.state),
      h('div', { class: 'course' }, this.far, this.bar),
      this.stages, this.warnings);
  }

  show(s) {
    const [word, kind] = states[s.state] ?? [s.state, 'still'];
    this.state.textContent = word;
    this.state.className = `state ${kind}`;
    this.state.title = s.message ?? '';
    const facts = [`iteration ${count(s.iteration)} of ${count(s.iterations)}`, `${count(s.games)} games`, `${span(s.elapsed_seconds)} so far`];
    if (s.left_seconds > 0) facts.push(`about ${span(s.left_seconds)} left`);
    if (s.state === 'stopped' && s.message) facts.push(s.message);
    this.far.replaceChildren(...facts.map(f => h('span', {}, f)));
    this.bar.value = s.iterations > 0 ? s.iteration / s.iterations : 0;
    this.bar.textContent = facts[0];
    this.showStages(s);
    this.showWarnings(s.warnings);
  }

  showStages(s) {
    this.stages.hidden = s.state !== 'training';
    this.stages.replaceChildren(...s.stages.map(x => {
      const share = x.active && x.all > 0 ? x.done / x.all : 0;
      const amount = !x.active ? 'idle' : x.all > 0 ? `${count(x.done)} / ${count(x.all)}${x.unit ? ` ${x.unit}` : ''}` : 'working';
      return h('li', { class: x.active ? 'active' : '', 'aria-current': x.active ? 'step' : undefined },
        h('span', { class: 'name' }, x.name),
        h('span', { class: 'amount' }, x.note ? `${amount} ${x.note}` : amount),
        h('progress', { max: 1, value: share, 'aria-hidden': 'true' }));
    }));
  }

  showWarnings(list) {
    this.warnings.hidden = list.length === 0;
    const [summary, ul] = this.warnings.children;
    summary.textContent = list.length === 1 ? '1 warning' : `${list.length} warnings`;
    ul.replaceChildren(...list.toReversed().map(w => h('li', {},
      h('time', { datetime: w.time }, `iteration ${w.iteration}`), ` ${w.message}`)));
  }
}
