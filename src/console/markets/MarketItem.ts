import { bpsText, priceText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { sureButton } from '../dom/sureButton.ts';
import { MarketFields } from './MarketFields.ts';
import { marketName, type MarketChange, type MarketRow } from './Markets.ts';
import { chanceText, scoreText } from './marketWords.ts';
import { readCost } from './readCost.ts';
import { ruleWords } from './ruleTexts.ts';

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
  readonly #propose = element('button', { type: 'button', class: 'small', hidden: true });
  readonly #button: HTMLButtonElement;
  readonly #charts: HTMLButtonElement;
  readonly #told = element('p', { class: 'hint' });
  #row: MarketRow;
  #spreadBps = 0;

  constructor(row: MarketRow, hasAlerts: boolean, actions: MarketActions) {
    this.#row = row;
    const { id } = row;
    const name = marketName(row);
    this.#button = element('button', { type: 'button', class: 'market-open', 'aria-pressed': 'false', title: 'Show its chart' }, name);
    this.#button.addEventListener('click', actions.open);
    this.#propose.addEventListener('click', () => actions.change({ costBps: rounded(this.#spreadBps) }));
    const field = element('input', {
      ...{ type: 'text', inputmode: 'decimal', size: 6, 'aria-label': `Cost of a trade of ${name} there and back, basis points` },
      placeholder: 'bps',
    });
    const fault = element('span', { class: 'fault', role: 'alert' });
    const save = element('button', { type: 'button', class: 'small' }, 'Set the cost');
    const set = (): void => {
      const cost = readCost(field.value);
      fault.textContent = typeof cost === 'string' ? cost : '';
      if (typeof cost !== 'string') actions.change({ costBps: cost });
    };
    save.addEventListener('click', set);
    field.addEventListener('keydown', ({ key }) => key === 'Enter' && set());
    const words = 'Its forecasts are deleted; its track record stays.';
    const stop = sureButton({ text: 'Stop watching', label: `Stop watching ${name}`, words, sure: 'Stop it' }, actions.remove);
    this.#charts = element(
      'button',
      { type: 'button', class: 'small', 'aria-pressed': 'false', 'aria-label': `Side by side: ${name}` },
      'Side by side',
    );
    this.#charts.addEventListener('click', actions.charts);
    const form = element('div', { class: 'market-change', hidden: true });
    const change = element(
      'button',
      { type: 'button', class: 'small', 'aria-expanded': 'false', 'aria-label': `Change ${name}` },
      'Change',
    );
    change.addEventListener('click', () => {
      const isOpen = form.hidden;
      change.setAttribute('aria-expanded', String(isOpen));
      form.hidden = !isOpen;
      form.replaceChildren(...(isOpen ? this.#changing(hasAlerts, actions, () => change.click()) : []));
    });
    this.element = element(
      'li',
      { class: 'market', 'data-id': id },
      element('p', { class: 'market-head' }, this.#button, this.#price),
      this.#state,
      this.#chances,
      this.#told,
      element('div', { class: 'row' }, this.#cost, field, save, this.#propose, fault, this.#charts, change, stop),
      form,
    );
    this.#told.hidden = !hasAlerts;
  }

  /** The form of what may be changed. */
  #changing(hasAlerts: boolean, { change, openAlerts }: MarketActions, close: () => void): readonly HTMLElement[] {
    const fields = new MarketFields(openAlerts);
    fields.show(this.#row.period, this.#row, hasAlerts);
    const save = element('button', { type: 'button', class: 'small primary' }, 'Save');
    save.addEventListener('click', () => {
      const form = fields.read();
      if (form === null) return;
      change(hasAlerts ? form : { horizons: form.horizons });
      close();
    });
    return [fields.element, element('p', { class: 'row' }, save)];
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
