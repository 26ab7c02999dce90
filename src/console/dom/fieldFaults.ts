/** Shows a fault beside the field that it is about, or takes it away (null). */
export function showFault(fieldId: string, text: string | null): void {
  const told = document.getElementById(`${fieldId}-fault`);
  if (told === null) throw new Error(`#${fieldId}-fault is not on the page.`);
  const isNew = told.hidden && text !== null;
  told.hidden = text === null;
  told.textContent = text ?? '';
  const field = document.getElementById(fieldId);
  // What is being typed has a fault: its words must not stand out of sight. Elsewhere nothing moves.
  if (isNew && field === document.activeElement) told.scrollIntoView({ block: 'nearest' });
  if (text === null) field?.removeAttribute('aria-invalid');
  else field?.setAttribute('aria-invalid', 'true');
}
