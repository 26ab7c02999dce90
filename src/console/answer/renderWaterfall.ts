import { element } from '../dom/element.ts';
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

function rowOf(waterfall: Waterfall, step: Step): HTMLElement {
  return element(
    'tr',
    { class: step.kind === 'total' ? 'total' : null },
    element('th', { scope: 'row' }, step.name, element('span', { class: 'step-text' }, step.text)),
    element('td', { class: 'bars' }, barOf(waterfall, step)),
    element('td', { class: 'number' }, logitText(step.contribution)),
    element('td', { class: 'number' }, percentText(step.probability)),
  );
}

/** The steps as a table. The bars add no information, so a screen reader reads everything. */
export function renderWaterfall(waterfall: Waterfall): HTMLElement {
  const head = ['Step', 'From baseline to answer', 'Log-odds', 'Probability so far'].map((name, at) =>
    element('th', { scope: 'col', class: at >= 2 ? 'number' : null }, name),
  );
  return element(
    'table',
    { class: 'waterfall' },
    element('caption', { class: 'unseen' }, 'From the baseline to the answer, step by step'),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...waterfall.steps.map((step) => rowOf(waterfall, step))),
  );
}
