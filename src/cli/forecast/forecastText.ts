import type { Fraction, ReplayRecord } from '../../../training/replay/trackRecord.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { ChanceAbove, RangeBand, TouchAnswer } from '../../contract/outlook.ts';
import { CUTS } from '../../contract/forecastOptions.ts';
import { INPUT_NOTES, MEMORY_REASONS, type MemoryReason } from '../../contract/reasons.ts';
import { plural } from '../../core/plural.ts';
import { quotedPrice } from '../../engine/rules/ruleText.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { formatSpan } from '../../ticks/formatSpan.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import { unpainted, type Paint } from '../CliContext.ts';
import type { TouchCalibration } from '../../engine/forecast/touchCalibration.ts';
import { skillSentence, skillText } from '../../engine/scoring/brierSkill.ts';
import { RIVAL_NAMES, RIVALS } from '../../engine/scoring/conclusions.ts';
import { paidText, wishText } from '../../engine/scoring/payoffWords.ts';
import type { Wish } from '../../engine/scoring/payoff.ts';
import { formatDuration } from '../parseOptions.ts';
import { payoffText } from './payoffText.ts';

export type Prediction = {
  readonly file: string;
  readonly rows: number;
  /** What a row is. */
  readonly unit?: 'tick' | 'bar';
  /** The ticks that were used. */
  readonly series: TickSeries;
  /** Whether their number is the one that suits the horizon. */
  readonly suits?: boolean;
  readonly futureUs: number;
  readonly mark: 1 | null;
  readonly detail: ForecastDetail | null;
  /** Whether the caller named the threshold. */
  readonly isOwn?: boolean;
};

