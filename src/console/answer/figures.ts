import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { FormOptions } from '../FormOptions.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { bandAround } from '../chart/Scene.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { remedyOf, bpsText, costRemark, percentText, probabilityOf, significant } from './describeAnswer.ts';

/** Name, value, and a remark that is shown next to the value. */
export type FigureRow = readonly [name: string, value: string, remark?: string | undefined];

const or = <T>(value: T | null, text: (value: T) => string): string => (value === null ? '–' : text(value));

/** The range that is written out; the others are drawn. */
const SHOWN_LEVEL = 0.9;

function rangeFigure(
  { level, low, high, move_bps: bps, coverage }: NonNullable<ForecastDetail['range']>[number],
  write: (price: number) => string,
): FigureRow {
  const name = `${percentText(level)} range`;
  if (low === null || high === null || bps === null) return [name, '–', 'beyond what the model knows'];
  const held =
    coverage === null ? `${bpsText(bps)} each way` : `${percentText(coverage.covered)} of ${coverage.outcomes} earlier ones held`;
  return [name, `${write(low)} to ${write(high)}`, held];
}

/** What the cards show besides the answer itself: the last tick that was used. */
type LastTick = {
  readonly timeUs: number;
  readonly price: number;
  readonly write: (price: number) => string;
  readonly nowMs: number;
  readonly unit: 'tick' | 'bar';
};

/** After so long, the time of the last tick says more than its age. */
const MOST_AGE_MS = 48 * 3_600_000;

/** The answer in five figures: how likely, how far, against which cost, until when, from which tick. */
export function answerCards(
  { opportunity, horizon_ms: horizonMs, logit, input, reasons }: ForecastDetail,
  { minMoveBps }: FormOptions,
  { timeUs, price, write, nowMs, unit }: LastTick,
): FigureRow[] {
  const { probability, min_move_bps: bps } = opportunity;
  const [low, high] = bps === null ? [] : bandAround(price, bps).map(write);
  const isOwn = typeof minMoveBps === 'number';
  const ageMs = nowMs - timeUs / US_PER_MS;
  const [day, clock] = writeTimestamp(timeUs).split(' ') as [string, string];
  const untilUs = timeUs + horizonMs * US_PER_MS;
  return [
    [
      'Probability',
      probability === null ? remedyOf(reasons[0]?.code) : percentText(probability),
      `${or(logit === null ? null : probabilityOf(logit.baseline), percentText)} by volatility alone`,
    ],
    ['Threshold', or(bps, bpsText), bps === null ? undefined : `▼ ${low} ▲ ${high}`],
    ['Your cost', isOwn ? bpsText(minMoveBps) : or(input.cost_bps, bpsText), isOwn ? 'your own threshold' : costRemark({ input })],
    ['Horizon', formatSpan(horizonMs), `until ${writeTimestamp(untilUs).slice(11, 19)} UTC`],
    ageMs < MOST_AGE_MS && ageMs >= 0
      ? [`Last ${unit}`, `${formatSpan(1000 * Math.round(ageMs / 1000))} old`, `${clock.slice(0, 8)} UTC`]
      : [`Last ${unit}`, clock.slice(0, 8), `${day} UTC`],
  ];
}

/** The rest of the answer. */
export function moreFigures(
  { opportunity, direction, range = [] }: ForecastDetail,
  { minMoveBps, minProbability }: FormOptions,
  write: (price: number) => string,
): FigureRow[] {
  return [
    [
      'Marked from',
      or(opportunity.decision_threshold, percentText),
      minProbability !== undefined ? 'your own' : opportunity.decision_threshold === null ? 'never, for this horizon' : 'for this horizon',
    ],
    ['Threshold is', minMoveBps === undefined ? 'from your prices' : minMoveBps === 'cost' ? 'the spread of your quotes' : 'your own'],
    ...range.filter(({ level }) => level === SHOWN_LEVEL).map((one) => rangeFigure(one, write)),
    ...(direction.called === null ? [] : [['Direction', direction.called, `up: ${or(direction.probability_up, percentText)}`] as const]),
  ];
}

export function inputFigures({ input, model }: ForecastDetail, unit: 'tick' | 'bar'): FigureRow[] {
  return [
    [
      unit === 'tick' ? 'Ticks' : 'Bars',
      String(input.ticks),
      input.distinct_ticks === null ? undefined : `${input.distinct_ticks} distinct times`,
    ],
    ['Median gap', or(input.median_gap_ms, formatSpan)],
    ['Volatility', or(input.volatility_bps_per_sqrt_s, (value) => `${significant(value, 3)}`), 'bps per √s'],
    ['Cost', or(input.cost_bps, bpsText), costRemark({ input })],
    ['Model', model.id, `output ${model.head}`],
  ].map(([name, value, remark]) => (remark === undefined ? [name!, value!] : [name!, value!, remark]));
}
