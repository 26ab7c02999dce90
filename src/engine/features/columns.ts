import { SEQUENCE_COLUMNS, SEQUENCE_STEPS, type WindowMeasures } from './WindowMeasures.ts';

/** How a column changes if every price p becomes 1/p (log returns change sign). */
type Mirror = 'same' | 'negate' | 'one_minus' | 'swap';

/**
 * One column of the network's input. The builder computes `formula` (the raw value); the input is
 * x = (raw - center) * scale, then clipped to [low, high], or squashed to x / (1 + |x| / high) where `isSquashed`.
 * `undefinedAs` replaces a raw value that is undefined in a window (0/0), in units of the input; null if it is always defined.
 */
export type Column<N extends string = string> = {
  readonly name: N;
  readonly formula: string;
  readonly center: number;
  readonly scale: number;
  readonly low: number;
  readonly high: number;
  readonly isSquashed: boolean;
  readonly undefinedAs: number | null;
  readonly mirror: Mirror;
};

type Options = { center?: number; scale?: number; undefinedAs?: number; mirror?: Mirror };

function clipped<N extends string>(name: N, formula: string, clip: readonly [low: number, high: number], options: Options = {}): Column<N> {
  const { center = 0, scale = 1, undefinedAs = null, mirror = 'same' } = options;
  return { name, formula, center, scale, low: clip[0], high: clip[1], isSquashed: false, undefinedAs, mirror };
}

/** Smooth and odd: keeps the order of large values, which clipping would make equal. `low` is -bound, or 0 if raw is never negative. */
function squashed<N extends string>(name: N, formula: string, bound: number, options: Options & { low?: 0 } = {}): Column<N> {
  const { center = 0, scale = 1, undefinedAs = null, mirror = 'same', low = -bound } = options;
  return { name, formula, center, scale, low, high: bound, isSquashed: true, undefinedAs, mirror };
}

/**
 * All columns of the network's input, in order; `npm run docs:reference` writes these rows to docs/reference/features.md.
 * Symbols: n distinct timestamps, T seconds before the origin (last 0), lp log price relative to the last price, r its tick returns,
 * W window, H horizon, s = sigma(600), S = s sqrt(H), g median gap, D patch duration, Dm mean duration of the stream's patches,
 * theta the requested threshold, theta* the default one, q and c as in WindowMeasures, d the mean of the smallest fifth of the nonzero |r|.
 */
export const SEQUENCE_TABLE = [
  squashed('return', '(lp(close) - lp(open)) / (s sqrt(Dm))', 8, { mirror: 'negate' }),
  squashed('max_excursion', '(max lp - lp(open)) / (s sqrt(Dm))', 8, { low: 0, mirror: 'swap' }),
  squashed('min_excursion', '(min lp - lp(open)) / (s sqrt(Dm))', 8, { mirror: 'swap' }),
  clipped('log_variance', '0.5 ln(sum r^2 / (s^2 Dm)), -inf where no price changed', [-4, 4]),
  clipped('log_gap', 'ln(mean gap of the patch / g)', [-6, 6]),
  clipped('log_duration', 'ln(D / H)', [-5, 5], { scale: 1 / 3 }),
  clipped('zero_share', 'fraction of r = 0', [0, 1]),
  clipped('imbalance', '(count r > 0 - count r < 0) / count r', [-1, 1], { mirror: 'negate' }),
  squashed('close_to_last', 'lp(close) / S', 8, { mirror: 'negate' }),
  clipped('stream', '0 coarse, 1 fine', [0, 1]),
] as const;

/** Columns that depend on theta; they are the first columns of the context. */
export const THRESHOLD_TABLE = [
  clipped('volatility_30_theta', 'ln(sigma(30) sqrt(H) / theta), -inf where sigma(30) = 0', [-6, 6]),
  clipped('volatility_120_theta', 'ln(sigma(120) sqrt(H) / theta), -inf where sigma(120) = 0', [-6, 6]),
  clipped('volatility_600_theta', 'ln(S / theta)', [-6, 6]),
  clipped('volatility_window_theta', 'ln(sigma(whole window) sqrt(H) / theta)', [-6, 6]),
  clipped('cost_theta', 'c / theta', [0, 4]),
  clipped('quantile_theta', 'q / theta', [0, 6]),
  clipped('log_quantile_theta', 'ln(q / theta)', [-4, 4]),
  clipped('theta_to_default', 'ln(theta / theta*)', [-4, 4]),
  clipped('share_above_theta', 'fraction of the 512 scaled moves of q above theta', [0, 1]),
  clipped('past_label_share', "(k + 1) / (N + 5): k of N past origins of the window had the label's move above theta", [0, 1]),
  clipped('theta_in_steps', 'ln(theta / d)', [-5, 5], { scale: 0.5 }),
  clipped('step_ceiling', 'ln(d (floor(theta / d + 1e-6) + 1) / theta): the first whole number of price steps above theta', [0, 3]),
  squashed('range_horizon_theta', 'range of lp over the last H / theta', 8, { low: 0 }),
  squashed('range_60_theta', 'range of lp over the last 60 s * sqrt(H / 60) / theta', 8, { low: 0 }),
  squashed('largest_return_theta', 'max |r| / theta', 4, { low: 0 }),
] as const;

