/** The fields of a request, as they were typed. */
export type KeptSettings = {
  readonly count: string;
  readonly horizon: string;
  readonly isOwn: boolean;
  readonly move: string;
  readonly spread: string;
  readonly fees: string;
  /** Smallest marked probability, percent. */
  readonly least: string;
};

const NAME = 'tickmark.settings';
/** No field takes more: a longer text was written by something else. */
const MOST_CHARACTERS = 40;

type TextStore = { getItem(name: string): string | null; setItem(name: string, text: string): void };

/** Settings outlive the page, and contain no ticks and no key. Without storage they last for the page. */
export function keepSettings(settings: KeptSettings, storage: () => TextStore = () => localStorage): void {
  try {
    storage().setItem(NAME, JSON.stringify(settings));
  } catch {
    // Storage is blocked or full.
  }
}

/** Null: none were kept, or they cannot be read. */
export function keptSettings(storage: () => TextStore = () => localStorage): KeptSettings | null {
  try {
    const kept = JSON.parse(storage().getItem(NAME) ?? 'null') as Record<string, unknown> | null;
    if (kept === null || typeof kept !== 'object') return null;
    const { count, horizon, isOwn, move, spread, fees, least = '' } = kept;
    const texts = [count, horizon, move, spread, fees, least];
    if (typeof isOwn !== 'boolean' || !texts.every((text) => typeof text === 'string' && text.length <= MOST_CHARACTERS)) return null;
    return { ...kept, least } as KeptSettings;
  } catch {
    return null;
  }
}
