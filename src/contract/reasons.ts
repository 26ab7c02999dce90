import { Type } from '../core/schema.ts';

/** Reasons for a null. An answer lists every reason that applies. */
export const NULL_REASONS = {
  below_threshold: 'The probability is below the decision threshold.',
  vetoed_by_rule: 'A rule forbids a mark on this window.',
  abstained_by_rule: 'A rule that forbids marks cannot be ruled out on this window.',
  head_abstains: 'The model has no decision threshold that met its precision rule for this horizon. Send your own as min_probability.',
  rate_unknown: 'Fewer than 200 forecasts of the series are known: its mark_rate has no probability yet.',
  horizon_untrained: 'The horizon is outside the trained range.',
  density_untrained: 'The ticks are denser or sparser than the trained range.',
  threshold_untrained: 'The threshold is outside the trained range.',
  too_few_distinct_ticks: 'Fewer than 40 distinct timestamps are left after the last session gap.',
  window_without_duration: 'All ticks have the same timestamp.',
  constant_price: 'The price is constant within the window.',
  level_changed: 'The price changes its level in one step, as by a split. Send what follows alone, or adjust what is before.',
  feature_not_finite: 'A feature of the window is not a finite number.',
} as const;

/** Notes on the input of a forecast. */
export const INPUT_NOTES = {
  session_gap_cut: 'Ticks before the last session gap were not used.',
  equal_stamps: 'Of ticks with equal timestamps, only the last price was used.',
  sub_ms_cut: 'Timestamps were truncated to milliseconds.',
  crossed_quotes: 'A bid is above its ask: Bid and Ask may have changed places, or two sources are mixed.',
  few_distinct_ticks: 'Few distinct ticks: the estimates are imprecise.',
  cost_from_prices_alone:
    'cost_bps is estimated from prices alone: about the spread for trades, far below it for mid prices. Send your cost as min_move_bps.',
  threshold_below_cost:
    'The threshold is below cost_bps, the median spread of the quotes: such a move does not pay. Send min_move_bps=cost, or your cost.',
  seen_in_training: 'The version was trained on these ticks: on others its forecasts are less good.',
  bar_time_doubtful: 'The clock says that bar_time is wrong: bar_time_evidence says why.',
  model_is_synthetic: 'The model was trained on generated ticks: its numbers are not valid for real markets.',
} as const;

/** Why the memory of a series was not used. */
export const MEMORY_REASONS = {
  version_without_memory: 'The version does not use the memory of a series.',
  other_origin: 'The memory knows later ticks than this window: it would look into the future.',
  other_period: 'The memory is that of ticks, or of bars of another period.',
  store_unavailable: 'The account store did not answer.',
  too_many_series: 'The account has too many series in use.',
} as const;

export type MemoryReason = keyof typeof MEMORY_REASONS;
export type NullReason = keyof typeof NULL_REASONS;
export type InputNote = keyof typeof INPUT_NOTES;

export const oneOf = <T extends string>(names: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...names], description });
export const codes = <T extends string>(table: Readonly<Record<T, string>>) => {
  const names = Object.keys(table) as T[];
  return oneOf(names, names.map((name) => `${name}: ${table[name]}`).join(' '));
};

export const NullReasonSchema = codes(NULL_REASONS);
export const MemoryReasonSchema = codes(MEMORY_REASONS);
