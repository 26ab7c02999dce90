import { element } from '../dom/element.ts';
import type { Against } from '../../engine/live/score.ts';

/** The interval as a line with the difference as a dot, over a line at 0; to the right is better. The text next to it says the same. */
export function renderInterval(against: Against | null, scale: number): HTMLElement {
  const track = element('div', { class: 'interval', 'aria-hidden': 'true' });
  if (against === null) return track;
  const { difference, interval } = against;
  const placeOf = (value: number): number => 50 + 50 * Math.min(1, Math.max(-1, value / scale));
  const line = element('span', { class: 'interval-line' });
  line.style.left = `${placeOf(interval[0])}%`;
  line.style.right = `${100 - placeOf(interval[1])}%`;
  const dot = element('span', { class: 'interval-dot' });
  dot.style.left = `${placeOf(difference)}%`;
  track.append(element('span', { class: 'interval-zero' }), line, dot);
  return track;
}
