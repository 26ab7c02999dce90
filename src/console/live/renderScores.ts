import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import { percentText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { conclusionOf } from '../../engine/live/score.ts';
import { brierText, conclusionText, intervalTexts, MARKS, marksText, rivalOf, scaleOf } from '../record/describeComparison.ts';
import { figureCell } from '../record/figureCell.ts';
import { renderInterval } from '../record/renderInterval.ts';
import { horizonName } from './livePlan.ts';

const HEADS = [
  'Horizon',
  'Outcomes',
  'Marks that came true',
  'All that moved',
  'Brier score',
  'Volatility',
  'Base rate',
  'Better by (99 % interval)',
] as const;

/** The running score of each horizon next to those of the baselines. */
export function renderScores(scores: readonly LiveScore[]): HTMLElement {
  const scale = scaleOf(scores.map(conclusionOf));
  const rowOf = (score: LiveScore): HTMLElement => {
    const { id, forecasts, outcomes, unscored, marks, hits, hit_interval: hitInterval, base_rate: baseRate } = score;
    const comparison = conclusionOf(score);
    const open = Math.max(0, forecasts - outcomes - unscored);
    const waiting = [open === 0 ? '' : `${open} pending`, unscored === 0 ? '' : `${unscored} unknown`].filter((part) => part !== '');
    return element(
      'tr',
      {},
      element('th', { scope: 'row', class: 'wide' }, horizonName(id)),
      figureCell('Outcomes', outcomes.toLocaleString('en'), waiting.length === 0 ? null : waiting.join(', ')),
      figureCell(MARKS, marks === 0 ? '–' : percentText(hits / marks), marksText({ marks, hits, hitInterval })),
      figureCell('All that moved', baseRate === null ? '–' : percentText(baseRate)),
      figureCell('Brier score', brierText(comparison.brier)),
      figureCell('Volatility', brierText(comparison.against.baseline?.brier ?? null)),
      figureCell('Base rate', brierText(comparison.against.base_rate?.brier ?? null)),
      element(
        'td',
        { class: 'interval-cell wide', 'data-name': HEADS[7] },
        renderInterval(rivalOf(comparison), scale),
        ...intervalTexts(comparison).map((text) => element('span', { class: 'step-text' }, text)),
        element('span', { class: 'step-text' }, conclusionText(comparison)),
      ),
    );
  };
  return element(
    'table',
    { class: 'scores stacked' },
    element('caption', { class: 'unseen' }, 'Running score of the stream by horizon'),
    element(
      'thead',
      {},
      element('tr', {}, ...HEADS.map((name, at) => element('th', { scope: 'col', class: at === 0 || at === 7 ? null : 'number' }, name))),
    ),
    element('tbody', {}, ...scores.map(rowOf)),
  );
}
