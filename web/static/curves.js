// Curves of a run's history: their axes, and smoothing.

// along returns an axis's values at iterations: sums over all processes of the run, which count from 0.
export function along(iterations, axis, x) {
  if (axis === 'iteration') return x;
  const column = iterations[axis === 'hours' ? 'elapsed_seconds' : axis] ?? [];
  const at = new Map();
  let before = 0, sum = 0;
  (iterations.iteration ?? []).forEach((n, k) => {
    const v = column[k] ?? before;
    sum += v >= before ? v - before : v;
    before = v;
    at.set(n, axis === 'hours' ? sum / 3600 : sum);
  });
  let last = 0;
  return x.map(n => last = at.get(n) ?? last);
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
