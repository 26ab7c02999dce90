/** `1 tick`, `1,200 ticks`. `many` where the plural takes more than an s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
