import { byId, element } from '../dom/element.ts';
import type { BarTime } from '../../../clients/typescript/src/index.ts';

const LABELS: Readonly<Record<BarTime, string>> = {
  open: 'the beginning of each bar (ccxt, Freqtrade, MetaTrader, Yahoo)',
  close: 'the end of each bar',
};

/** Selects what the timestamps of bars are. Shown only for files of bars. */
export class BarTimeChoice {
  readonly #box = byId('bar-time-choice', HTMLElement);
  readonly #select = byId('bar-time', HTMLSelectElement);

  constructor(onChoice: (barTime: BarTime) => void) {
    this.#select.addEventListener('change', () => onChoice(this.#select.value as BarTime));
  }

  hide(): void {
    this.#box.hidden = true;
  }

  /** `chosen`: how the bars were read; null: the user has to say it. */
  show(chosen: BarTime | null): void {
    this.#box.hidden = false;
    const ask = element('option', { value: '', disabled: true, selected: chosen === null }, 'Choose…');
    const options = (['open', 'close'] as const).map((each) => element('option', { value: each, selected: each === chosen }, LABELS[each]));
    this.#select.replaceChildren(...(chosen === null ? [ask] : []), ...options);
    if (chosen === null) this.#select.focus();
  }
}
