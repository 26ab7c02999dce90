/** What forecasts are compared with; both learn from the outcomes before each forecast (SeriesBaselines). */
export const RIVALS = ['baseline', 'base_rate'] as const;
export type Rival = (typeof RIVALS)[number];

export const RIVAL_NAMES: Readonly<Record<Rival, string>> = {
  baseline: 'the recalibrated volatility baseline',
  base_rate: 'the base rate so far',
};

/** `too_few`: the interval contains 0, or there is none. */
export type Concluded = 'better' | 'worse' | 'too_few';

/** `interval`: of how much better the forecasts are. */
export function concludedOf(interval: readonly [number, number] | null): Concluded {
  if (interval === null || !(interval[0] > 0 || interval[1] < 0)) return 'too_few';
  return interval[0] > 0 ? 'better' : 'worse';
}

/** The better of the baselines: the forecasts gain least on it. A conclusion refers to it alone. Null: there is none. */
export function strongestOf<A>(against: Readonly<Record<Rival, A | null>>, gainOf: (one: A) => number): Rival | null {
  return RIVALS.reduce<Rival | null>((best, rival) => {
    const one = against[rival];
    if (one === null) return best;
    return best === null || gainOf(one) < gainOf(against[best]!) ? rival : best;
  }, null);
}

const CONCLUDED: Readonly<Record<Concluded, string>> = {
  better: 'better than',
  worse: 'worse than',
  too_few: 'not told apart from',
};

/** For a cell of a table. */
export const concludedText = (conclusion: Concluded, rival: Rival): string => `${CONCLUDED[conclusion]} ${RIVAL_NAMES[rival]}`;

/** `figures`: those that the conclusion follows from. */
export function concludedSentence(conclusion: Concluded, rival: Rival, figures: string): string {
  const name = RIVAL_NAMES[rival];
  if (conclusion === 'too_few') return `The probabilities cannot be told apart from ${name} yet: ${figures}.`;
  const alone = conclusion === 'worse' ? ` Without the model, ${name} alone would have been better.` : '';
  return `The probabilities were ${CONCLUDED[conclusion]} ${name}: ${figures}.${alone}`;
}

/** `+0.0031`; the minus is the typographic one, as wide as the plus. What rounds to 0 has no sign, and what is not finite is a dash. */
export function signedText(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`;
}

/** `+0.0050 (99 % interval +0.0036 to +0.0064)`. */
export const intervalText = (value: number, interval: readonly [number, number] | null, percent: number, digits?: number): string =>
  interval === null
    ? `${signedText(value, digits)} (too little for an interval)`
    : `${signedText(value, digits)} (${percent} % interval ${signedText(interval[0], digits)} to ${signedText(interval[1], digits)})`;
