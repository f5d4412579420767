// The theme: the system's, or the one that was chosen.
import { icon } from './dom.js';

let changed;

// onTheme has call called whenever the theme changes.
export function onTheme(call) { changed = call; }

// The button switches between the system's theme and the other one.
const system = matchMedia('(prefers-color-scheme: dark)');
const theme = document.getElementById('theme');
const dark = () => (document.documentElement.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';

function themed() {
  theme.replaceChildren(icon(dark() ? 'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 1.5v2.5M12 20v2.5M1.5 12H4M20 12h2.5M4.6 4.6l1.7 1.7M17.7 17.7l1.7 1.7M4.6 19.4l1.7-1.7M17.7 6.3l1.7-1.7' : 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z'));
  theme.setAttribute('aria-label', dark() ? 'Light theme' : 'Dark theme');
  theme.title = theme.getAttribute('aria-label');
  changed?.();
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
