import { byId } from '../dom/element.ts';

/** What each key does; a key is as `KeyboardEvent.key` names it. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** Where keys have a meaning of their own. */
const TYPED = 'input, select, textarea, [contenteditable], [role=tab], [role=slider]';
/** Where space presses. */
const PRESSED = 'button, summary, a';

/**
 * Keys that work anywhere on the page but in fields and dialogs, while `isActive`; `?` opens the list of them, always.
 */
export function listenToShortcuts(shortcuts: Shortcuts, isActive: () => boolean): void {
  const help = byId('help', HTMLDialogElement);
  const all: Shortcuts = { ...shortcuts, '?': () => help.showModal() };
  byId('help-open', HTMLButtonElement).addEventListener('click', () => help.showModal());
  byId('help-close', HTMLButtonElement).addEventListener('click', () => help.close());
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const act = key === '?' || isActive() ? all[key] : undefined;
    if (act === undefined || ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null) return;
    if (target instanceof Element && (target.closest(TYPED) !== null || (key === ' ' && target.closest(PRESSED) !== null))) return;
    event.preventDefault();
    act();
  });
}
