import { priceText } from '../answer/describeAnswer.ts';
import { byId, element } from '../dom/element.ts';
import { LiveChart } from '../live/LiveChart.ts';
import { marketName, type MarketRow, type OpenMarket } from './Markets.ts';
import { chanceText } from './marketWords.ts';

/** Charts that are shown at once. */
export const MOST_CHARTS = 4;

type Tile = {
  readonly element: HTMLElement;
  readonly chart: LiveChart;
  readonly market: OpenMarket;
  readonly price: HTMLElement;
  readonly chances: HTMLElement;
};

/** The charts of some markets side by side; stacked on a phone. */
export class SideBySide {
  readonly #card = byId('market-charts-card', HTMLElement);
  readonly #tiles = new Map<string, Tile>();

  has(id: string): boolean {
    return this.#tiles.has(id);
  }

  get ids(): readonly string[] {
    return [...this.#tiles.keys()];
  }

  add(row: MarketRow, market: OpenMarket): void {
    const name = marketName(row);
    const button = (text: string, attributes: Readonly<Record<string, string | boolean>>): HTMLButtonElement =>
      element('button', { type: 'button', class: 'small', 'aria-label': `${text}: ${name}`, ...attributes }, text);
    const latest = button('Latest', { hidden: true });
    const candles = button('Candles', { 'aria-pressed': 'false' });
    const readout = element('span', { class: 'readout hint' });
    const box = element('div', {
      class: 'tick-chart',
      role: 'slider',
      tabindex: 0,
      'aria-valuenow': 0,
      'aria-label': `Chart of ${name}: arrow keys read it`,
    });
    const [price, chances] = [element('b', { class: 'market-price' }), element('ul', { class: 'hint' })];
    const shown = element(
      'section',
      { class: 'market-chart', 'aria-label': name },
      element('p', { class: 'market-head between' }, element('b', {}, name), price),
      chances,
      element('figure', {}, element('p', { class: 'row' }, readout, latest, candles), box),
    );
    byId('market-charts', HTMLElement).append(shown);
    this.#tiles.set(row.id, { element: shown, chart: new LiveChart({ box, latest, candles, readout }), market, price, chances });
  }

  remove(id: string): void {
    const tile = this.#tiles.get(id);
    this.#tiles.delete(id);
    tile?.market.stop();
    tile?.element.remove();
  }

  draw(rows: readonly MarketRow[]): void {
    for (const [id, { chart, market, price, chances }] of this.#tiles) {
      const row = rows.find((one) => one.id === id);
      if (row === undefined || !market.isRunning) {
        this.remove(id);
        continue;
      }
      price.textContent = row.price === null ? '–' : priceText(row.price);
      const lines = row.chances.map((chance) => chanceText(chance, row.costBps));
      if (chances.textContent !== lines.join('')) chances.replaceChildren(...lines.map((line) => element('li', {}, line)));
      chart.show(market.shown, null, null);
    }
    this.#card.hidden = this.#tiles.size === 0;
  }

  recolour(): void {
    for (const { chart } of this.#tiles.values()) chart.recolour();
  }
}
