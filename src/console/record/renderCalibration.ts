import { percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { calibrationPlot } from '../replay/drawCurves.ts';
import type { RecordBin } from './recordBins.ts';

/** What came true over what was said. Without whiskers: overlapping outcomes are no separate evidence, and the record does not know which overlap. */
export function drawRecordCalibration(bins: readonly RecordBin[]): SVGElement {
  const plot = calibrationPlot(Math.max(...bins.flatMap(({ mean, share }) => [mean, share])));
  for (const { mean, share, moved, outcomes } of bins)
    plot.dot('bin', mean, share, [share, share], `${percentText(mean)} said; ${percentText(share)} moved (${moved} of ${outcomes})`);
  return plot.svg;
}

const HEADS = ['Probability', 'Mean', 'Moved', 'Counts'];

export function calibrationTable(bins: readonly RecordBin[]): HTMLElement {
  const row = ({ from, mean, share, moved, outcomes }: RecordBin): HTMLElement =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, `${Math.round(from * 100)} to ${Math.round(from * 100) + 10} %`),
      element('td', { class: 'number' }, percentText(mean)),
      element('td', { class: 'number' }, percentText(share)),
      element('td', { class: 'number' }, `${moved.toLocaleString('en')} of ${outcomes.toLocaleString('en')}`),
    );
  return element(
    'table',
    {},
    element('caption', { class: 'unseen' }, 'Calibration by tenths of the probability'),
    element(
      'thead',
      {},
      element('tr', {}, ...HEADS.map((name, i) => element('th', { scope: 'col', class: i === 0 ? null : 'number' }, name))),
    ),
    element('tbody', {}, ...bins.map(row)),
  );
}
