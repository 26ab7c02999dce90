import type { ForecastDetail } from '../contract/forecastDetail.ts';
import { formatTimestamp } from '../ticks/formatTimestamp.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import { unpainted, type Paint } from './paint.ts';
import { formatDuration } from './parseDuration.ts';

export type Prediction = {
  readonly file: string;
  readonly rows: number;
  /** The ticks that were used. */
  readonly series: TickSeries;
  readonly futureUs: number;
  readonly mark: 1 | null;
  readonly detail: ForecastDetail | null;
};

const short = (value: number | null): string => (value === null ? 'none' : String(Number(value.toPrecision(4))));
const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;

/** A forecast for people: the answer, its reasons, and with `explain` how it came about. */
export function predictionText(
  { file, rows, series, futureUs, mark, detail }: Prediction,
  explain: boolean,
  paint: Paint = unpainted,
): string {
  const first = series.timesUs[0] as number;
  const last = series.timesUs.at(-1) as number;
  const lines = [
    `${file}: the last ${series.timesUs.length} of ${rows} ticks, ${formatTimestamp(first)} to ${formatTimestamp(last)}`,
    `Opportunity by ${formatTimestamp(futureUs)} (${formatDuration(futureUs - last)} ahead): ${mark === 1 ? paint('good', '1, identified') : paint('faint', 'null, none identified')}`,
  ];
  if (detail !== null) lines.push(...answerLines(detail), ...(explain ? explainLines(detail) : []));
  return `${lines.join('\n')}\n`;
}

function answerLines({ opportunity, reasons, model, direction, ruleset }: ForecastDetail): string[] {
  return [
    `  a move of more than ${short(opportunity.min_move_bps)} bps: probability ${short(opportunity.probability)}, decision threshold ${short(opportunity.decision_threshold)}`,
    ...(direction.called === null ? [] : [`  direction: ${direction.called}`]),
    ...reasons.map(({ code, text }) => `  null because ${code}: ${text}`),
    `  model ${model.id}, head ${model.head}, rules ${ruleset.id}`,
  ];
}

function explainLines({ logit, rules, levels, counterfactual, input, timings_ms: timings }: ForecastDetail): string[] {
  const sum =
    logit === null
      ? 'none'
      : `baseline ${signed(logit.baseline)}, network ${signed(logit.network)}, rules ${signed(logit.rules)}, total ${signed(logit.total)}`;
  return [
    `Logit: ${sum}`,
    'Rules (truth from lower to upper bound, contribution in log-odds):',
    ...rules.map(
      ({ id, text, truth, contribution }) => `  ${id} [${short(truth[0])}, ${short(truth[1])}] ${signed(contribution)}  ${text}`,
    ),
    `Levels: ${levels.length === 0 ? 'none' : levels.map(({ price, kind, touches }) => `${kind} ${price} (${touches} touches)`).join(', ')}`,
    `Turned by: ${counterfactual === null ? 'no threshold that was tried' : `--min-move-bps ${short(counterfactual.min_move_bps)}`}`,
    `Input: ${input.ticks} ticks, ${input.distinct_ticks ?? 'unknown'} distinct, median gap ${short(input.median_gap_ms)} ms, ` +
      `volatility ${short(input.volatility_bps_per_sqrt_s)} bps per sqrt(s), cost at least ${short(input.cost_bps)} bps`,
    `Notes: ${input.notes.length === 0 ? 'none' : input.notes.join(', ')}`,
    `Took ${short(timings.total)} ms`,
  ];
}
