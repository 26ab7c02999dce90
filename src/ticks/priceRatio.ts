/** How far two prices lie apart as a fraction of the lower one: the same up and down. NaN where one is missing. */
export const apart = (a: number, b: number): number => (a > b ? a / b : b / a) - 1;
