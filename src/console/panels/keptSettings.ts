import { keepText, keptText } from '../dom/storage.ts';

/** Fields of a request, by their ids. */
export const TYPED = ['count', 'horizon', 'move', 'spread', 'fees', 'least'] as const;
/** Their values, as they were typed. */
export type KeptSettings = Readonly<Record<(typeof TYPED)[number], string>> & { readonly isOwn: boolean };

const NAME = 'tickmark.settings';
/** No field takes more: a longer text was written by something else. */
const MOST_CHARACTERS = 40;

/** Settings outlive the page, and contain no ticks and no key. */
export const keepSettings = (settings: KeptSettings): void => keepText(NAME, JSON.stringify(settings));

/** Null: none were kept, or they cannot be read. */
export function keptSettings(): KeptSettings | null {
  try {
    const kept: Record<string, unknown> = { least: '', ...(JSON.parse(keptText(NAME) ?? '') as object) };
    const isText = (text: unknown): boolean => typeof text === 'string' && text.length <= MOST_CHARACTERS;
    const isGood = typeof kept['isOwn'] === 'boolean' && TYPED.every((id) => isText(kept[id]));
    return isGood ? (kept as unknown as KeptSettings) : null;
  } catch {
    return null;
  }
}
