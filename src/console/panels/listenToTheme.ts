import { byId } from '../dom/element.ts';
import { keepText } from '../dom/storage.ts';

/** The button that switches between light and dark; until it is pressed the system's choice holds. Told of every change, the system's too. */
export function listenToTheme(onChange: () => void): void {
  const button = byId('theme', HTMLButtonElement);
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = (): boolean => (document.documentElement.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const name = (): void => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `${button.textContent} colours`);
  };
  const changed = (): void => {
    name();
    onChange();
  };
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    document.documentElement.dataset['theme'] = theme;
    keepText('tickmark.theme', theme);
    changed();
  });
  system.addEventListener('change', changed);
  name();
}
