import type { Source } from '../Ask.ts';
import { byId } from '../dom/element.ts';
import { forgetTicks, keepTicks } from '../ticks/keptTicks.ts';

/** The name of the file that this tab had, for the hint after a reload. */
const NAME = 'tickmark.file';

/** Whether the loaded ticks stay in this browser for the next visit: only if the user says so. */
export class KeepTicks {
  readonly #line = byId('keep-ticks-line', HTMLElement);
  readonly #box = byId('keep-ticks', HTMLInputElement);
  readonly #before = byId('ticks-before', HTMLElement);
  #source: Source | undefined;
  #isRestored = false;

  constructor() {
    this.#box.addEventListener('change', () => void this.#change());
    const name = remembered();
    this.#before.hidden = name === null;
    if (name !== null) this.#before.textContent = `${name} was loaded before. Drop it again: it was not kept.`;
  }

  /** The next source comes from the browser's own store. */
  restored(): void {
    this.#isRestored = true;
  }

  show(source: Source): void {
    this.#line.hidden = source.kind === 'sample';
    if (source === this.#source || source.kind === 'sample') return;
    this.#source = source;
    this.#before.hidden = true;
    this.#box.checked = this.#isRestored || this.#box.checked;
    remember(this.#box.checked ? null : source.name);
    if (this.#box.checked && !this.#isRestored) void this.#change();
    this.#isRestored = false;
  }

  async #change(): Promise<void> {
    const { checked } = this.#box;
    try {
      if (checked && this.#source !== undefined) await keepTicks(this.#source);
      else await forgetTicks();
    } catch {
      // No room, or storage is blocked.
      this.#box.checked = false;
    }
    remember(this.#box.checked ? null : (this.#source?.name ?? null));
  }
}

function remember(name: string | null): void {
  try {
    if (name === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, name.slice(0, 200));
  } catch {
    // Storage is blocked: there is no hint after a reload.
  }
}

function remembered(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}