const short = (value: number | null): string => (value === null ? 'none' : String(Number(value.toPrecision(4))));
const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(4)}`;

/** A forecast as text: the result, its reasons, and with `explain` how it was computed. */
export function predictionText(
  { file, rows, unit = 'tick', series, suits = false, futureUs, mark, detail, isOwn = false }: Prediction,
  { explain, allRules = false }: { readonly explain: boolean; readonly allRules?: boolean },
  paint: Paint = unpainted,
): string {
  const first = series.timesUs[0] as number;
  const last = series.timesUs.at(-1) as number;
  const lines = [
    `${file}: the last ${series.timesUs.length.toLocaleString('en-US')} of ${plural(rows, unit)}, ${formatTimestamp(first)} to ${formatTimestamp(last)}${suits ? '; so many suit this horizon' : ''}`,
    `${isOwn ? 'Move beyond your cost' : 'Unusually large move'} by ${formatTimestamp(futureUs)} (${formatDuration(futureUs - last)} ahead): ${mark === 1 ? paint('good', '1, identified') : paint('faint', 'null, none identified')}`,
  ];
  if (detail !== null)
    lines.push(...answerLines(detail, isOwn), ...(explain ? explainLines(detail, series.prices, unit, allRules, isOwn) : []));
  return `${lines.join('\n')}\n`;
}

function answerLines(
  { opportunity, status, reasons, model, direction, ruleset, input, memory, range, above, touch, memory_unused: unused }: ForecastDetail,
  isOwn: boolean,
): string[] {
  return [
    ...(opportunity.min_move_bps === null ? [] : [moveLine(opportunity, isOwn, status)]),
    ...(direction.called === null ? [] : [`  direction: ${direction.called}`]),
    ...(range ?? []).map(rangeLine),
    ...(above === undefined ? [] : [aboveLine(above)]),
    ...(touch === undefined ? [] : touchLines(touch)),
    ...reasons.map(({ code, text }) => `  null because ${code}: ${text}`),
    ...(input.notes.includes('threshold_below_cost')
      ? [
          `  that is less than the spread of ${short(input.cost_bps)} bps, so such a move does not pay: --min-move-bps cost asks for one beyond it`,
        ]
      : []),
    ...(input.notes.includes('seen_in_training') ? [`  ${INPUT_NOTES.seen_in_training}`] : []),
    ...(unused === undefined ? [] : [`  ${unusedText(unused)}`]),
    ...(memory?.used === true && memory.since !== null ? [`  ${memoryText(memory.outcomes, memory.since)}`] : []),
    `  model ${model.id}, head ${model.head}, rules ${ruleset.id}`,
  ];
}

const percentOf = (share: number): string => `${Number((100 * share).toPrecision(4))} %`;
const unknownFor = (reason: string): string =>
  reason === 'range_untrained' ? 'unknown: beyond the thresholds that the model was trained on' : `unknown because ${reason}`;

const rangeLine = (band: RangeBand): string => bandLine('range', band);

function bandLine(of: string, { level, move_bps: bps, low, high, reason, coverage }: RangeBand): string {
  const name = `  ${of} ${percentOf(level)}: `;
  if (bps === null || low === null || high === null) return `${name}${unknownFor(String(reason))}`;
  const held = coverage === null ? '' : `; ${percentOf(coverage.covered)} of ${plural(coverage.outcomes, 'earlier one')} held`;
  return `${name}${Number(low.toPrecision(7))} to ${Number(high.toPrecision(7))} (${short(bps)} bps each way${held})`;
}

const aboveLine = ({ price, probability, reason }: ChanceAbove): string =>
  `  above ${price}: ${probability === null ? unknownFor(String(reason)) : `a probability of ${short(probability)}, without a direction`}`;

function touchLines({ levels, neither, outcomes, reach }: TouchAnswer): string[] {
  const first = (chance: number | null | undefined): string =>
    chance === undefined || chance === null ? '' : `, ${short(chance)} to be the first`;
  return [
    ...levels.map(
      ({ price, probability, first: isFirst, reason }) =>
        `  touch ${price}: ${probability === null ? unknownFor(String(reason)) : `a probability of ${short(probability)}${first(isFirst)}`}`,
    ),
    ...(neither === undefined || neither === null ? [] : [`  neither of both: a probability of ${short(neither)}`]),
    ...reach.map((band) => bandLine('reach', band)),
    ...(outcomes === 0 ? [] : [`  touches are corrected by ${plural(outcomes, 'outcome')} of earlier windows; a touch is no fill`]),
  ];
}

const unusedText = (reason: MemoryReason): string => `Memory of the series not used: ${MEMORY_REASONS[reason]}`;

/** What a forecast has learned from its own series. */
const memoryText = (outcomes: number, since: string): string =>
  outcomes === 0
    ? `learned from the moves of these ticks since ${since}`
    : `learned from ${plural(outcomes, 'outcome')} of earlier windows and the moves of these ticks since ${since}`;

/** What the answer means: for this market with the default threshold, for the cost of the caller with an own one. */
function moveLine(
  { min_move_bps: moveBps, probability, decision_threshold: cut }: ForecastDetail['opportunity'],
  isOwn: boolean,
  status: ForecastDetail['status'],
): string {
  const chance = `has a probability of ${short(probability)}, marked from ${short(cut)}`;
  if (isOwn) return `  a move beyond your cost of ${short(moveBps)} bps ${chance}`;
  if (status === 'abstained') return `  a move of more than ${short(moveBps)} bps ${chance}`;
  return `  an unusually large move is ${status === 'none' ? 'not ' : ''}expected for this market: more than ${short(moveBps)} bps ${chance}`;
}

/** Steps of a smallest probability from 0 to 1 that is advised. */
const CUT_STEPS = 10_000;

/** The change that would turn the answer. A move below a cost that was named or observed is of no use: the probability is told instead. */
function turnedBy({ counterfactual, opportunity, input, status }: ForecastDetail, isOwn: boolean): string {
  if (counterfactual === null) return 'no threshold that was tried';
  const { min_move_bps: turned } = counterfactual;
  const observed = input.notes.includes('cost_from_prices_alone') ? 0 : (input.cost_bps ?? 0);
  if (turned >= Math.max(observed, isOwn ? (opportunity.min_move_bps ?? 0) : 0)) return `--min-move-bps ${short(turned)}`;
  const rounded = Math.floor((opportunity.probability ?? NaN) * CUT_STEPS);
  if (status === 'none' && rounded >= CUTS.minimum * CUT_STEPS) return `--min-probability ${rounded / CUT_STEPS} or less`;
  if (status === 'identified' && rounded < CUTS.maximum * CUT_STEPS) return `--min-probability ${(rounded + 1) / CUT_STEPS} or more`;
  return 'no threshold that pays for the cost';
}

/** A rule is true from here on, by the lower bound of its truth. */
const TRUE_FROM = 0.5;
/** Mids are rounded to so many decimals, and no price has more. */
const MAX_DECIMALS = 9;

function explainLines(detail: ForecastDetail, prices: Float64Array, unit: 'tick' | 'bar', allRules: boolean, isOwn: boolean): string[] {
  const { logit, rules, reasons, levels, input, timings_ms: timings } = detail;
  const forbids = new Set(reasons.map(({ rule }) => rule));
  const shown = rules.filter(({ id, truth }) => allRules || truth[0] >= TRUE_FROM || forbids.has(id));
  const others = rules.filter((rule) => !shown.includes(rule));
  const added = others.reduce((sum, { contribution }) => sum + contribution, 0);
  const decimals = decimalsOf(prices);
  const sum =
    logit === null
      ? 'none'
      : `baseline ${signed(logit.baseline)}, network ${signed(logit.network)}, ${logit.memory === undefined ? '' : `memory ${signed(logit.memory)}, `}rules ${signed(logit.rules)}, total ${signed(logit.total)}`;
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
    `Turned by: ${turnedBy(detail, isOwn)}`,
    `Input: ${plural(input.ticks, unit)}, ${input.distinct_ticks ?? 'unknown'} distinct, median gap ${input.median_gap_ms === null ? 'none' : formatSpan(input.median_gap_ms)}, ` +
      `volatility ${short(input.volatility_bps_per_sqrt_s)} bps per sqrt(s), ${input.notes.includes('cost_from_prices_alone') ? 'cost estimated from prices alone' : 'median spread'} ${short(input.cost_bps)} bps`,
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

export type Replay = {
  readonly file: string;
  readonly rows: number;
  readonly unit?: 'tick' | 'bar';
  readonly model: string;
  /** Of a window. */
  readonly ticks: number;
  readonly horizonUs: number;
  /** Last ticks of the first and the last window. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly record: ReplayRecord;
  /** The threshold of the caller; null: that of each window. */
  readonly minMoveBps: number | null;
  /** Median of the last quotes; absent: the file has none. */
  readonly spreadBps?: number | undefined;
  readonly wish?: Wish;
  readonly memoryUnused?: MemoryReason | undefined;
  /** Absent: not asked for; null: no window has levels that count. */
  readonly touch?: TouchCalibration | null;
};

const LEFT: Readonly<Record<string, string>> = {
  data_ends: 'the file ends before the horizon',
  session_gap: 'the market paused within the horizon',
  level_changed: 'the price went to another level in one step within the horizon',
  no_threshold: 'the window has no threshold (its price stood still)',
  trained_on: 'the version was trained on these ticks',
};

const percent = (share: number): string => (Number.isNaN(share) ? 'none' : `${(100 * share).toFixed(1)} %`);
const range = ([low, high]: readonly [number, number]): string => `90 % interval ${percent(low)} to ${percent(high)}`;
const outOf = ({ count, of, share }: Fraction): string => `${count} of ${of}, ${percent(share)}`;
const counts = (tally: Readonly<Record<string, number>>, name: (key: string) => string): string[] =>
  Object.entries(tally)
    .sort(([, a], [, b]) => b - a)
    .map(([key, count]) => `${count} ${name(key)}`);

/** The track record of a replay as text: every fraction is printed with the base rate. */
export function replayText({
  file,
  rows,
  unit = 'tick',
  model,
  ticks,
  horizonUs,
  fromUs,
  toUs,
  record,
  minMoveBps,
  spreadBps,
  wish,
  memoryUnused,
  touch,
}: Replay): string {
  const { windows, counted, left, marked, hits, baseRate, nulls, skill, payoff, proposal, ranges } = record;
  const leftOut = counts(left, (why) => LEFT[why] ?? why);
  const lines = [
    ...(payoff === null ? [] : [paidText(payoff, minMoveBps !== null, spreadBps)]),
    `${file}: ${plural(windows, 'window')} of ${plural(ticks, unit)}, ${formatDuration(horizonUs)} ahead, ${formatTimestamp(fromUs)} to ${formatTimestamp(toUs)} (${plural(rows, unit)})`,
    `Model ${model}. ${plural(counted, 'window counts', 'windows count')}${leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`}.`,
    ...(memoryUnused === undefined ? [] : [unusedText(memoryUnused)]),
  ];
  if (counted === 0) return `${[...lines, 'There are no windows to score.'].join('\n')}\n`;
  lines.push(
    '',
    `Base rate   ${outOf(baseRate)} of all windows moved by more than their threshold`,
    `Marked 1    ${outOf(marked)}`,
    marked.count === 0
      ? 'Hits        none was marked'
      : `Hits        ${outOf(hits)} of the marked moved (${range(hits.interval90)}; base rate ${percent(baseRate.share)})`,
    `Null        ${counted - marked.count}${marked.count === counted ? '' : `: ${counts(nulls, (code) => code).join(', ')}`}`,
    ...brierLines(skill),
    ...rangeLines(ranges),
    ...(touch === undefined ? [] : calibrationLines(touch)),
    '',
    ...(payoff === null ? [] : [...payoffText(payoff), '']),
    ...(wish === undefined || proposal === undefined ? [] : [wishText(wish, proposal)]),
    verdict(record),
  );
  return `${lines.join('\n')}\n`;
}

