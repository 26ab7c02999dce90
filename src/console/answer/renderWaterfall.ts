import { element, NUMBER, stepText, tableOf } from '../dom/element.ts';
import { logitText } from '../../engine/scoring/logOdds.ts';
import { percentText } from './describeAnswer.ts';
import type { Step, Waterfall } from './waterfall.ts';

/** Per cent of the track at which a log-odds value stands. */
function placeOf({ span: [low, high] }: Waterfall, logit: number): number {
  return ((logit - low) / (high - low || 1)) * 100;
}

/** Bars are drawn by the style object: the page's policy refuses styles written into markup. */
function barOf(waterfall: Waterfall, { kind, from, to }: Step): HTMLElement {
  const track = element('div', { class: 'track', 'aria-hidden': 'true' });
  const zero = element('span', { class: 'zero' });
  zero.style.left = `${placeOf(waterfall, 0)}%`;
  const bar = element('span', { class: 'bar', 'data-kind': kind, 'data-way': to < from ? 'down' : 'up' });
  const [left, right] = [placeOf(waterfall, Math.min(from, to)), placeOf(waterfall, Math.max(from, to))];
  bar.style.left = `${left}%`;
  bar.style.width = `${right - left}%`;
  track.append(zero, bar);
  if (waterfall.decision !== null) {
    const decision = element('span', { class: 'decision' });
    decision.style.left = `${placeOf(waterfall, waterfall.decision)}%`;
    track.append(decision);
  }
  return track;
}

/** The steps as a table. The bars add no information, so a screen reader reads everything. */
export const renderWaterfall = (waterfall: Waterfall): HTMLElement =>
  tableOf(
    'From the baseline to the answer, step by step',
    [['Step'], ['From baseline to answer', 'bars'], ['Log-odds', NUMBER], ['Probability so far', NUMBER]],
    waterfall.steps.map((step) => [
      [step.name, stepText(step.text)],
      barOf(waterfall, step),
      logitText(step.contribution),
      percentText(step.probability),
    ]),
    'waterfall',
  );
