/** Adjusted prices miss their own high or low by so much of the price. */
const ROUNDING = 1e-9;

/** What is wrong with the prices of a bar, `range` its open, high and low; empty: nothing. What misses by rounding alone is moved. */
export function fitRange(range: number[], close: number): string {
  const [open, high, low] = range as [number, number, number];
  const [least, most] = [Math.min(open, close), Math.max(open, close)];
  if (!(low > 0 && low <= least * (1 + ROUNDING) && most * (1 - ROUNDING) <= high))
    return `open ${open}, high ${high}, low ${low} and close ${close} are no bar: low is the lowest price of a bar, and high the highest`;
  range[1] = Math.max(high, most);
  range[2] = Math.min(low, least);
  return '';
}
