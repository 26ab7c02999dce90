import type { InputNote } from '../../contract/forecastDetail.ts';

/** What each note of the input means for the reader of the answer. The compiler compares the list with the contract. */
const NOTES: Readonly<Record<InputNote, string>> = {
  session_gap_cut: 'The market paused within the window: ticks before the pause were left out.',
  equal_stamps: 'Some ticks share a timestamp: the last price of each counts.',
  sub_ms_cut: 'Timestamps are finer than a millisecond: they were cut to milliseconds.',
  few_distinct_ticks: 'Few distinct ticks: the estimates are imprecise. Send more.',
  cost_from_prices_alone:
    'The cost is estimated from prices alone and is a lower bound, far below the real spread: set your own threshold.',
  model_is_synthetic: 'This model was trained on generated ticks: its numbers mean nothing on a market.',
};

/** A newer service may send notes that this page does not know: their code is shown. */
export function noteText(code: string): string {
  return (NOTES as Readonly<Record<string, string>>)[code] ?? code.replaceAll('_', ' ');
}