export const TEMPO_TABLE = [
  clipped('log_ticks', 'ln(n / 500)', [-3, 3]),
  clipped('horizon_to_window', 'ln(H / W)', [-4, 4], { scale: 1 / 3 }),
  clipped('horizon_to_median_gap', 'ln(H / g)', [-4, 5], { scale: 1 / 3 }),
  clipped('horizon_to_mean_gap', 'ln(H (n - 1) / W)', [-4, 5], { scale: 1 / 3 }),
  clipped('horizon_to_gap_30', 'ln(H / gap(30)); gap(tau) = sum w dC / (5 sum w), the patches of sigma(tau)', [-4, 5], { scale: 1 / 3 }),
  clipped('burst_30_600', 'ln(gap(600) / gap(30))', [-4, 4]),
  clipped('burst_120_window', 'ln(gap(whole window) / gap(120))', [-4, 4]),
  clipped('burst_10s', 'ln((k + 0.5) / (e + 0.5)): k ticks before the origin in the last 10 s, e = min(10, W) (n - 1) / W', [-4, 4]),
  clipped('burst_60s', 'the same over the last 60 s', [-4, 4]),
  clipped('burst_horizon', 'the same over the last H', [-4, 4]),
  clipped('burst_20_ticks', 'ln(g / mean of the last 20 gaps)', [-5, 5]),
  clipped('ticks_in_horizon', 'ln(1 + ticks before the origin in the last H)', [0, 4], { scale: 1 / 3 }),
  clipped('gap_dispersion', 'ln(W / (n - 1) / g)', [-4, 4]),
  clipped('last_gap', 'ln(last gap / g)', [-4, 4], { scale: 0.5 }),
  clipped('longest_recent_gap', 'ln(longest of the last 20 gaps / H)', [-4, 4], { scale: 1 / 3 }),
  clipped('longest_gap', 'ln(longest gap / H)', [-4, 4], { scale: 1 / 3 }),
  clipped('gaps_over_horizon', 'fraction of gaps longer than H', [0, 1]),
  clipped('time_over_horizon', 'sum max(0, gap - H) / W', [0, 1]),
  clipped('no_price_share', '(k + 0.5) / (N + 1): k of N past origins t of the window had no price in [t + 1 s, t + H]', [0, 1]),
  clipped('no_move_share', "(k + 0.5) / (N + 1): k of N past origins of the window had the label's move 0", [0, 1]),
  clipped('since_change', 'ln(time since the price last changed / H)', [-4, 4], { scale: 1 / 3 }),
  clipped('ticks_per_stamp', 'ln(ticks after the session gap / n)', [0, 3]),
  clipped('gap_autocorrelation', 'lag-1 autocorrelation of min(gap, 10 g)', [-1, 1], { undefinedAs: 0 }),
  clipped('log_median_gap', 'ln(g in s)', [-4, 4], { scale: 0.5 }),
  clipped('log_horizon', 'ln(H / 60 s)', [-4, 4], { scale: 0.5 }),
] as const;

