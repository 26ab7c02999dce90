type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;
type Child = Node | string | null;

/** An element with attributes (null, undefined and false are left out) and children; text is text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button that does something when it is pressed. */
export function button(text: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'small', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}

/** Options of a list, as value and text. */
export const optionsOf = (options: readonly (readonly [value: string, text: string])[]): HTMLOptionElement[] =>
  options.map(([value, text]) => element('option', { value }, text));

/** Further words of a cell, on lines of their own. */
export const stepText = (text: string): HTMLElement => element('span', { class: 'step-text' }, text);

/** Name of a column, and the class of its cells. */
export type Column = readonly [name: string, kind?: string];
export const NUMBER = 'number';

/** A table whose rows begin with their heading. On a phone, cells have the name of their column. */
export function tableOf(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly (Child | readonly Child[])[])[],
  kind?: string,
): HTMLTableElement {
  const cellOf = (cell: Child | readonly Child[], at: number): HTMLElement => {
    const [name, of] = columns[at];
    const children = [cell].flat() as Child[];
    return at === 0
      ? element('th', { scope: 'row', class: of }, ...children)
      : element('td', { class: of, 'data-name': name }, ...children);
  };
  return element(
    'table',
    { class: kind },
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...columns.map(([name, of]) => element('th', { scope: 'col', class: of }, name)))),
    element('tbody', {}, ...rows.map((cells) => element('tr', {}, ...cells.map(cellOf)))),
  );
}

/** Saves a text as a file of the user. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  element('a', { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Finds an element of the page by its id. A missing one is an error of the build. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`#${id} is not on the page.`);
  return found;
}

/** Copies the text and returns whether that worked: without TLS or permission, a browser offers no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Shows the text on the button for two seconds. */
export function sayOnButton(button: HTMLButtonElement, text: string): void {
  const before = button.dataset['name'] ?? button.textContent ?? '';
  button.dataset['name'] = before;
  button.textContent = text;
  setTimeout(() => (button.textContent = before), 2000);
}

/** Shows an error next to its field, or removes it (null). */
export function showFault(fieldId: string, text: string | null): void {
  const field = byId(fieldId, HTMLElement);
  const id = `${fieldId}-fault`;
  let told = document.getElementById(id);
  if (told === null) {
    if (text === null) return;
    told = element('p', { class: 'fault', id, role: 'alert', hidden: true });
    const box = field.closest('.field, .pair, .row');
    if (box?.matches('.field') === true) box.append(told);
    else (box ?? field).after(told);
    field.setAttribute('aria-describedby', `${field.getAttribute('aria-describedby') ?? ''} ${id}`.trim());
  }
  const isNew = told.hidden && text !== null;
  told.hidden = text === null;
  told.textContent = text ?? '';
  // Scrolls only for the field with the focus: its error must be visible.
  if (isNew && field === document.activeElement) told.scrollIntoView({ block: 'nearest' });
  if (text === null) field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
}

/** Shows a text, or hides its element where there is none. */
export function showText(id: string, text: string | null): void {
  const told = byId(id, HTMLElement);
  told.hidden = text === null || text === '';
  if (told.textContent !== (text ?? '')) told.textContent = text;
}

/** Leaves an equal text alone: a live region would read it again. */
export function tell(id: string, text: string): void {
  const told = byId(id, HTMLElement);
  if (told.textContent !== text) told.textContent = text;
}

/** A button for what cannot be undone: it takes a second press, after words that say what happens. */
export function sureButton(
  { text, label, words, sure }: { readonly text: string; readonly label: string; readonly words: string; readonly sure: string },
  act: () => void,
): HTMLElement {
  const first = element('button', { type: 'button', class: 'small', 'aria-label': label }, text);
  first.addEventListener('click', () => {
    const keep = element('button', { type: 'button', class: 'small' }, 'Keep it');
    const second = element('button', { type: 'button', class: 'small bad' }, sure);
    const question = element(
      'p',
      { class: 'row sure small-words', role: 'group', 'aria-label': `${label}?` },
      element('span', {}, words),
      second,
      keep,
    );
    keep.addEventListener('click', () => {
      question.replaceWith(first);
      first.focus();
    });
    second.addEventListener('click', act);
    first.replaceWith(question);
    keep.focus();
    question.scrollIntoView({ block: 'nearest' });
  });
  return first;
}
