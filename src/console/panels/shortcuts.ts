import { byId, element } from '../dom/element.ts';

/** What each key does; a key is as `KeyboardEvent.key` names it. */
export type Shortcuts = Readonly<Record<string, () => void>>;

const HELP = {
  '← →': 'previous and next window',
  Space: 'play and pause',
  M: 'next mark, after a replay',
  '+ − 0': 'zoom the chart in, out, and to the whole window',
  '?': 'this list',
};

/** Where keys have a meaning of their own. */
const TYPED = 'input, select, textarea, [contenteditable], [role=tab], [role=slider]';
/** Where space presses. */
const PRESSED = 'button, summary, a';

/**
 * Keys that work anywhere on the page but in fields and dialogs, while `isActive`; `?` opens the list of them, always.
 */
export function listenToShortcuts(shortcuts: Shortcuts, isActive: () => boolean): void {
  const help = byId('help', HTMLDialogElement);
  const rows = Object.entries(HELP).map(([keys, does]) => {
    const names = keys.split(' ').flatMap((key) => [element('kbd', {}, key), ' ']);
    return element('div', {}, element('dt', {}, ...names), element('dd', {}, does));
  });
  byId('help-keys', HTMLElement).append(...rows);
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