export const PRICE_TABLE = [
  squashed('roll', '2 sqrt(max(0, -cov(r_k, r_k-1))) / S', 4, { low: 0 }),
  clipped('return_autocorrelation', 'sum r_k r_k-1 / sum r^2', [-1, 1]),
  clipped('zero_share', 'fraction of r = 0', [0, 1]),
  clipped('zero_share_recent', 'fraction of r = 0 in the last 64 returns', [0, 1]),
  clipped('still_share', 'fraction of the 512 moves of q that are 0', [0, 1]),
  clipped('efficiency', '|lp(first)| / sum |r|', [0, 1]),
  clipped('jump_share', '1 - (pi/2) sum |r_k| |r_k-1| / sum r^2', [0, 1]),
  clipped('largest_share', 'max r^2 / sum r^2', [0, 1]),
  clipped('variance_ratio_5', 'ln of the mean squared 5-tick return / (5 * mean r^2)', [-3, 3]),
  clipped('variance_ratio_20', 'ln of the mean squared 20-tick return / (20 * mean r^2)', [-3, 3]),
  clipped('variance_ratio_patch', '0.5 ln(sigma(whole window)^2 W / sum r^2)', [-4, 4]),
  clipped('recent_variance', '0.5 ln(mean r^2 of the last 20 returns / mean r^2), -inf where they are all 0', [-3, 3]),
  clipped('volatility_clustering', 'lag-1 autocorrelation of |dM|, the patches of sigma', [-1, 1], { undefinedAs: 0 }),
  clipped('kurtosis', 'ln(mean dM^4 / (3 (mean dM^2)^2))', [-2, 5]),
  clipped('position_horizon', '(last - min) / (max - min) of lp over the last H', [0, 1], { undefinedAs: 0.5, mirror: 'one_minus' }),
  clipped('position_60', 'the same over the last 60 s', [0, 1], { undefinedAs: 0.5, mirror: 'one_minus' }),
  clipped('position_window', 'the same over the whole window', [0, 1], { undefinedAs: 0.5, mirror: 'one_minus' }),
  squashed('range_horizon', 'range of lp over the last H / S', 8, { low: 0 }),
  squashed('range_60', 'range of lp over the last 60 s / (s sqrt(60))', 8, { low: 0 }),
  squashed('range_window', 'range of lp over the whole window / (s sqrt(W))', 8, { low: 0 }),
  squashed('abs_momentum_horizon', '|lp(-H)| / S, the price in force H ago (the first one where H > W)', 6, { low: 0 }),
  squashed('abs_momentum_60', '|lp(-60 s)| / (s sqrt(60))', 6, { low: 0 }),
  squashed('momentum_horizon', '-lp(-H) / S', 6, { mirror: 'negate' }),
  squashed('momentum_60', '-lp(-60 s) / (s sqrt(60))', 6, { mirror: 'negate' }),
  squashed('abs_slope', '|t| of the least-squares slope of lp on T over the last 128 ticks', 4, { low: 0, scale: 1 / 8, undefinedAs: 0 }),
  squashed('slope', 't of the same slope', 4, { scale: 1 / 8, undefinedAs: 0, mirror: 'negate' }),
  clipped('imbalance_recent', '(count r > 0 - count r < 0) / count r over the last 64 returns', [-1, 1], { mirror: 'negate' }),
  squashed('level_distance', 'distance of the last price to the nearest swing of the coarse patches / S', 4, { low: 0, undefinedAs: 4 }),
  clipped('level_touches', 'ln(swings at that distance, within s sqrt(Dm) / 4)', [0, 3], { undefinedAs: 0 }),
  squashed('extreme_distance', 'distance of the last price to the nearer extreme of the window / S', 4, { low: 0 }),
  clipped('log_sigma', 'ln s', [-4, 4], { center: -10, scale: 1 / 1.5 }),
] as const;

export const CONTEXT_TABLE = [...THRESHOLD_TABLE, ...TEMPO_TABLE, ...PRICE_TABLE] as const;

export type ContextName = (typeof CONTEXT_TABLE)[number]['name'];

const nameOf = (column: Column): string => column.name;

export const SEQUENCE_COLUMN_NAMES: readonly string[] = SEQUENCE_TABLE.map(nameOf);
export const CONTEXT_COLUMN_NAMES: readonly string[] = CONTEXT_TABLE.map(nameOf);
export const CONTEXT_COLUMNS = CONTEXT_TABLE.length;
/** Position of each context column. */
export const CONTEXT_AT = Object.fromEntries(CONTEXT_TABLE.map((column, i) => [column.name, i])) as Readonly<Record<ContextName, number>>;

const SWAPPED = SEQUENCE_TABLE.flatMap((column, i) => (column.mirror === 'swap' ? [i] : [])) as [number, number];

/**
 * Changes a row in place to the features of the prices 1/p, by the table's `mirror` per column. `swap` exchanges the two
 * excursions and their signs. Bit-exact except for `one_minus`, which rounds once.
 */
export function mirrorSequence(sequence: Float32Array, offset: number): void {
  for (let step = 0, at = offset; step < SEQUENCE_STEPS; step++, at += SEQUENCE_COLUMNS) {
    mirrorColumns(SEQUENCE_TABLE, sequence, at);
    const high = sequence[at + SWAPPED[0]];
    sequence[at + SWAPPED[0]] = -sequence[at + SWAPPED[1]];
    sequence[at + SWAPPED[1]] = -high;
  }
}

export function mirrorContext(context: Float32Array, offset: number): void {
  mirrorColumns(CONTEXT_TABLE, context, offset);
}

function mirrorColumns(table: readonly Column[], values: Float32Array, offset: number): void {
  for (let i = 0; i < table.length; i++) {
    const { mirror } = table[i];
    if (mirror === 'negate') values[offset + i] = -values[offset + i];
    else if (mirror === 'one_minus') values[offset + i] = 1 - values[offset + i];
  }
}

/** ln(sigma(600) sqrt(H) / theta): the only feature of the EWMA baseline, unclipped. */
export function baselineInput(measures: WindowMeasures, theta: number): number {
  return Math.log(measures.sigmaHorizon / theta);
}
