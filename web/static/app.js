// The page: the views, the theme, and the events of the run.
import { ask, base, h } from './dom.js';
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

// route shows the view in the address; #games/17.249/12 is a game at a ply.
function route() {
  const [name, ...rest] = location.hash.slice(1).split('/');
  const view = Object.hasOwn(views, name) ? name : 'progress';
  document.body.dataset.view = view;
  for (const id of Object.keys(views)) document.getElementById(id).hidden = id !== view;
  for (const a of document.querySelectorAll('nav a')) {
    if (a.dataset.view && a.dataset.view === view) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  if (shown && shown !== views[view]) shown.leave?.();
  shown = views[view];
  shown.enter(rest);
}

// listen receives events while the page is open; the browser reconnects by itself.
function listen() {
  const link = document.getElementById('link');
  const news = new EventSource(`${base}/api/v1/stream`);
  news.addEventListener('open', () => { link.textContent = ''; });
  news.addEventListener('error', () => { link.textContent = 'not connected'; });
  news.addEventListener('status', e => {
    const status = JSON.parse(e.data);
    head.show(status);
    for (const v of Object.values(views)) v.status?.(status);
  });
  news.addEventListener('games', () => { for (const v of Object.values(views)) v.played?.(); });
  addEventListener('pagehide', () => news.close());
  addEventListener('pageshow', e => { if (e.persisted) location.reload(); });
}

onTheme(() => { for (const v of Object.values(views)) v.themed?.(); });
begin();
