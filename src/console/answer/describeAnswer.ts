import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { InputNote, NullReason } from '../../contract/reasons.ts';
import { formatSpan } from '../ticks/timeText.ts';
import type { Outcome } from '../ticks/labelOutcome.ts';

export type AnswerWords = {
  readonly headline: string;
  /** The answer in a line. */
  readonly line: string;
  /** The answer in whole sentences, in the order of reading. */
  readonly sentences: readonly string[];
};

/** What is asked: the move and the time. `isOwn`: the threshold is the user's. */
function question({ opportunity, horizon_ms: horizonMs }: ForecastDetail, isOwn: boolean): string {
  const { min_move_bps: bps } = opportunity;
  const own = isOwn ? 'beyond your cost of' : 'of more than';
  const move = bps === null ? 'a move over the threshold' : `a move ${own} ${bpsText(bps)}, up or down,`;
  return `${move} within ${formatSpan(horizonMs)}`;
}

function probabilitySentence(mark: 1 | null, detail: ForecastDetail, isOwn: boolean): string[] {
  const { probability, decision_threshold: threshold } = detail.opportunity;
  if (probability === null) return [`No probability can be given for ${question(detail, isOwn)}.`];
  const given = `The model gives ${percentText(probability)} to ${question(detail, isOwn)}.`;
  if (threshold === null) return [given];
  const large = isOwn ? '' : ': an unusually large move is expected for this market';
  const is = probability < threshold ? 'so this one is not' : mark === null ? 'but this one is not' : `so this one is${large}`;
  return [given, `Windows are marked from ${percentText(threshold)} on, ${is}.`];
}

const isCostEstimated = ({ notes }: ForecastDetail['input']): boolean => notes.includes('cost_from_prices_alone');

/** Where the cost of the answer comes from. */
export const costRemark = ({ input }: Pick<ForecastDetail, 'input'>): string =>
  isCostEstimated(input) ? 'estimated from prices: name your own' : 'median spread of your quotes';

function counterfactualSentence(mark: 1 | null, { counterfactual, opportunity, input }: ForecastDetail, isOwn: boolean): string[] {
  if (counterfactual === null) return [];
  const { min_move_bps: turned } = counterfactual;
  // A move below a cost that was named or observed is of no use.
  const observed = isCostEstimated(input) ? 0 : (input.cost_bps ?? 0);
  if (turned < Math.max(observed, isOwn ? (opportunity.min_move_bps ?? 0) : 0)) return [];
  const from = opportunity.min_move_bps ?? turned;
  const side = turned === from ? 'of' : turned > from ? 'raised to' : 'lowered to';
  return [`With a threshold ${side} about ${bpsText(turned)} the answer would change to ${mark === 1 ? 'no mark' : 'a mark'}.`];
}

/** Why there is no mark, without ids: a rule is named by what it found, a head by what it does. Empty where the probability is too low, or for a mark. */
export function reasonWords({ reasons, rules }: Pick<ForecastDetail, 'reasons' | 'rules'>): string[] {
  return reasons
    .filter(({ code }) => code !== 'below_threshold')
    .map(({ code, rule, text }) => {
      if (code === 'head_abstains') return 'the model never gives a mark at this horizon and threshold';
      const found = rules.find(({ id }) => id === rule)?.text ?? text;
      return code === 'abstained_by_rule' ? `it cannot be ruled out that ${found}` : found;
    });
}

/** `An unusually large move within 1 min`; `Beyond your 8.1 bps within 5 min` with a cost. Without a cost, a large move is not one that pays. */
export const askedMove = (within: string, costBps: number | null): string =>
  `${costBps === null ? 'An unusually large move' : `Beyond your ${bpsText(costBps)}`} within ${within}`;

/** `37 %, usually 20 %`. @param usual how often such a move came before; null: not known */
export const chanceWords = (probability: number, usual: number | null): string =>
  `${percentText(probability)}${usual === null ? '' : `, usually ${percentText(usual)}`}`;

function lineOf(mark: 1 | null, detail: ForecastDetail, isOwn: boolean): string {
  const { decision_threshold: cut, min_move_bps: bps } = detail.opportunity;
  const move = bps === null || isOwn ? '' : `More than ${bpsText(bps)}, up or down. `;
  const [why] = reasonWords(detail);
  const marks = why ?? (cut === null ? '' : `marks begin at ${percentText(cut)}`);
  return `${move}${mark === 1 ? 'Marked' : 'Not marked'}${marks === '' ? '' : `: ${marks}`}.`;
}

