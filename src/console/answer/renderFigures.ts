import { element } from '../dom/element.ts';
import type { FigureRow } from './figures.ts';

/** Whether a value is more than a number and its unit: it is written smaller. */
export const isWords = (value: string): boolean => value.length > 24;

export function renderFigures(box: HTMLElement, rows: readonly FigureRow[]): void {
  box.replaceChildren(
    ...rows.map(([name, value, remark]) =>
      element(
        'div',
        {},
        element('dt', {}, name),
        element('dd', { 'data-words': isWords(value) }, value, remark === undefined ? null : element('span', { class: 'remark' }, remark)),
      ),
    ),
  );
}
