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
