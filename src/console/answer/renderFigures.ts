import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { element } from '../dom/element.ts';
import type { Thresholds } from '../Thresholds.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { bpsText, costRemark, percentText, significant } from './describeAnswer.ts';

/** Name, value, and a remark that is shown next to the value. */
export type FigureRow = readonly [name: string, value: string, remark?: string];

export function renderFigures(box: HTMLElement, rows: readonly FigureRow[]): void {
  box.replaceChildren(
    ...rows.map(([name, value, remark]) =>
      element(
        'div',
        {},
        element('dt', {}, name),
        element('dd', {}, value, remark === undefined ? null : element('span', { class: 'remark' }, remark)),
      ),
    ),
  );
}

const or = <T>(value: T | null, text: (value: T) => string): string => (value === null ? '–' : text(value));

/** The range that is written out; the others are drawn. */
const SHOWN_LEVEL = 0.9;

function rangeFigure({ level, low, high, move_bps: bps, coverage }: NonNullable<ForecastDetail['range']>[number]): FigureRow {
  const name = `${percentText(level)} range`;
  if (low === null || high === null || bps === null) return [name, '–', 'beyond what the model knows'];
  const held =
    coverage === null ? `${bpsText(bps)} each way` : `${percentText(coverage.covered)} of ${coverage.outcomes} earlier ones held`;
  return [name, `${significant(low, 7)} to ${significant(high, 7)}`, held];
}

export function answerFigures(
  { opportunity, direction, horizon_ms: horizonMs, logit, model, range = [] }: ForecastDetail,
  { minMoveBps, minProbability }: Thresholds,
): FigureRow[] {
  const baseline = logit === null ? null : 1 / (1 + Math.exp(-logit.baseline));
  return [
    ['Probability', or(opportunity.probability, percentText), `baseline alone: ${or(baseline, percentText)}`],
    [
      'Marked from',
      or(opportunity.decision_threshold, percentText),
      minProbability !== undefined ? 'your own' : opportunity.decision_threshold === null ? 'never, for this horizon' : 'for this horizon',
    ],
    [
      'Move asked about',
      or(opportunity.min_move_bps, bpsText),
      minMoveBps === null ? 'from your ticks' : minMoveBps === 'cost' ? 'the spread of your quotes' : 'your own',
    ],
    ...range.filter(({ level }) => level === SHOWN_LEVEL).map(rangeFigure),
    ['Horizon', formatSpan(horizonMs), `head ${model.head}`],
    ['Direction', direction.called ?? 'not called', `up: ${or(direction.probability_up, percentText)}`],
  ];
}

export function inputFigures({ input, timings_ms: timings, model }: ForecastDetail): FigureRow[] {
  return [
    ['Ticks', String(input.ticks), input.distinct_ticks === null ? undefined : `${input.distinct_ticks} distinct times`],
    ['Median gap', or(input.median_gap_ms, formatSpan)],
    ['Volatility', or(input.volatility_bps_per_sqrt_s, (value) => `${significant(value, 3)}`), 'bps per √s'],
    ['Cost', or(input.cost_bps, bpsText), costRemark({ input })],
    ['Model', model.id],
    ['Answered in', `${significant(timings.total, 3)} ms`, 'without the way there and back'],
  ].map(([name, value, remark]) => (remark === undefined ? [name!, value!] : [name!, value!, remark]));
}
