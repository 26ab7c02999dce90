import type { NullReason } from '../../contract/reasons.ts';

/** What to do where a window has no probability. */
const REMEDIES: Readonly<Partial<Record<NullReason, string>>> = {
  horizon_untrained: 'Choose a shorter horizon, or a longer window under Advanced',
  density_untrained: 'Use bars of 10 s to 5 min in place of these prices',
  threshold_untrained: 'Choose a threshold nearer to the mean move',
  too_few_distinct_ticks: 'Use a longer window, under Advanced',
  window_without_duration: 'Use a longer window, under Advanced',
  constant_price: 'Wait until the price moves',
  level_changed: 'Wait until the window lies after the step',
  feature_not_finite: 'Check the prices of the file',
};

/** Stands in place of the probability; a newer service may send codes that this page does not know. */
export const remedyOf = (code: string | undefined): string => (REMEDIES as Readonly<Record<string, string>>)[code ?? ''] ?? '–';
