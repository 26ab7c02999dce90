import { SETTINGS } from '../../src/core/config/settingTable.ts';
import type { BenchRow } from '../Bench.ts';
import { findKnee, KNEE_P99_MS } from './findKnee.ts';
import type { Rig } from './Rig.ts';
import type { Side } from './startTickmark.ts';
import { median, secondsToNormal, summarize, type Span, type Summary } from './summarize.ts';

const DEADLINE_MS = Number(SETTINGS.FORECAST_DEADLINE_MS.default);
/** Rates as fractions of the knee, consecutive, and the length of each in visits: queues need time to fill and to drain. */
const PHASES = [
  { fraction: 0.5, visits: 2 },
  { fraction: 0.8, visits: 2 },
  { fraction: 1, visits: 2 },
  { fraction: 1.5, visits: 4 },
  { fraction: 0.5, visits: 5 },
] as const;

/** A tickmark server under overload: bodies of mixed lengths, from 50 % to 150 % of its knee and back. */
export async function overloadRows(rig: Rig, side: Side): Promise<BenchRow[]> {
  const knee = await findKnee(rig, side, 'mixed');
  const phases = PHASES.map(({ fraction, visits }) => ({ rate: fraction * knee, seconds: visits * rig.effort.seconds }));
  let fromMs = 0;
  const spans = phases.map(({ seconds }): Span => ({ fromMs, toMs: (fromMs += 1000 * seconds) }));
  const spells: { readonly summaries: readonly Summary[]; readonly normalS: number }[] = [];
  // An odd number: the median of two rounds is Infinity if one of them did not come back.
  for (let round = 0; round < 2 * Math.floor(rig.effort.rounds / 4) + 1; round++) {
    const { outcomes } = await rig.measure(side, 'mixed', { phases });
    const summaries = spans.map((span) => summarize(outcomes, span, DEADLINE_MS));
    spells.push({ summaries, normalS: secondsToNormal(outcomes, spans[0], spans.at(-1)!, KNEE_P99_MS) });
  }
  const rowsOf = ({ fraction }: (typeof PHASES)[number], phase: number): BenchRow[] => {
    const of = (pick: (summary: Summary) => number): number => median(spells.map(({ summaries }) => pick(summaries[phase])));
    const percentOf = (...names: (keyof Summary['counts'])[]): number =>
      of(({ counts, n }) => (100 * names.reduce((sum, name) => sum + counts[name], 0)) / n);
    const title = `${side.name}, mixed lengths at ${Math.round(100 * fraction)} % of its knee`;
    const [goodput, p99] = [of((summary) => summary.goodput), of((summary) => summary.p99)];
    const beyond = { peer: 'its knee', peerValue: knee, ratio: goodput / knee, target: '>= 0.95x' };
    return [
      { what: `${title}: answers within ${DEADLINE_MS} ms`, value: goodput, unit: '/s', ...(fraction > 1 ? beyond : {}) },
      { what: `${title}: p99 of accepted requests`, value: p99, unit: 'ms', ...(fraction > 1 ? { target: `<= ${DEADLINE_MS} ms` } : {}) },
      { what: `${title}: shed with 503`, value: percentOf('s503'), unit: '%' },
      { what: `${title}: 504`, value: percentOf('s504'), unit: '%' },
      { what: `${title}: other answers or none`, value: percentOf('other', 'none'), unit: '%', target: '0' },
    ];
  };
  return [
    { what: `${side.name}, mixed lengths: knee`, value: knee, unit: '/s' },
    ...PHASES.slice(0, -1).flatMap(rowsOf),
    {
      what: `${side.name}: p99 is back to 1.5 times its value before the overload after`,
      value: median(spells.map(({ normalS }) => normalS)),
      unit: 's',
      target: '<= 5 s',
    },
  ];
}
