import { percentText } from '../answer/describeAnswer.ts';
import { NUMBER, tableOf } from '../dom/element.ts';
import { calibrationPlot } from '../replay/drawCurves.ts';
import type { RecordBin } from './recordBins.ts';

/** What came true over what was said. Without whiskers: overlapping outcomes are no separate evidence, and the record does not know which overlap. */
export function drawRecordCalibration(bins: readonly RecordBin[]): SVGElement {
  const plot = calibrationPlot(Math.max(...bins.flatMap(({ mean, share }) => [mean, share])));
  for (const { mean, share, moved, outcomes } of bins)
    plot.dot('bin', mean, share, [share, share], `${percentText(mean)} said; ${percentText(share)} moved (${moved} of ${outcomes})`);
  return plot.svg;
}

export const calibrationTable = (bins: readonly RecordBin[]): HTMLElement =>
  tableOf(
    'Calibration by tenths of the probability',
    [['Probability'], ['Mean', NUMBER], ['Moved', NUMBER], ['Counts', NUMBER]],
    bins.map(({ from, mean, share, moved, outcomes }) => [
      `${Math.round(from * 100)} to ${Math.round(from * 100) + 10} %`,
      ...[percentText(mean), percentText(share), `${moved.toLocaleString('en')} of ${outcomes.toLocaleString('en')}`],
    ]),
  );
