import { MOST_WEBHOOKS } from './Webhook.ts';

/** What one target was told of one series: when, and of which forecasts that have no outcome yet. */
export type Told = { readonly sentMs: number; readonly open: readonly string[] };

/** What the targets of alerts were told of one series, by their ids. */
export class ToldTargets {
  #told: ReadonlyMap<string, Told>;
  readonly #onChange: () => void;

  constructor(told: Readonly<Record<string, Told>>, onChange: () => void) {
    this.#told = new Map(Object.entries(told));
    this.#onChange = onChange;
  }

  get(id: string): Told | undefined {
    return this.#told.get(id);
  }

  set(id: string, told: Told): void {
    const others = [...this.#told].filter(([other]) => other !== id);
    // The others may be of targets that exist no more.
    this.#told = new Map([...others.slice(1 - MOST_WEBHOOKS), [id, told]]);
    this.#onChange();
  }

  /** Undefined: nothing. */
  toJSON(): Readonly<Record<string, Told>> | undefined {
    return this.#told.size === 0 ? undefined : Object.fromEntries(this.#told);
  }
}
