import { bandOf, type ChartView, type Colours } from './ChartView.ts';
import { priceDigits } from './priceDigits.ts';
import type { PriceTag } from './priceTags.ts';

/** What the right-hand axis names: the last price, both edges of the band, the levels with their touches. */
export function tagsOf(view: ChartView, colours: Colours, isNarrow: boolean): PriceTag[] {
  const band = bandOf(view);
  const last = view.series.prices[view.origin]!;
  const digits = priceDigits(view.series.prices, view.from, view.origin);
  const shortPrice = (price: number): string => price.toFixed(digits);
  return [
    { price: last, text: shortPrice(last), colour: colours.price, isFilled: true, rank: 1000 },
    ...(band ?? []).map((price, i) => ({
      price,
      text: `${i === 0 ? '▼' : '▲'} ${price.toFixed(digits + 1)}`,
      colour: colours.band,
      isFilled: false,
      rank: 900,
    })),
    ...view.levels.map(({ price, touches, kind }) => ({
      price,
      text: isNarrow ? shortPrice(price) : `${shortPrice(price)} ×${touches}`,
      colour: colours[kind],
      isFilled: false,
      rank: touches,
    })),
  ];
}
