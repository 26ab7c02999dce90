import { element } from '../dom/element.ts';
import type { FigureRow } from './figures.ts';

export function renderFigures(box: HTMLElement, rows: readonly FigureRow[]): void {
  box.replaceChildren(
    ...rows.map(([name, value, remark]) =>
      element(
        'div',
        {},
        element('dt', {}, name),
        element('dd', {}, value, remark === undefined ? null : element('span', { class: 'remark' }, remark)),
      ),
    ),
  );
}