/** The answer in plain sentences; `isOwn`: for a threshold of the user. Promises no accuracy and no profit. */
export function describeAnswer(mark: 1 | null, detail: ForecastDetail, isOwn = false, usual: number | null = null): AnswerWords {
  const { horizon_ms: horizonMs, direction, opportunity } = detail;
  const { probability, min_move_bps: bps } = opportunity;
  const chance = probability === null ? 'no probability' : chanceWords(probability, usual);
  const called = direction.called === null ? [] : [`Direction called: ${direction.called}.`];
  return {
    headline: `${askedMove(formatSpan(horizonMs), isOwn ? bps : null)}: ${chance}`,
    line: lineOf(mark, detail, isOwn),
    sentences: [...probabilitySentence(mark, detail, isOwn), ...called, ...counterfactualSentence(mark, detail, isOwn)],
  };
}

/** What each note of the input means for the reader of the answer. The compiler compares the list with the contract. */
const NOTES: Readonly<Record<InputNote, string>> = {
  session_gap_cut: 'The market paused within the window: ticks before the pause were left out.',
  equal_stamps: 'Some ticks share a timestamp: the last price of each counts.',
  sub_ms_cut: 'Timestamps are finer than a millisecond: they were cut to milliseconds.',
  crossed_quotes: 'Some bids are above their asks: check that bid and ask have not changed places.',
  threshold_below_cost:
    'The threshold is below the spread of your quotes: a move of this size does not pay for it. Use the spread of each window, or your own cost.',
  seen_in_training: 'This version was trained on these prices: on others its forecasts are less good.',
  few_distinct_ticks: 'Few distinct ticks: the estimates are imprecise. Send more.',
  cost_from_prices_alone:
    'The cost is estimated from prices alone: about the spread for trades, far below it for mid prices. Set your own threshold.',
  bar_time_doubtful: 'The clock says that the timestamps of the bars were read wrong: check whether they are beginnings or ends.',
  model_is_synthetic: 'This model was trained on generated ticks: its numbers mean nothing on a market.',
};

/** A newer service may send notes that this page does not know: their code is shown. */
export function noteText(code: string): string {
  return (NOTES as Readonly<Record<string, string>>)[code] ?? code.replaceAll('_', ' ');
}

/** `0.4212` as `42 %`; below 1 and above 99 with one digit more, and never `0 %` or `100 %` for what is not. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.1) return 'under 0.1 %';
  if (percent > 99.9) return 'over 99.9 %';
  return percent < 1 || percent > 99 ? `${percent.toFixed(1)} %` : `${Math.round(percent)} %`;
}

/** Basis points with three significant digits. */
export function bpsText(bps: number): string {
  return `${significant(bps, 3)} bps`;
}

export function significant(value: number, digits: number): string {
  return value === 0
    ? '0'
    : Number(value.toPrecision(digits)).toLocaleString('en', { maximumSignificantDigits: digits, useGrouping: false });
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A price with its own digits, without the rounding errors of binary fractions. */
export function priceText(price: number): string {
  return String(Number(price.toPrecision(12)));
}

export const probabilityOf = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** The outcome of the window, in a sentence. */
export function outcomeText(outcome: Outcome, minMoveBps: number | null): string {
  if (outcome.status === 'unknown')
    return outcome.why === 'file_ends'
      ? 'Outcome unknown: the file ends before the future time.'
      : 'Outcome not counted: the market paused before the future time.';
  if (minMoveBps === null) return 'Outcome not counted: no threshold could be derived for this window.';
  if (outcome.entry === null) return 'No price arrived between entry and future time: no move.';
  if (outcome.moveBps === 0) return 'Then the price did not move.';
  const size = bpsText(Math.abs(outcome.moveBps));
  const way = `went ${outcome.moveBps > 0 ? 'up' : 'down'} ${size}`;
  const isOver = Math.abs(outcome.moveBps) > minMoveBps;
  return `Then the price ${way}: ${isOver ? 'more than' : 'not more than'} the threshold of ${bpsText(minMoveBps)}.`;
}

/** `version`: of the engine of the page; null: the service. */
export const placeText = (version: string | null): string =>
  version === null ? 'Computed by the service.' : `Computed in this page by ${version}; nothing was sent.`;

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
