import { FIELDS, type Values, type View } from './viewAddress.ts';

type Field = HTMLInputElement | HTMLSelectElement;

const fieldOf = (id: string): Field | null => {
  const found = document.getElementById(id);
  return found instanceof HTMLInputElement || found instanceof HTMLSelectElement ? found : null;
};

/** The values of the fields of a view that differ from those that the page came with. */
export class AddressFields {
  readonly #usual: Values;

  constructor() {
    const all = [...new Set(Object.values(FIELDS).flat())];
    this.#usual = Object.fromEntries(all.map((id) => [id, fieldOf(id)?.value ?? '']));
  }

  valuesOf(view: View): Values {
    const isOwn = fieldOf('own') as HTMLInputElement | null;
    const values = FIELDS[view]
      // The threshold of the window is no choice.
      .filter((id) => id !== 'move' || isOwn?.checked === true)
      .map((id) => [id, fieldOf(id)?.value ?? ''] as const);
    return Object.fromEntries(values.filter(([id, value]) => value !== this.#usual[id]));
  }

  /** Sets fields as a hand would. */
  set(values: Values): void {
    for (const [id, value] of Object.entries(values)) {
      const field = fieldOf(id);
      if (field === null || field.value === value) continue;
      field.value = value;
      // A choice that is not offered yet.
      if (field.value !== value) field.dataset['wanted'] = value;
      for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
    }
  }
}
