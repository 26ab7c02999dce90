import type { TickRing } from './TickRing.ts';

export type Imported = { readonly format: string; readonly notes: readonly string[] };

/** What the file is not, in plain sentences for the user. */
export class NotTicks extends Error {}

const STAMP = /^(\d{4})[-./]?(\d\d)[-./]?(\d\d)[ T](\d\d):?(\d\d):?(\d\d)(?:[.,:](\d{1,9}))?Z?$/;

function readTime(text: string): number {
  const parts = STAMP.exec(text);
  if (parts === null) return Number.NaN;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + Number((parts[7] ?? '').padEnd(6, '0').slice(0, 6));
}

/** The one place where the page reads tick files. */
export async function importFile(chunks: AsyncIterable<Uint8Array>, name: string, ring: TickRing): Promise<Imported> {
  const decoder = new TextDecoder();
  let rest = '';
  const read = (line: string): void => {
    const [time = '', price = ''] = line.trim().split(/[;,\t]/);
    const us = readTime(time);
    if (Number.isFinite(us) && Number(price) > 0) ring.add(Float64Array.of(us), Float64Array.of(Number(price)));
  };
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(read);
  }
  read(rest);
  if (ring.count === 0) throw new NotTicks(`${name} holds no ticks that could be read. Send rows of a time and a price.`);
  return { format: 'CSV', notes: [] };
}
