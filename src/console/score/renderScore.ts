import { countText, percentText } from '../answer/describeAnswer.ts';
import { skillSentence } from '../../engine/scoring/brierSkill.ts';
import { RIVAL_NAMES, RIVALS } from '../../engine/scoring/conclusions.ts';
import { element } from '../dom/element.ts';
import type { Score } from './Score.ts';

/** Below this many windows a fraction says next to nothing. */
const FEW_WINDOWS = 30;

function comparisonText({ skill, windows }: Score): string {
  if (windows < FEW_WINDOWS) return `Only ${countText(windows, 'window')} so far: too few to be meaningful.`;
  return skill === null ? '' : skillSentence(skill);
}

/** The running score; every figure of the model is shown next to that of its baseline. */
export function renderScore(score: Score): readonly HTMLElement[] {
  const { windows, marks, hits, moves, precision, baseRate, skill } = score;
  const fraction = (value: number | null): string => (value === null ? '–' : percentText(value));
  const row = (name: string, own: string, baseline: string): HTMLElement =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      element('td', { class: 'number' }, own),
      element('td', { class: 'number' }, baseline),
    );
  const words = `${countText(windows, 'window')} with a known outcome: ${moves} moved over the threshold, ${marks} ${marks === 1 ? 'was' : 'were'} marked, ${hits} of them correctly.`;
  const table = element(
    'table',
    {},
    element('caption', { class: 'unseen' }, 'Running score and its baselines'),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'Score'),
        element('th', { scope: 'col', class: 'number' }, 'tickmark'),
        element('th', { scope: 'col', class: 'number' }, 'baseline'),
      ),
    ),
    element(
      'tbody',
      {},
      row('Marks that came true (baseline: fraction of all windows that moved)', fraction(precision), fraction(baseRate)),
      ...(skill === null
        ? []
        : RIVALS.map((rival) =>
            row(
              `Brier score, smaller is better (baseline: ${RIVAL_NAMES[rival]})`,
              ...([skill[rival].model.toFixed(4), skill[rival].rival.toFixed(4)] as const),
            ),
          )),
    ),
  );
  return [element('p', { class: 'score-words' }, `${words} ${comparisonText(score)}`.trim()), table];
}
