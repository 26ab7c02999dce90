import { byId } from '../dom/element.ts';
import { type Market, marketWords, profileLine, profileWords } from '../market/describeMarket.ts';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 1440;
const HEIGHT = 240;
const HOURS = [0, 6, 12, 18, 24];

/** The profile of the market that the answering version knows; hidden for other versions. */
export class MarketPanel {
  readonly #marketOf: (id: string) => Promise<Market | null>;
  /** The version that is shown or being asked for. */
  #id = '';
  #market: Market | null = null;

  /** `marketOf` must not reject. */
  constructor(marketOf: (id: string) => Promise<Market | null>) {
    this.#marketOf = marketOf;
  }

  /** `lastMs`: the last tick of the window that was answered. */
  async show(id: string, lastMs: number): Promise<void> {
    if (id !== this.#id) {
      this.#id = id;
      this.#market = null;
      byId('market', HTMLElement).hidden = true;
      const market = await this.#marketOf(id);
      if (this.#id !== id) return;
      this.#market = market;
      if (market !== null) byId('market-picture', HTMLElement).replaceChildren(picture(market));
    }
    if (this.#market === null) return;
    byId('market-text', HTMLElement).textContent = marketWords(this.#market, lastMs);
    byId('market-words', HTMLElement).textContent = profileWords(this.#market);
    byId('market', HTMLElement).hidden = false;
  }
}

/** Attributes only: the page's policy refuses styles written into markup. */
function drawn(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.textContent = text;
  return made;
}

function picture(market: Market): SVGElement {
  const { points, top } = profileLine(market, HEIGHT);
  const mean = HEIGHT * (1 - 1 / top);
  const svg = drawn('svg', { viewBox: `-10 -10 ${WIDTH + 20} ${HEIGHT + 60}`, role: 'img', 'aria-label': profileWords(market) });
  const thin = { stroke: 'currentColor', 'stroke-opacity': 0.3, 'stroke-width': 2 };
  svg.append(
    ...HOURS.map((hour) => drawn('line', { x1: hour * 60, x2: hour * 60, y1: 0, y2: HEIGHT, ...thin })),
    drawn('line', { x1: 0, x2: WIDTH, y1: mean, y2: mean, ...thin, 'stroke-dasharray': '12 8' }),
    drawn('polyline', { points, fill: 'none', stroke: 'currentColor', 'stroke-width': 5, 'stroke-linejoin': 'round' }),
    ...HOURS.map((hour) => {
      const anchor = hour === 0 ? 'start' : hour === 24 ? 'end' : 'middle';
      return drawn('text', { x: hour * 60, y: HEIGHT + 38, 'font-size': 30, fill: 'currentColor', 'text-anchor': anchor }, `${hour}:00`);
    }),
  );
  return svg;
}
