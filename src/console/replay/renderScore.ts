import { countText, percentText } from '../answer/describeAnswer.ts';
import { skillSentence } from '../../engine/scoring/brierSkill.ts';
import { RIVAL_NAMES, RIVALS } from '../../engine/scoring/conclusions.ts';
import { element, NUMBER, tableOf } from '../dom/element.ts';
import type { Rate } from './curves.ts';
import type { ReplayRecord } from './replayRecord.ts';

/** Below this many windows a fraction says next to nothing. */
const FEW_WINDOWS = 30;

/** The running score; every figure of the model is shown next to that of its baseline. */
export function renderScore({ counted, marked, hits, baseRate, skill }: ReplayRecord): readonly HTMLElement[] {
  const fraction = ({ of, share }: Rate): string => (of === 0 ? '–' : percentText(share));
  const marks = `${marked.count} ${marked.count === 1 ? 'was' : 'were'} marked, ${hits.count} of them correctly`;
  const words = `${countText(counted, 'window')} with a known outcome: ${baseRate.count} moved over the threshold, ${marks}.`;
  const few = `Only ${countText(counted, 'window')} so far: too few to be meaningful.`;
  const more = counted < FEW_WINDOWS ? few : skill === null ? '' : skillSentence(skill);
  const scores = RIVALS.map((rival) => [
    `Brier score, smaller is better (baseline: ${RIVAL_NAMES[rival]})`,
    ...(skill === null ? [] : [skill[rival].model.toFixed(4), skill[rival].rival.toFixed(4)]),
  ]);
  return [
    element('p', {}, `${words} ${more}`.trim()),
    tableOf(
      'Running score and its baselines',
      [['Score'], ['tickmark', NUMBER], ['baseline', NUMBER]],
      [
        ['Marks that came true (baseline: fraction of all windows that moved)', fraction(hits), fraction(baseRate)],
        ...(skill === null ? [] : scores),
      ],
    ),
  ];
}
