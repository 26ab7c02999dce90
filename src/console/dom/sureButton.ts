import { element } from './element.ts';

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
