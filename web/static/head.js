// The head of the page: the run, its progress and its current stages.
import { count, h, span } from './dom.js';

const states = {
  training: ['training', 'live'], stopping: ['stopping', 'live'], elsewhere: ['training elsewhere', 'live'], finished: ['complete', 'done'],
  stopped: ['stopped', 'still'], waiting: ['not started', 'still'],
};
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export class Head {
  constructor(host, run) {
    this.state = h('span', { class: 'state' });
    this.far = h('p', { class: 'far' });
    this.run = run;
    this.notice = h('p', { class: 'notice over', role: 'status', hidden: true });
    this.bar = h('progress', { max: 1, value: 0, 'aria-label': 'Share of the run that is done' });
    this.stages = h('ol', { class: 'stages', 'aria-label': 'Stages of an iteration' });
    this.warnings = h('details', { class: 'warnings', hidden: true }, h('summary'), h('ul'));
    host.append(
      h('div', { class: 'title' },
        h('div', {}, h('h1', {}, run.name), h('p', { class: 'what' }, h('span', {}, run.game), h('span', {}, run.algorithm), h('span', {}, run.network))),
        this.state),
      h('div', { class: 'course' }, this.far, this.bar),
      this.notice,
      this.stages, this.warnings);
  }

  show(s) {
    const [word, kind] = states[s.state] ?? [s.state, 'still'];
    this.state.textContent = word;
    this.state.className = `state ${kind}`;
    this.state.title = s.message ?? '';
    // The iteration under way, as the terminal counts. A run that is limited by its time has no number of iterations to make.
    const number = kind === 'live' ? Math.min(s.iteration + 1, Math.max(s.iterations, 1)) : s.iteration;
    const timed = s.limit_seconds > 0;
    const facts = [`iteration ${count(number)}${timed ? '' : ` of ${count(s.iterations)}`}`, `${count(s.games)} games`];
    facts.push(timed && s.state !== 'finished' ? `${span(s.elapsed_seconds)} of ${span(s.limit_seconds)}` : `${span(s.elapsed_seconds)} ${s.state === 'finished' ? 'in all' : 'so far'}`);
    if (s.left_seconds > 0 && kind === 'live') facts.push(`about ${span(s.left_seconds)} left`);
    if (s.state === 'stopped' && s.message) facts.push(s.message);
    this.far.replaceChildren(...facts.map(f => h('span', {}, f)));
    this.bar.value = s.share;
    this.bar.textContent = `${Math.round(100 * s.share)} %`;
    this.heard = new Date();
    this.known = s;
    this.notice.hidden = true;
    this.showStages(s);
    this.showWarnings(s.warnings);
  }

  // lose says that nothing is heard from the server: what is shown may be over.
  lose() {
    if (this.known && ['stopped', 'finished'].includes(this.known.state)) this.tell('The connection to the page’s server is lost: ', ' opens the page again.');
    else {
      this.state.textContent = 'connection lost';
      this.state.className = 'state still';
      this.stages.hidden = true;
      this.far.replaceChildren(...[...this.far.children].filter(f => !f.textContent.endsWith(' left')));
      this.tell(`The connection is lost: this is how the run was at ${clock.format(this.heard ?? new Date())}. The page goes on by itself when its server answers again; until then `, ' shows the run.');
    }
  }

  // end says that the server has ended, and with it what can be asked of it.
  end() { this.tell('This page’s server has ended: ', ' opens the page again.'); }

  tell(before, after) {
    this.notice.replaceChildren(before, h('code', {}, this.run.reopen), after);
    this.notice.hidden = false;
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
