import type { Source } from '../Ask.ts';
import { byId, showText } from '../dom/element.ts';
import { keepText, keptText, OF_TAB } from '../dom/storage.ts';
import { forgetTicks, keepTicks, keptTicks } from '../ticks/keptTicks.ts';

/** The name of the file that this tab has, for a reload. */
const FILE = 'tickmark.file';
/** Whether the ticks outlive their tab. */
const FOR_LONGER = 'tickmark.keep';

/** The ticks of this tab before a reload, or those that were kept for longer; null: there are none. Those of another tab are deleted. */
export async function restorableTicks(): Promise<Source | null> {
  if (keptText(FILE, OF_TAB) !== null || keptText(FOR_LONGER) !== null) return keptTicks();
  await forgetTicks().catch(() => {});
  return null;
}

/** Keeps the loaded ticks in this browser: for reloads of the tab, and beyond that if the user says so. */
export class KeepTicks {
  readonly #line = byId('keep-ticks-line', HTMLElement);
  readonly #box = byId('keep-ticks', HTMLInputElement);
  #source: Source | undefined;
  #isRestored = false;

  constructor() {
    this.#box.checked = keptText(FOR_LONGER) !== null;
    this.#box.addEventListener('change', () => keepText(FOR_LONGER, this.#box.checked ? 'yes' : null));
    const name = keptText(FILE, OF_TAB);
    // Gone once the ticks are restored.
    showText('ticks-before', name && `${name} was loaded before. Drop it again: this browser did not keep it.`);
  }

  /** The next source comes from the browser's own store. */
  restored(): void {
    this.#isRestored = true;
  }

  show(source: Source): void {
    this.#line.hidden = source.kind === 'sample';
    if (source.kind === 'sample') {
      if (this.#source !== undefined) keepText(FILE, null, OF_TAB);
      this.#source = undefined;
      return;
    }
    if (source === this.#source) return;
    this.#source = source;
    showText('ticks-before', null);
    keepText(FILE, source.name.slice(0, 200), OF_TAB);
    // No room, or storage is blocked: a reload asks for the file.
    if (!this.#isRestored) void keepTicks(source).catch(() => forgetTicks().catch(() => {}));
    this.#isRestored = false;
  }
}
