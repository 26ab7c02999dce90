import { SETTINGS } from '../../src/core/config/settingTable.ts';
import type { BenchRow } from '../Bench.ts';
import { disturbedNote, isOurs } from './comparedRow.ts';
import { findKnees, KNEE_P99_MS, type Knee } from './findKnees.ts';
import { median } from './quantile.ts';
import type { Rig } from './Rig.ts';
import { secondsToNormal } from './secondsToNormal.ts';
import type { Side } from './Side.ts';
import { summarize, type Span, type Summary } from './summarize.ts';

const DEADLINE_MS = Number(SETTINGS.FORECAST_DEADLINE_MS.default);
/** Rates as fractions of the knee, consecutive: low, at the knee, above it, low again. */
const RATE_FRACTIONS = [0.5, 0.8, 1, 1.5, 0.5] as const;
/** Length of each phase in visits; queues need time to fill and to drain. */
const LENGTHS = [2, 2, 2, 4, 5] as const;
const QUIET = 0;
const BEYOND = 3;
const AFTER = 4;

type Spell = { readonly spans: readonly Summary[]; readonly normalS: number; readonly isDisturbed: boolean };

/** A tickmark server under overload: bodies of mixed lengths, from 50 % to 150 % of its knee and back. */
export async function overloadRows(rig: Rig, sides: readonly Side[]): Promise<BenchRow[]> {
  const knees = await findKnees(rig, sides.filter(isOurs), 'mixed');
  const cells = knees.map((knee) => ({ knee, spells: [] as Spell[] }));
  // An odd number: the median of two rounds is Infinity if one of them did not come back.
  const rounds = 2 * Math.floor(rig.effort.rounds / 4) + 1;
  for (let round = 0; round < rounds; round++) for (const { knee, spells } of rig.shuffled(cells)) spells.push(await makeSpell(rig, knee));
  return cells.flatMap(({ knee, spells }) => rowsOf(knee, spells));
}

async function makeSpell(rig: Rig, { side, rate }: Knee): Promise<Spell> {
  const phases = RATE_FRACTIONS.map((percentOf, i) => ({ rate: percentOf * rate, seconds: LENGTHS[i] * rig.effort.seconds }));
  const { report, isDisturbed } = await rig.measure(side, 'mixed', { kind: 'open', phases }, Math.min(2, rig.effort.tries));
  let fromMs = 0;
  const spans = phases.map(({ seconds }): Span => ({ fromMs, toMs: (fromMs += 1000 * seconds) }));
  return {
    spans: spans.map((span) => summarize(report, span, DEADLINE_MS)),
    normalS: secondsToNormal(report, spans[QUIET], spans[AFTER], KNEE_P99_MS),
    isDisturbed,
  };
}

function rowsOf({ side, rate }: Knee, spells: readonly Spell[]): BenchRow[] {
  const note = disturbedNote(spells.filter(({ isDisturbed }) => isDisturbed).length);
  const of = (phase: number, pick: (summary: Summary) => number): number => median(spells.map(({ spans }) => pick(spans[phase])));
  const percentOf = (phase: number, name: keyof Summary['counts']): number => of(phase, ({ counts, n }) => (100 * counts[name]) / n);
  const atKnee = { peer: 'its knee', peerValue: rate };
  const rows: BenchRow[] = [{ what: `${side.name}, mixed lengths: knee`, value: rate, unit: '/s' }];
  for (const phase of RATE_FRACTIONS.keys()) {
    if (phase === AFTER) continue;
    const title = `${side.name}, mixed lengths at ${Math.round(100 * RATE_FRACTIONS[phase])} % of its knee`;
    const goodput = of(phase, (summary) => summary.goodput);
    const isBeyond = phase === BEYOND;
    rows.push(
      ...[
        {
          what: `${title}: answers within ${DEADLINE_MS} ms${note}`,
          value: goodput,
          unit: '/s',
          ...(isBeyond ? { ...atKnee, ratio: goodput / rate, target: '>= 0.95x' } : {}),
        },
        {
          what: `${title}: p99 of accepted requests${note}`,
          value: of(phase, ({ p99 }) => p99),
          unit: 'ms',
          ...(isBeyond ? { target: `<= ${DEADLINE_MS} ms` } : {}),
        },
        { what: `${title}: shed with 503`, value: percentOf(phase, 's503'), unit: '%' },
        { what: `${title}: 504`, value: percentOf(phase, 's504'), unit: '%' },
        { what: `${title}: other answers or none`, value: percentOf(phase, 'other') + percentOf(phase, 'none'), unit: '%', target: '0' },
      ],
    );
  }
  const normalS = median(spells.map((spell) => spell.normalS));
  rows.push({
    what: `${side.name}: p99 is back to 1.5 times its value before the overload after${note}`,
    value: normalS,
    unit: 's',
    target: '<= 5 s',
  });
  return rows;
}
