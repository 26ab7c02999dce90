const counts = new Intl.NumberFormat('en-US');

/** `1 tick`, `1,200 ticks`. `many` where the plural takes more than an s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${counts.format(count)} ${count === 1 ? one : many}`;
}
