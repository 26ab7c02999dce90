import { element } from '../dom/element.ts';
import { MARKS } from './describeComparison.ts';

/** A cell with a figure, and what it is made of below it. `name`: head of its column, which a phone shows next to it. */
export const figureCell = (name: string, text: string, more: string | null = null): HTMLElement =>
  element(
    'td',
    { class: name === MARKS ? 'number two' : 'number', 'data-name': name },
    text,
    more === null ? null : element('span', { class: 'step-text' }, more),
  );