/** How often the ranges held. */
const rangeLines = (ranges: ReplayRecord['ranges']): string[] =>
  ranges.map(
    ({ level, held, meanBps }) =>
      `Range ${percentOf(level).padEnd(6)}${outOf(held)} held (${range(held.interval90)}), ${short(meanBps)} bps each way in the mean`,
  );

/** How often levels at the threshold were reached, by the probability of it. */
function calibrationLines(found: TouchCalibration | null): string[] {
  if (found === null) return ['Touches     no window has levels that count'];
  const { levels, reached, deciles, baseline, learned } = found;
  const row = (...cells: readonly string[]): string =>
    `            ${cells.map((cell, at) => cell.padEnd(at === 0 ? 9 : 13)).join('')}`.trimEnd();
  return [
    '',
    `Touches     ${reached} of ${plural(levels, 'level')} at the threshold above and below were reached, ${percent(reached / levels)}. By tenths of the probability:`,
    row('levels', 'probability', 'EWMA', 'reached (90 % interval)'),
    ...deciles.map((one) => {
      const [low, high] = one.reachedInterval90;
      return row(
        String(one.levels),
        percent(one.probability),
        percent(one.baseline),
        `${percent(one.reached / one.levels)} (${percent(low)} to ${percent(high)})`,
      );
    }),
    `            Brier ${baseline.model.toFixed(4)}; ${baseline.rival.toFixed(4)} of a normal price with EWMA volatility: skill ${skillText(baseline)}`,
    `            ${learned.rival.toFixed(4)} of the same, corrected by the outcomes before: skill ${skillText(learned)}`,
  ];
}

function brierLines(skill: ReplayRecord['skill']): string[] {
  if (skill === null) return ['Brier       no window has a probability'];
  const { model, windows } = skill.baseline;
  return [
    `Brier       ${model.toFixed(4)} (lower is better, ${plural(windows, 'window')})`,
    ...RIVALS.map((rival) => `            ${skill[rival].rival.toFixed(4)} of ${RIVAL_NAMES[rival]}: skill ${skillText(skill[rival])}`),
  ];
}

/** The conclusion that the figures support. */
function verdict({ hits, baseRate, skill }: ReplayRecord): string {
  const [low, high] = hits.interval90;
  const marks =
    hits.of === 0
      ? 'Nothing was marked.'
      : low > baseRate.share
        ? 'Marks were right more often than the base rate, beyond chance.'
        : high < baseRate.share
          ? 'Marks were right less often than the base rate.'
          : 'Marks were right about as often as the base rate: no more can be said from so few.';
  return skill === null ? marks : `${marks} ${skillSentence(skill)}`;
}
