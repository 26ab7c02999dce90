import { countText } from '../answer/describeAnswer.ts';

/** What a sealed record holds, by its lines. */
export function describeSealed(text: string): string {
  const lines = text.trimEnd().split('\n');
  const count = (kind: string): number => lines.filter((line) => line.startsWith(`["${kind}",`)).length;
  const [, n, head, at, key] = JSON.parse(lines.at(-1)!) as [string, number, string, number, string, string];
  return (
    `${countText(count('f'), 'forecast')} and ${countText(count('o'), 'outcome')}; ` +
    `${countText(count('seal'), 'seal')}, the last of ${new Date(at).toISOString()}: line ${n}, head ${head}, key ${key}.`
  );
}
