import { byId, showFault } from '../dom/element.ts';

/** Which exchange and market the live view reads in place of the ticks of the page. */
export class ExchangeChoice {
  readonly #name = byId('live-from', HTMLSelectElement);
  readonly #market = byId('live-symbol', HTMLInputElement);
  readonly #kind = byId('live-kind', HTMLSelectElement);

  constructor(onChange: () => void, onEnter: () => void) {
    const show = (): void => {
      this.#market.hidden = this.#kind.hidden = this.#name.value === '';
      document.body.toggleAttribute('data-exchange', this.#name.value !== '');
      showFault('live-symbol', null);
    };
    // The address may have named one.
    show();
    this.#name.addEventListener('change', () => {
      show();
      onChange();
    });
    this.#kind.addEventListener('change', onChange);
    this.#market.addEventListener('keydown', ({ key }) => key === 'Enter' && onEnter());
  }

  /** Of the table of exchanges; empty: the ticks of the page. */
  get name(): string {
    return this.#name.value;
  }

  /** Best bid and ask of the exchange. */
  get isQuotes(): boolean {
    return this.name !== '' && this.#kind.value === 'quotes';
  }

  set isDisabled(isDisabled: boolean) {
    this.#name.disabled = this.#market.disabled = this.#kind.disabled = isDisabled;
  }

  /** What connects to the chosen exchange: a file of its own, because most visits need none. Null: something is wrong, and the page says what. */
  async load() {
    const loaded = await import('./ExchangeSession.ts').catch(() => null);
    const market = loaded?.pairOf(this.#market.value);
    const fault =
      loaded === null
        ? 'The page could not load what connects to exchanges: reload it.'
        : market === undefined
          ? 'Write base and quote with a slash, such as BTC/USDT.'
          : null;
    showFault('live-symbol', fault);
    if (fault !== null || loaded === null || market === undefined) return null;
    return { ExchangeSession: loaded.ExchangeSession, exchange: this.name, isQuotes: this.isQuotes, market };
  }
}
