import type { Source } from '../Ask.ts';
import { byId } from '../dom/element.ts';
import { forgetTicks, keepTicks, keptTicks } from '../ticks/keptTicks.ts';

/** The name of the file that this tab has, for a reload. */
const OF_TAB = 'tickmark.file';
/** Whether the ticks outlive their tab. */
const FOR_LONGER = 'tickmark.keep';

/** The ticks of this tab before a reload, or those that were kept for longer; null: there are none. Those of another tab are deleted. */
export async function restorableTicks(): Promise<Source | null> {
  if (read(() => sessionStorage, OF_TAB) !== null || read(() => localStorage, FOR_LONGER) !== null) return keptTicks();
  await forgetTicks().catch(() => {});
  return null;
}

/** Keeps the loaded ticks in this browser: for reloads of the tab, and beyond that if the user says so. */
export class KeepTicks {
  readonly #line = byId('keep-ticks-line', HTMLElement);
  readonly #box = byId('keep-ticks', HTMLInputElement);
  readonly #before = byId('ticks-before', HTMLElement);
  #source: Source | undefined;
  #isRestored = false;

  constructor() {
    this.#box.checked = read(() => localStorage, FOR_LONGER) !== null;
    this.#box.addEventListener('change', () => write(() => localStorage, FOR_LONGER, this.#box.checked ? 'yes' : null));
    const name = read(() => sessionStorage, OF_TAB);
    // Gone once the ticks are restored.
    this.#before.hidden = name === null;
    if (name !== null) this.#before.textContent = `${name} was loaded before. Drop it again: this browser did not keep it.`;
  }

  /** The next source comes from the browser's own store. */
  restored(): void {
    this.#isRestored = true;
  }

  show(source: Source): void {
    this.#line.hidden = source.kind === 'sample';
    if (source.kind === 'sample') {
      if (this.#source !== undefined) write(() => sessionStorage, OF_TAB, null);
      this.#source = undefined;
      return;
    }
    if (source === this.#source) return;
    this.#source = source;
    this.#before.hidden = true;
    write(() => sessionStorage, OF_TAB, source.name.slice(0, 200));
    // No room, or storage is blocked: a reload asks for the file.
    if (!this.#isRestored) void keepTicks(source).catch(() => forgetTicks().catch(() => {}));
    this.#isRestored = false;
  }
}

function write(storage: () => Storage, name: string, text: string | null): void {
  try {
    if (text === null) storage().removeItem(name);
    else storage().setItem(name, text);
  } catch {
    // Storage is blocked.
  }
}

function read(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}
