import { bpsText, priceText } from '../answer/describeAnswer.ts';
import { button, element, sureButton } from '../dom/element.ts';
import { MarketFields } from './MarketFields.ts';
import { marketName, type MarketChange, type MarketRow } from './Markets.ts';
import { chanceText, scoreText } from './marketWords.ts';
import { readCost, ruleWords } from './ruleTexts.ts';

export type MarketActions = {
  readonly open: () => void;
  readonly remove: () => void;
  readonly change: (change: MarketChange) => void;
  /** Shows its chart next to others, or no more. */
  readonly charts: () => void;
  readonly openAlerts: () => void;
};

/** One market of the list. Its elements are kept, so that a focus, a screen reader or an input is not disturbed by each forecast. */
export class MarketItem {
  readonly element: HTMLLIElement;
  readonly #price = element('b', { class: 'market-price' });
  readonly #state = element('p', { class: 'hint' });
  readonly #chances = element('ul', { class: 'chances' });
  readonly #cost = element('span', { class: 'hint' });
  readonly #propose: HTMLButtonElement;
  readonly #button: HTMLButtonElement;
  readonly #charts: HTMLButtonElement;
  readonly #told = element('p', { class: 'hint' });
  #row: MarketRow;
  #spreadBps = 0;

  constructor(row: MarketRow, hasAlerts: boolean, actions: MarketActions) {
    this.#row = row;
    const name = marketName(row);
    this.#button = button(name, actions.open, { class: 'market-open', 'aria-pressed': 'false', title: 'Show its chart' });
    this.#propose = button('', () => actions.change({ costBps: rounded(this.#spreadBps) }), { hidden: true });
    const field = element('input', {
      ...{ type: 'text', inputmode: 'decimal', size: 6, 'aria-label': `Cost of a trade of ${name} there and back, basis points` },
      placeholder: 'bps',
    });
    const fault = element('span', { class: 'fault', role: 'alert' });
    const set = (): void => {
      const cost = readCost(field.value);
      fault.textContent = typeof cost === 'string' ? cost : '';
      if (typeof cost !== 'string') actions.change({ costBps: cost });
    };
    field.addEventListener('keydown', ({ key }) => key === 'Enter' && set());
    const words = 'Its forecasts are deleted; its track record stays.';
    const stop = sureButton({ text: 'Stop watching', label: `Stop watching ${name}`, words, sure: 'Stop it' }, actions.remove);
    this.#charts = button('Side by side', actions.charts, { 'aria-pressed': 'false', 'aria-label': `Side by side: ${name}` });
    const form = element('div', { class: 'market-change', hidden: true });
    const toggle = (): void => {
      const isOpen = form.hidden;
      change.setAttribute('aria-expanded', String(isOpen));
      form.hidden = !isOpen;
      form.replaceChildren(...(isOpen ? this.#changing(hasAlerts, actions, toggle) : []));
    };
    const change = button('Change', toggle, { 'aria-expanded': 'false', 'aria-label': `Change ${name}` });
    const buttons = [button('Set the cost', set), this.#propose, fault, this.#charts, change, stop];
    this.element = element(
      'li',
      { class: 'market stack', 'data-id': row.id },
      element('p', { class: 'market-head between' }, this.#button, this.#price),
      this.#state,
      this.#chances,
      this.#told,
      element('div', { class: 'row' }, this.#cost, field, ...buttons),
      form,
    );
    this.#told.hidden = !hasAlerts;
  }

  /** The form of what may be changed. */
  #changing(hasAlerts: boolean, { change, openAlerts }: MarketActions, close: () => void): readonly HTMLElement[] {
    const fields = new MarketFields(openAlerts);
    fields.show(this.#row.period, this.#row, hasAlerts);
    const save = (): void => {
      const form = fields.read();
      if (form === null) return;
      change(hasAlerts ? form : { horizons: form.horizons });
      close();
    };
    return [fields.element, element('p', { class: 'row' }, button('Save', save, { class: 'small primary' }))];
  }

  show(row: MarketRow, { isOpen, isCharted }: { readonly isOpen: boolean; readonly isCharted: boolean }): void {
    const { price, state, chances, costBps, spreadBps, alert } = row;
    this.#row = row;
    tellElement(this.#told, ruleWords(alert));
    this.#charts.setAttribute('aria-pressed', String(isCharted));
    this.#button.setAttribute('aria-pressed', String(isOpen));
    tellElement(this.#price, price === null ? '–' : priceText(price));
    tellElement(this.#state, state);
    this.#state.hidden = state === '';
    tellElement(this.#cost, costBps === null ? 'Your cost: not named.' : `Your cost: ${bpsText(costBps)}.`);
    this.#spreadBps = spreadBps ?? 0;
    this.#propose.hidden = costBps !== null || rounded(this.#spreadBps) === 0;
    tellElement(this.#propose, `Use the spread, ${bpsText(rounded(this.#spreadBps))}`);
    while (this.#chances.children.length > chances.length) this.#chances.lastElementChild?.remove();
    chances.forEach((chance, at) => {
      const line =
        this.#chances.children[at] ?? this.#chances.appendChild(element('li', {}, element('span'), element('span', { class: 'hint' })));
      line.toggleAttribute('data-marked', chance.isMarked);
      tellElement(line.firstElementChild!, chanceText(chance, costBps));
      tellElement(line.lastElementChild!, scoreText(chance.score));
    });
  }
}

/** Two decimals: what a person can type again. */
const rounded = (bps: number): number => Math.round(100 * bps) / 100;

function tellElement(told: Element, text: string): void {
  if (told.textContent !== text) told.textContent = text;
}
