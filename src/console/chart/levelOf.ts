import { percentText } from '../answer/describeAnswer.ts';
import type { Scene } from './Scene.ts';

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
