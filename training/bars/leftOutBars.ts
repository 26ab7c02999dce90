import type { BarHead, BarModel } from '../../src/engine/model/BarModel.ts';
import { MIN_DECISION, ownRates } from '../evaluation/fitHeads.ts';
import { chooseThreshold, cutOfShare } from '../metrics/decision.ts';
import { BAR_PERIODS_S, type BarSeries, readBars } from './barPlan.ts';
import { type BarRow, barRows } from './barRows.ts';
import type { SeriesAnswers } from './barTables.ts';
import { evaluateBars } from './evaluateBars.ts';
import { BAR_CELLS, fitBars } from './fitBars.ts';

const horizonsOf = (period: number): number[] => BAR_CELLS.filter(([periodS]) => periodS === period).map(([, horizonS]) => horizonS * 1000);

export type BarsRun = {
  /** Fitted on all training series. */
  readonly model: BarModel;
  /** Each series by the model that was fitted without its group. */
  readonly leftOut: readonly SeriesAnswers[];
};

/** Fits bar models without each group, and one on all; answers of the left-out groups give its cuts. */
export async function leftOutBars(plan: readonly BarSeries[], log = (_: string): void => {}): Promise<BarsRun> {
  const rows: BarRow[] = [];
  for (const [of, series] of plan.entries()) {
    if (series.trains === false) continue;
    const bars = await readBars(series);
    BAR_PERIODS_S.forEach((period, at) => rows.push(...barRows(of, bars[at], horizonsOf(period))));
    log(`${series.name}: ${rows.length} rows`);
  }
  // A group that trains nothing leaves out nothing.
  const onAll = fitBars(rows);
  const leftOut: SeriesAnswers[] = [];
  for (const group of new Set(plan.map((series) => series.group))) {
    const others = rows.filter(({ of }) => plan[of].group !== group);
    const model = others.length === rows.length ? onAll : fitBars(others);
    for (const series of plan.filter((one) => one.group === group)) {
      const bars = await readBars(series);
      const answers = BAR_PERIODS_S.flatMap((period, at) => evaluateBars(model, bars[at], horizonsOf(period)));
      leftOut.push({ name: series.name, group, trains: series.trains !== false, answers });
      log(`${series.name}: ${answers.length} answers`);
    }
  }
  const heads = onAll.heads.map((head) => ({ ...head, cut: cutOf(leftOut, head) }));
  return { model: { ...onAll, heads }, leftOut };
}

/**
 * By the rule of the heads of ticks: the smallest probability of windows alone with 1.5 times the hits of its own series, in each group, and such
 * that no series has more than a fifth of its windows marked, alone or with its memory; null: none. Series that do not train count for the last part alone.
 */
function cutOf(series: readonly SeriesAnswers[], { periodS, horizonS }: Pick<BarHead, 'periodS' | 'horizonS'>): number | null {
  const groups = [...new Set(series.map(({ group }) => group))];
  const all = series.flatMap(({ answers, group, trains }, of) =>
    answers
      .filter(({ periodMs, horizonMs }) => periodMs === periodS * 1000 && horizonMs === horizonS * 1000)
      .map(({ window, history, y }) => ({ of, part: groups.indexOf(group), window, history, y, trains })),
  );
  const ofAll = all.map(({ of }) => of);
  const shares = [all.map(({ window }) => window), all.map(({ history }) => history)].map((p) => cutOfShare(p, ofAll));
  const own = all.filter(({ trains }) => trains);
  const y = Uint8Array.from(own, (one) => one.y);
  const rates = ownRates(
    own.map(({ of }) => of),
    y,
  );
  const found = chooseThreshold(
    Float64Array.from(own, ({ window }) => window),
    y,
    { expected: rates, part: Uint8Array.from(own, ({ part }) => part), least: Math.max(...shares) },
  );
  return found === null ? null : Math.max(MIN_DECISION, Math.ceil(1000 * found) / 1000);
}
