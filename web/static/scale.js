// Axes and intervals of charts in numbers and words.
import { count, short } from './dom.js';

// among returns the range of the x axis around a single place.
export const among = x => x === 0 ? [0, 1] : x > 0 ? [0, 2 * x] : [2 * x, 0];

// wide returns the range of the y axis around a single value.
export function wide(y) {
  if (!y) return [0, 1];
  const room = Math.abs(y) / 2;
  return [y - room, y + room];
}

// ticks formats the marks of an axis, which are a step apart, with as many digits as tell them apart.
export function ticks(list, step, share) {
  const scale = share ? 100 : 1;
  const size = Math.max(...list.map(v => Math.abs(v ?? 0))) * scale;
  let digits = Math.max(0, -Math.floor(Math.log10(step * scale) + 1e-9));
  while (digits < 12 && Math.abs(step * scale * 10 ** digits - Math.round(step * scale * 10 ** digits)) > 1e-6) digits++;
  // Small numbers have an exponent, and as many digits before it as the greatest of them needs.
  const power = Math.floor(Math.log10(size || 1));
  const small = digits > 4 && size > 0;
  return list.map(v => {
    if (v === null) return null;
    v *= scale;
    let text = v.toFixed(digits);
    if (Math.abs(v) < step * scale * 1e-6) text = '0';
    else if (small) text = `${(v / 10 ** power).toFixed(Math.max(0, power + digits))}e${power}`;
    else if (size >= 10000 && digits === 0) text = `${v < 0 ? '-' : ''}${count(Math.abs(v))}`;
    return text.replaceAll('-', '−') + (share ? '\u202f%' : '');
  });
}

// plain formats a value of a logarithmic axis.
export const plain = v => v >= 1 && Number.isInteger(v) ? count(v) : short(v);

// interval returns the words for the interval of a value, "" without one: half its width if it reaches as far up as down, else its
// bounds. One that is missing is infinite.
export function interval(s, i, format) {
  const value = s.values[i], low = s.low?.[i] ?? null, high = s.high?.[i] ?? null;
  if (low === null && high === null) return '';
  if (low === null || high === null) return ` (${low === null ? '−∞' : format(low)} to ${high === null ? '∞' : format(high)})`;
  if (Math.abs(high + low - 2 * value) <= 1e-3 * (high - low)) return ` ± ${format((high - low) / 2)}`;
  return ` (${format(low)} to ${format(high)})`;
}
