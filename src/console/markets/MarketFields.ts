import { button, element, optionsOf } from '../dom/element.ts';
import { horizonName } from '../live/livePlan.ts';
import type { MarketForm } from './Markets.ts';
import { horizonChoices, usualHorizons } from './horizonChoices.ts';
import { readRule, ruleTexts, type RuleTexts } from './ruleTexts.ts';

const MOST_HORIZONS = 8;

type Field = HTMLInputElement | HTMLSelectElement;

const labelled = (text: string, field: Field): HTMLElement => element('label', { class: 'stack tight small-words' }, text, field);
const fieldset = (name: string, ...parts: HTMLElement[]): HTMLElement => element('fieldset', {}, element('legend', {}, name), ...parts);
const typed = (attributes: Readonly<Record<string, string>> = {}): HTMLInputElement =>
  element('input', { type: 'text', inputmode: 'decimal', size: 6, ...attributes });

/** The horizons of a market, and which of its forecasts are told. */
export class MarketFields {
  readonly element: HTMLElement;
  readonly #horizons = element('div', { class: 'row market-horizons' });
  readonly #whose = element(
    'select',
    {},
    ...optionsOf([
      ['', 'Marks, or as the target says'],
      ['own', 'By a rule of this market'],
    ]),
  );
  readonly #fields: Readonly<Record<keyof RuleTexts, Field>> = {
    ...{ horizon: element('select'), chance: typed({ placeholder: '%' }), move: typed({ placeholder: 'bps' }) },
    ...{ pause: typed({ placeholder: 'min' }), quietFrom: typed({ type: 'time' }), quietTo: typed({ type: 'time' }) },
    touch: typed({ placeholder: 'price' }),
  };
  readonly #alerts: HTMLElement;
  readonly #fault = element('p', { class: 'fault', role: 'alert' });

  /** `openTargets`: shows where alerts are sent. */
  constructor(openTargets: () => void) {
    const { horizon, chance, move, pause, quietFrom, quietTo, touch } = this.#fields;
    const where = 'Where they are sent: your program, Telegram, Slack, Discord, ntfy';
    const rule = element(
      'div',
      { class: 'market-rule' },
      labelled('Ahead', horizon),
      labelled('Chance from', chance),
      labelled('Move of at least', move),
      labelled('Or this price is reached', touch),
      labelled('At most one in', pause),
      labelled('Quiet from, UTC', quietFrom),
      labelled('Quiet to', quietTo),
      element('p', { class: 'hint' }, 'All that is named must hold. Without a chance: marks; of a price, 50 %.'),
    );
    this.#whose.addEventListener('change', () => (rule.hidden = this.#whose.value === ''));
    this.#alerts = fieldset(
      'Alerts',
      labelled('Which forecasts', this.#whose),
      rule,
      element('p', {}, button(where, openTargets, { class: 'link' })),
    );
    this.element = element('div', { class: 'stack' }, fieldset('Horizons', this.#horizons), this.#alerts, this.#fault);
    this.show(null);
  }

  /** `form`: absent: what a new market begins with. `hasAlerts`: whether the service can send some. */
  show(period: string | null, { horizons, alert }: MarketForm = { horizons: usualHorizons(period), alert: null }, hasAlerts = true): void {
    // A market may have others, named by a program.
    const choices = [...new Set([...horizonChoices(period), ...horizons])];
    const box = (id: string): HTMLElement => element('input', { type: 'checkbox', value: id, checked: horizons.includes(id) });
    this.#horizons.replaceChildren(...choices.map((id) => element('label', { class: 'check' }, box(id), horizonName(id))));
    this.#fields.horizon.replaceChildren(...optionsOf([['', 'any horizon'], ...choices.map((id) => [id, horizonName(id)] as const)]));
    this.#alerts.hidden = !hasAlerts;
    this.#whose.value = alert === null ? '' : 'own';
    for (const [name, text] of Object.entries(ruleTexts(alert ?? {})) as [keyof RuleTexts, string][]) this.#fields[name].value = text;
    this.#whose.dispatchEvent(new Event('change'));
    this.#fault.textContent = '';
  }

  /** Null: something is wrong, and told. */
  read(): MarketForm | null {
    const horizons = [...this.#horizons.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
    const texts = Object.fromEntries(Object.entries(this.#fields).map(([name, { value }]) => [name, value])) as RuleTexts;
    const alert = this.#whose.value === '' ? null : readRule(texts);
    const fault =
      horizons.length === 0 || horizons.length > MOST_HORIZONS
        ? `Choose 1 to ${MOST_HORIZONS} horizons.`
        : typeof alert === 'string'
          ? alert
          : '';
    this.#fault.textContent = fault;
    return fault !== '' || typeof alert === 'string' ? null : { horizons, alert };
  }
}
