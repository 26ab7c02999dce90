import { bpsText, priceText } from '../answer/describeAnswer.ts';
import { element } from '../dom/element.ts';
import { sureButton } from '../dom/sureButton.ts';
import type { MarketRow } from './Markets.ts';
import { chanceText, scoreText } from './marketWords.ts';
import { readCost } from './readCost.ts';

export type MarketActions = {
  readonly open: () => void;
  readonly remove: () => void;
  readonly setCost: (costBps: number | null) => void;
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
  #spreadBps = 0;

  constructor({ symbol, prices, id }: MarketRow, title: string, actions: MarketActions) {
    const name = `${title} ${symbol}${prices === '' ? '' : `, ${prices}`}`;
    this.#button = element('button', { type: 'button', class: 'market-open', 'aria-pressed': 'false', title: 'Show its chart' }, name);
    this.#button.addEventListener('click', actions.open);
    this.#propose.addEventListener('click', () => actions.setCost(rounded(this.#spreadBps)));
    const field = element('input', {
      ...{ type: 'text', inputmode: 'decimal', size: 6, 'aria-label': `Cost of a trade of ${name} there and back, basis points` },
      placeholder: 'bps',
    });
    const fault = element('span', { class: 'fault', role: 'alert' });
    const save = element('button', { type: 'button', class: 'small' }, 'Set the cost');
    const set = (): void => {
      const cost = readCost(field.value);
      fault.textContent = typeof cost === 'string' ? cost : '';
      if (typeof cost !== 'string') actions.setCost(cost);
    };
    save.addEventListener('click', set);
    field.addEventListener('keydown', ({ key }) => key === 'Enter' && set());
    const words = 'Its forecasts are deleted; its track record stays.';
    const stop = sureButton({ text: 'Stop watching', label: `Stop watching ${name}`, words, sure: 'Stop it' }, actions.remove);
    this.element = element(
      'li',
      { class: 'market', 'data-id': id },
      element('p', { class: 'market-head' }, this.#button, this.#price),
      this.#state,
      this.#chances,
      element('div', { class: 'row' }, this.#cost, field, save, this.#propose, fault, stop),
    );
  }

  show({ price, state, chances, costBps, spreadBps }: MarketRow, isOpen: boolean): void {
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
