import type { Fraction, TrackRecord } from '../../training/replay/trackRecord.ts';
import { plural } from '../core/plural.ts';
import { formatTimestamp } from '../ticks/formatTimestamp.ts';
import { formatDuration } from './parseDuration.ts';

export type Replay = {
  readonly file: string;
  readonly rows: number;
  readonly model: string;
  /** Of a window. */
  readonly ticks: number;
  readonly horizonUs: number;
  /** Last ticks of the first and the last window. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly record: TrackRecord;
};

const LEFT: Readonly<Record<string, string>> = {
  data_ends: 'the file ends before the horizon',
  session_gap: 'the market paused within the horizon',
  no_threshold: 'the window has no threshold (its price stood still)',
  trained_on: 'the version was trained on these ticks',
};

const percent = (share: number): string => (Number.isNaN(share) ? 'none' : `${(100 * share).toFixed(1)} %`);
const range = ([low, high]: readonly [number, number]): string => `90 % interval ${percent(low)} to ${percent(high)}`;
const outOf = ({ count, of, share }: Fraction): string => `${count} of ${of}, ${percent(share)}`;
const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(4)}`;
const counts = (tally: Readonly<Record<string, number>>, name: (key: string) => string): string[] =>
  Object.entries(tally)
    .sort(([, a], [, b]) => b - a)
    .map(([key, count]) => `${count} ${name(key)}`);

/** The track record of a replay as text: every fraction is printed with the base rate. */
export function replayText({ file, rows, model, ticks, horizonUs, fromUs, toUs, record }: Replay): string {
  const { windows, counted, left, marked, hits, baseRate, nulls, brier } = record;
  const leftOut = counts(left, (why) => LEFT[why] ?? why);
  const lines = [
    `${file}: ${plural(windows, 'window')} of ${plural(ticks, 'tick')}, ${formatDuration(horizonUs)} ahead, ${formatTimestamp(fromUs)} to ${formatTimestamp(toUs)} (${plural(rows, 'tick')})`,
    `Model ${model}. ${plural(counted, 'window counts', 'windows count')}${leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`}.`,
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
    ...brierLines(brier),
    '',
    verdict(record),
  );
  return `${lines.join('\n')}\n`;
}

function brierLines(brier: TrackRecord['brier']): string[] {
  if (brier === null) return ['Brier       no window has a probability'];
  const interval = brier.skillInterval95;
  const sure =
    interval === null
      ? `over ${plural(brier.hours, 'hour')}, too few for an interval`
      : `95 % interval ${signed(interval[0])} to ${signed(interval[1])}`;
  return [
    `Brier       ${brier.model.toFixed(4)} model, ${brier.baseline.toFixed(4)} volatility baseline, ${brier.baseRate.toFixed(4)} base rate (lower is better, ${plural(brier.windows, 'window')})`,
    `Skill       ${signed(brier.skill)} over the volatility baseline, ${sure}`,
  ];
}

/** The conclusion that the figures support. */
function verdict({ hits, baseRate, brier }: TrackRecord): string {
  const [low, high] = hits.interval90;
  const marks =
    hits.of === 0
      ? 'Nothing was marked.'
      : low > baseRate.share
        ? 'Marks were right more often than the base rate, beyond chance.'
        : high < baseRate.share
          ? 'Marks were right less often than the base rate.'
          : 'Marks were right about as often as the base rate: no more can be said from so few.';
  const interval = brier?.skillInterval95 ?? null;
  if (interval === null) return `${marks} For the probabilities there is too little data to say.`;
  if (interval[0] > 0) return `${marks} Probabilities were better than the volatility baseline's.`;
  return `${marks} Probabilities were ${interval[1] < 0 ? 'worse than' : 'not clearly better than'} the volatility baseline's.`;
}
