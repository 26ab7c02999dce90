import { byId, element } from '../dom/element.ts';
import type { DateOrderChoice } from '../../ticks/import/ImportReport.ts';

const LABELS: Readonly<Record<DateOrderChoice, string>> = {
  dmy: 'day, month, year',
  mdy: 'month, day, year',
  ymd: 'year, month, day',
};

/** Selects the order of dates such as 03/04/2024. Shown only for files that do not tell it. */
export class DateChoice {
  readonly #box = byId('date-choice', HTMLElement);
  readonly #select = byId('date-order', HTMLSelectElement);

  constructor(onChoice: (order: DateOrderChoice) => void) {
    this.#select.addEventListener('change', () => onChoice(this.#select.value as DateOrderChoice));
  }

  /** `orders`: those that are possible; none hides the choice. `chosen`: the one in which the ticks were read. */
  show(orders: readonly DateOrderChoice[], chosen: DateOrderChoice | null): void {
    this.#box.hidden = orders.length === 0;
    const ask = element('option', { value: '', disabled: true, selected: chosen === null }, 'Choose…');
    const options = orders.map((order) => element('option', { value: order, selected: order === chosen }, LABELS[order]));
    this.#select.replaceChildren(...(chosen === null ? [ask] : []), ...options);
    if (chosen === null && orders.length > 0) this.#select.focus();
  }
}
