import { byId, element } from '../dom/element.ts';
import { findEntries, type DocsEntry } from './findEntries.ts';

/** The entries of the front page: the index of the search, so that there is no second list. */
async function readEntries(): Promise<readonly DocsEntry[]> {
  const isFront = location.pathname === '/docs';
  const response = isFront ? null : await fetch('/docs', { credentials: 'omit' });
  if (response?.ok === false) throw new Error(`The list of pages came with the status ${response.status}.`);
  const page = response === null ? document : new DOMParser().parseFromString(await response.text(), 'text/html');
  return [...page.querySelectorAll<HTMLElement>('li[data-find]')].map((item) => {
    const link = item.querySelector('a');
    return {
      href: link?.getAttribute('href') ?? '/docs',
      name: link?.textContent ?? '',
      about: item.querySelector('.soft')?.textContent ?? '',
      words: item.dataset['find'] ?? '',
    };
  });
}

/** The field at the top: `/` goes to it, Enter opens the first result, Escape leaves. */
export function searchPages(): void {
  const [field, box, count, list] = [
    byId('find', HTMLInputElement),
    byId('found', HTMLElement),
    byId('found-count', HTMLElement),
    byId('found-list', HTMLElement),
  ];
  let entries: Promise<readonly DocsEntry[]> | undefined;
  byId('find-box', HTMLElement).hidden = false;

  const show = async (): Promise<void> => {
    const query = field.value;
    box.hidden = query.trim() === '';
    if (box.hidden) return;
    try {
      entries ??= readEntries();
      const { found, count: all } = findEntries(await entries, query);
      if (query !== field.value) return;
      count.textContent = all === 0 ? 'Nothing found.' : `${all} found${all > found.length ? `, the best ${found.length} are listed` : ''}`;
      list.replaceChildren(
        ...found.map(({ href, name, about }) =>
          element('li', {}, element('a', { href }, element('code', {}, name)), ' ', element('span', { class: 'soft' }, about)),
        ),
      );
    } catch {
      // The next key tries again.
      entries = undefined;
      count.textContent = 'The service does not answer: the list of pages could not be loaded.';
      list.replaceChildren();
    }
  };
  const leave = (): void => {
    field.value = '';
    void show();
  };
  field.addEventListener('input', () => void show());
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'Escape') leave();
  });
  // A result on this page only moves it.
  list.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a') !== null) leave();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}
