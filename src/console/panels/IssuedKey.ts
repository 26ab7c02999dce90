import { copyText, sayOnButton, byId } from '../dom/element.ts';

export type Account = { readonly key: string; readonly email: string | null };

/** Shows a key once: the user copies it, confirms that it is saved, and continues. */
export class IssuedKey {
  readonly #onSaved: () => void;
  readonly #saved = byId('saved', HTMLInputElement);
  readonly #go = byId('issued-go', HTMLButtonElement);
  readonly #copy = byId('issued-copy', HTMLButtonElement);
  /** Not yet confirmed as saved. */
  #issued: string | null = null;

  constructor(onSaved: () => void) {
    this.#onSaved = onSaved;
    this.#copy.addEventListener('click', () => void this.#copyKey());
    this.#saved.addEventListener('change', () => (this.#go.disabled = !this.#saved.checked));
    // A key that is not saved is lost with the page.
    addEventListener('beforeunload', (event) => this.isUnsaved && event.preventDefault());
  }

  get isUnsaved(): boolean {
    return this.#issued !== null;
  }

  show(key: string): void {
    this.#issued = key;
    byId('issued-key', HTMLElement).textContent = key;
    byId('issued-told', HTMLElement).textContent = '';
    this.#saved.checked = false;
    this.#go.disabled = true;
    this.#copy.focus();
  }

  goOn(): void {
    if (this.#issued === null || !this.#saved.checked) return;
    this.#issued = null;
    byId('issued-key', HTMLElement).textContent = '';
    this.#onSaved();
  }

  async #copyKey(): Promise<void> {
    const isDone = await copyText(this.#issued ?? '');
    if (isDone) sayOnButton(this.#copy, 'Copied');
    byId('issued-told', HTMLElement).textContent = isDone
      ? 'The key is on the clipboard. Paste it where you keep your secrets.'
      : 'This page cannot use the clipboard of this browser. Select the key and copy it.';
  }
}
