import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { readTickFile } from '../../src/ticks/import/streamTickFile.ts';
import { SeriesSink, type TickSeries } from '../../src/ticks/TickSeries.ts';
import { joinBars, type MadeBars, makeBars } from './makeBars.ts';

/** A series of tick files. */
export type BarSeries = {
  readonly name: string;
  /** Series that move together; one is left out at a time. */
  readonly group: string;
  /** In time order, relative to the plan. */
  readonly files: readonly string[];
  /** false: it is only evaluated. Default true. */
  readonly trains?: boolean;
};

export const BAR_PERIODS_S = [10, 60, 300] as const;

/** `{ "series": [ … ] }` with absolute paths of the files. */
export function readBarPlan(file: string): BarSeries[] {
  const { series } = JSON.parse(readFileSync(file, 'utf8')) as { series: BarSeries[] };
  const folder = path.dirname(file);
  return series.map((one) => ({ ...one, files: one.files.map((name) => path.resolve(folder, name)) }));
}

/** The ticks of files that follow each other. */
export async function readSeries(files: readonly string[]): Promise<TickSeries> {
  const sink = new SeriesSink(files[0]);
  for (const file of files) {
    const { series } = await readTickFile(file);
    sink.add(series.timesUs, series.prices);
  }
  return sink.takeSeries();
}

/** Bars of each period. */
export async function readBars({ files }: BarSeries): Promise<MadeBars[]> {
  const parts: MadeBars[][] = BAR_PERIODS_S.map(() => []);
  for (const file of files) {
    const { series } = await readTickFile(file);
    BAR_PERIODS_S.forEach((periodS, at) => parts[at].push(makeBars(series, periodS * 1000)));
  }
  return parts.map(joinBars);
}
