import type { ForecastDetail } from '../contract/forecastDetail.ts';
import { plural } from '../core/plural.ts';
import { quotedPrice } from '../rules/ruleText.ts';
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

/** A forecast as text: the result, its reasons, and with `explain` how it was computed. */
export function predictionText(
  { file, rows, series, futureUs, mark, detail }: Prediction,
  { explain, allRules = false }: { readonly explain: boolean; readonly allRules?: boolean },
  paint: Paint = unpainted,
): string {
  const first = series.timesUs[0] as number;
  const last = series.timesUs.at(-1) as number;
  const lines = [
    `${file}: the last ${series.timesUs.length.toLocaleString('en-US')} of ${plural(rows, 'tick')}, ${formatTimestamp(first)} to ${formatTimestamp(last)}`,
    `Opportunity by ${formatTimestamp(futureUs)} (${formatDuration(futureUs - last)} ahead): ${mark === 1 ? paint('good', '1, identified') : paint('faint', 'null, none identified')}`,
  ];
  if (detail !== null) lines.push(...answerLines(detail), ...(explain ? explainLines(detail, series.prices, allRules) : []));
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

/** A rule is true from here on, by the lower bound of its truth. */
const TRUE_FROM = 0.5;
/** Mids are rounded to so many decimals, and no price has more. */
const MAX_DECIMALS = 9;

function explainLines(
  { logit, rules, reasons, levels, counterfactual, input, timings_ms: timings }: ForecastDetail,
  prices: Float64Array,
  allRules: boolean,
): string[] {
  const forbids = new Set(reasons.map(({ rule }) => rule));
  const shown = rules.filter(({ id, truth }) => allRules || truth[0] >= TRUE_FROM || forbids.has(id));
  const others = rules.filter((rule) => !shown.includes(rule));
  const added = others.reduce((sum, { contribution }) => sum + contribution, 0);
  const decimals = decimalsOf(prices);
  const sum =
    logit === null
      ? 'none'
      : `baseline ${signed(logit.baseline)}, network ${signed(logit.network)}, rules ${signed(logit.rules)}, total ${signed(logit.total)}`;
  return [
    `Logit: ${sum}`,
    'Rules (truth from lower to upper bound, contribution in log-odds):',
    ...shown.map(
      ({ id, text, truth, contribution }) =>
        `  ${id} [${short(truth[0])}, ${short(truth[1])}] ${signed(contribution)}  ${withRoundedLevels(text, levels, decimals)}`,
    ),
    ...(others.length === 0
      ? []
      : [
          `  ${plural(others.length, 'other rule is', 'other rules are')} not true and ${others.length === 1 ? 'adds' : 'add'} ${signed(added)}: --all-rules`,
        ]),
    `Levels: ${levels.length === 0 ? 'none' : levels.map(({ price, kind, touches }) => `${kind} ${price.toFixed(decimals)} (${plural(touches, 'touch', 'touches')})`).join(', ')}`,
    `Turned by: ${counterfactual === null ? 'no threshold that was tried' : `--min-move-bps ${short(counterfactual.min_move_bps)}`}`,
    `Input: ${plural(input.ticks, 'tick')}, ${input.distinct_ticks ?? 'unknown'} distinct, median gap ${short(input.median_gap_ms)} ms, ` +
      `volatility ${short(input.volatility_bps_per_sqrt_s)} bps per sqrt(s), cost at least ${short(input.cost_bps)} bps`,
    `Notes: ${input.notes.length === 0 ? 'none' : input.notes.join(', ')}`,
    `Took ${short(timings.total)} ms`,
  ];
}

/** The sentence of a rule quotes levels to eight digits. */
function withRoundedLevels(text: string, levels: ForecastDetail['levels'], decimals: number): string {
  return levels.reduce((rounded, { price }) => {
    const quoted = new RegExp(`(?<![\\d.])${quotedPrice(price).replace('.', '\\.')}(?![\\d.])`, 'g');
    return rounded.replace(quoted, price.toFixed(decimals));
  }, text);
}

/** Decimals of the price with the most: levels are computed, and are shown as finely as the file writes its prices. */
function decimalsOf(prices: Float64Array): number {
  let decimals = 0;
  for (const price of prices) while (decimals < MAX_DECIMALS && Number(price.toFixed(decimals)) !== price) decimals++;
  return decimals;
}
