import type { ModelManifest } from '../../engine/model/ModelManifest.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';

/** A file that was read whole: only whole days are recognized. */
type ReadFile = { readonly sha256: string; readonly series: TickSeries };
export type Period = { readonly fromUs: number; readonly toUs: number };

/** The parts of a file that a version was trained on, under any name and format. */
export async function seenInTraining({ sha256, series }: ReadFile, { lineage }: Pick<ModelManifest, 'lineage'>): Promise<Period[]> {
  if (lineage.data.length === 0) return [];
  const { dayFingerprints } = await import('../../../training/data/dayFingerprints.ts');
  const { seenPeriods } = await import('../../../training/evaluation/seenRows.ts');
  return seenPeriods({ fileSha256: sha256, days: dayFingerprints(series) }, lineage.data);
}

/** Whether any tick of a window lies in one of the periods. */
export function touches(periods: readonly Period[], { timesUs }: TickSeries): boolean {
  return periods.some(({ fromUs, toUs }) => timesUs[0] <= toUs && timesUs.at(-1)! >= fromUs);
}
