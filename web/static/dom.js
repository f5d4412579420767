// Helpers: elements, formatted numbers, and requests to the server.

// h makes an element: keys that begin with "on" are listeners, others attributes.
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// s makes an SVG element.
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(e, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.flat().filter(c => c !== undefined && c !== null && c !== false));
  return e;
}

// base is the path of the run's page: '' or '/runs/NAME' on a page of several runs.
export const base = /^\/runs\/[^/]+/.exec(location.pathname)?.[0] ?? '';

// offer has the browser save a blob as a file.
export function offer(blob, name) {
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const THIN = '\u202f';

// count formats a whole number with thin spaces between thousands.
export function count(n) {
  return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

// short formats a number with about three digits.
export function short(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  const size = Math.abs(x);
  if (size !== 0 && size < 0.001) return x.toExponential(1).replace('-', '−').replace('e−', 'e−');
  if (size >= 10000) return count(x);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 || size === 0 ? 3 : size >= 0.01 ? 4 : 5;
  return x.toFixed(digits).replace('-', '−');
}

export const percent = x => x === null || x === undefined ? '–' : `${short(100 * x)}${THIN}%`;

// span formats a duration in seconds.
export function span(seconds) {
  if (!(seconds > 0)) return '0 s';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

let ended = '';

// giveUp has ask refuse all requests, to which nobody would answer, for a reason.
export function giveUp(why) { ended = why; }

// ask sends a request to the server; it throws an Error with a readable message.
export async function ask(path, options = {}) {
  if (ended) throw new Error(ended);
  let answer;
  try {
    const { send, ...rest } = options;
    if (send !== undefined) {
      rest.method ??= 'POST';
      rest.headers = { 'Content-Type': 'application/json' };
      rest.body = JSON.stringify(send);
    }
    answer = await fetch(path.startsWith('/api/') ? base + path : path, rest);
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Error('the server can’t be reached');
  }
  if (answer.status === 204) return null;
  const kind = answer.headers.get('Content-Type') ?? '';
  if (!kind.startsWith('application/json')) throw new Error((await answer.text()).trim() || `status ${answer.status}`);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error ?? `status ${answer.status}`);
  return value;
}

// icon is the picture on a button: strokes on a square of 24 units.
export function icon(path) {
  return s('svg', { viewBox: '0 0 24 24', class: 'glyph', 'aria-hidden': 'true' }, s('path', { d: path }));
}

let saying;

// say has a screen reader speak text, unless newer text replaces it within a moment.
export function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => { document.getElementById('live').textContent = text; }, 250);
}

// seatColors returns the seats' colours in charts: those nearest to their tokens, or
// else the next free one.
export function seatColors(tokens) {
  const near = { black: 0, white: 1, gold: 1, red: 2, blue: 3, green: 4 };
  const taken = new Set();
  const own = tokens.map(t => {
    const n = near[t.tone];
    if (n === undefined || taken.has(n)) return undefined;
    taken.add(n);
    return n;
  });
  return own.map(n => {
    if (n === undefined) for (n = 0; taken.has(n) && n < 7;) n++;
    taken.add(n);
    return `--seat-${n}`;
  });
}

// color returns the current value of a custom property of the page's style.
export const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
