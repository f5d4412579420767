// Curves of a run's history: their axes, and smoothing.

// along returns an axis's values at iterations, in ascending order: sums over all processes of the run, which count from 0. Of a long
// run some iterations are known; between them the values grow evenly.
export function along(iterations, axis, x) {
  if (axis === 'iteration') return x;
  const column = iterations[axis === 'hours' ? 'elapsed_seconds' : axis] ?? [];
  const known = iterations.iteration ?? [];
  let before = 0, sum = 0;
  const sums = known.map((n, k) => {
    const v = column[k] ?? before;
    sum += v >= before ? v - before : v;
    before = v;
    return axis === 'hours' ? sum / 3600 : sum;
  });
  let k = 0;
  return x.map(n => {
    while (k < known.length && known[k] < n) k++;
    if (k === known.length) return sums.at(-1) ?? 0;
    const [from, low] = k ? [known[k - 1], sums[k - 1]] : [0, 0];
    return known[k] === from ? sums[k] : low + (sums[k] - low) * (n - from) / (known[k] - from);
  });
}

// HEADS are parts of a network; figures of their losses begin with these names.
const HEADS = { policy: 'policy', target: 'policy', value: 'value', cells: 'cells', seats: 'seats', belief: 'belief' };

// has reports whether a table has a column with any number. 0 is one, except for losses of a head that the network does not have: they
// are always 0.
export function has(table, name) {
  const any = column => column?.some(v => v !== null && v !== undefined);
  if (!any(table?.[name])) return false;
  const [, group, key] = /^(losses|held_out)\/(.*)$/.exec(name) ?? [];
  const head = key && HEADS[key.split('_')[0]];
  return !head || !!table[`${group}/${head}`]?.some(v => v);
}

// smooth returns the exponential moving average of values, unbiased at their beginning.
export function smooth(values, share) {
  if (!share) return values;
  let sum = 0, weight = 0;
  return values.map(v => {
    if (v === null || v === undefined) return v;
    sum = share * sum + (1 - share) * v;
    weight = share * weight + 1 - share;
    return sum / weight;
  });
}

export const AXES = [['iteration', 'iterations'], ['games', 'games'], ['evaluations', 'evaluations'], ['hours', 'hours']];
export const SMOOTHING = [['0', 'none'], ['0.6', 'some'], ['0.9', 'much']];
export const SCALES = [['', 'linear'], ['x', 'log x'], ['y', 'log y'], ['xy', 'log x and y']];
