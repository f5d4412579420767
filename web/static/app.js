// The page: the views, the theme, and the events of the run.
import { ask, h, icon } from './dom.js';
import { Head } from './head.js';
import { Progress } from './progress.js';
import { Games } from './games.js';
import { Play } from './play.js';

const views = {};
let run, head, shown;

async function begin() {
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
    if (a.dataset.view === view) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  if (shown && shown !== views[view]) shown.leave?.();
  shown = views[view];
  shown.enter(rest);
}

// listen receives events while the page is open; the browser reconnects by itself.
function listen() {
  const link = document.getElementById('link');
  const news = new EventSource('/api/v1/stream');
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

// The button switches between the system's theme and the other one.
const system = matchMedia('(prefers-color-scheme: dark)');
const theme = document.getElementById('theme');
const dark = () => (document.documentElement.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';

function themed() {
  theme.replaceChildren(icon(dark() ? 'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 1.5v2.5M12 20v2.5M1.5 12H4M20 12h2.5M4.6 4.6l1.7 1.7M17.7 17.7l1.7 1.7M4.6 19.4l1.7-1.7M17.7 6.3l1.7-1.7' : 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z'));
  theme.setAttribute('aria-label', dark() ? 'Light theme' : 'Dark theme');
  theme.title = theme.getAttribute('aria-label');
  for (const v of Object.values(views)) v.themed?.();
}
theme.addEventListener('click', () => {
  const wanted = dark() ? 'light' : 'dark';
  const own = (system.matches ? 'dark' : 'light') === wanted;
  if (own) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
  try {
    if (own) localStorage.removeItem('tengen-theme');
    else localStorage.setItem('tengen-theme', wanted);
  } catch { /* the choice lasts until the page is closed */ }
  themed();
});
system.addEventListener('change', themed);
themed();
begin();
