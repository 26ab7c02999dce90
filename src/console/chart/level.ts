import { percentText } from '../answer/describeAnswer.ts';
import type { Scene } from './Scene.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';

/** A level of a chart and its words. `probability`: null: beyond what the model knows; undefined: not asked yet. */
export function levelOf(
  price: number,
  {
    within,
    probability,
    write,
  }: { readonly within: string; readonly probability: number | null | undefined; readonly write: (price: number) => string },
): NonNullable<Scene['level']> {
  const [chance, told] =
    probability === undefined
      ? ['· drag for its chance', 'move it to see the chance that it is reached']
      : probability === null
        ? ['· unknown', 'beyond what the model knows']
        : [`reached: ${percentText(probability)}`, `reached within ${within}: ${percentText(probability)}`];
  return { price, chance, text: `${write(price)}, ${told}` };
}

/** A price that traders ask about without being asked: the highest of the window, or where that is the present one, the lowest. Null: the price is constant. */
export function usualLevel({ prices }: Pick<TickSeries, 'prices'>): number | null {
  const last = prices.at(-1)!;
  const found = [prices.reduce((a, b) => Math.max(a, b)), prices.reduce((a, b) => Math.min(a, b))].find((price) => price !== last);
  return found ?? null;
}
