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
  const told = document.getElementById(`${fieldId}-fault`);
  if (told === null) throw new Error(`#${fieldId}-fault is not on the page.`);
  const isNew = told.hidden && text !== null;
  told.hidden = text === null;
  told.textContent = text ?? '';
  const field = document.getElementById(fieldId);
  // Scrolls only for the field with the focus: its error must be visible.
  if (isNew && field === document.activeElement) told.scrollIntoView({ block: 'nearest' });
  if (text === null) field?.removeAttribute('aria-invalid');
  else field?.setAttribute('aria-invalid', 'true');
}

/** Leaves an equal text alone: a live region would read it again. */
export function tell(id: string, text: string): void {
  const told = byId(id, HTMLElement);
  if (told.textContent !== text) told.textContent = text;
}
