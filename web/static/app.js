// The page: the views, the theme, and the events of the run.
import { ask, base, giveUp, h } from './dom.js';
import { onTheme } from './switch.js';
import { Head } from './head.js';
import { Progress } from './progress.js';
import { Games } from './games.js';
import { Play } from './play.js';
import { Log } from './log.js';

const views = {};
let run, head, shown;

async function begin() {
  if (base) document.querySelector('nav').prepend(h('a', { href: '/', class: 'all' }, 'All runs'));
  // The cookie replaces the token from now on.
  if (location.search) history.replaceState(null, '', location.pathname + location.hash);
  try {
    run = await ask('/api/v1/run');
    document.getElementById('loading').remove();
  } catch (e) {
    document.getElementById('loading').remove();
    document.getElementById('head').append(h('p', { class: 'notice', role: 'alert' }, `This run can’t be shown: ${e.message}.`));
    return;
  }
  document.title = `${run.name} · Tengen`;
  head = new Head(document.getElementById('head'), run);
  head.show(run.status);
  views.progress = new Progress(document.getElementById('progress'), run);
  views.games = new Games(document.getElementById('games'), run);
  views.play = new Play(document.getElementById('play'), run);
  views.log = new Log(document.getElementById('log'));
  addEventListener('hashchange', route);
  route();
  listen();
}

// route shows the view in the address; #games/17249/12 is a game at a ply.
function route() {
  const [name, ...rest] = location.hash.slice(1).split('/');
  const view = Object.hasOwn(views, name) ? name : 'progress';
  document.body.dataset.view = view;
  for (const id of Object.keys(views)) document.getElementById(id).hidden = id !== view;
  for (const a of document.querySelectorAll('nav a')) {
    if (a.dataset.view && a.dataset.view === view) {
      a.setAttribute('aria-current', 'page');
      a.scrollIntoView({ block: 'nearest', inline: 'nearest' }); // of a row that is wider than a phone
    } else a.removeAttribute('aria-current');
  }
  if (shown && shown !== views[view]) shown.leave?.();
  shown = views[view];
  shown.enter(rest);
}

// The server says something at least every 15 seconds; a connection may break without a word.
const SILENCE = 45_000, AGAIN = 5000;

// listen receives events while the page is open, and says when they no longer come.
function listen() {
  const link = document.getElementById('link');
  let news, heard = Date.now(), over = false;
  const lost = () => {
    link.textContent = 'not connected';
    head.lose();
  };
  const connect = () => {
    news?.close();
    heard = Date.now();
    news = new EventSource(`${base}/api/v1/stream`);
    const on = (kind, call) => news.addEventListener(kind, e => {
      if (over) return;
      heard = Date.now();
      call(e);
    });
    news.addEventListener('error', () => { if (!over) lost(); });
    on('alive', () => {});
    on('status', e => {
      const status = JSON.parse(e.data);
      if (status.folder !== run.folder) return lost(); // another run is served here now
      link.textContent = '';
      head.show(status);
      for (const v of Object.values(views)) v.status?.(status);
    });
    on('games', () => { for (const v of Object.values(views)) v.played?.(); });
    on('end', () => {
      over = true;
      news.close();
      link.textContent = '';
      giveUp('the page’s server has ended');
      head.end();
    });
  };
  connect();
  setInterval(() => {
    if (over || document.hidden) return;
    if (Date.now() - heard > SILENCE) lost();
    if (Date.now() - heard > SILENCE || news.readyState === EventSource.CLOSED) connect();
  }, AGAIN);
  addEventListener('pagehide', () => news.close());
  addEventListener('pageshow', e => { if (e.persisted) location.reload(); });
}

onTheme(() => { for (const v of Object.values(views)) v.themed?.(); });
begin();
