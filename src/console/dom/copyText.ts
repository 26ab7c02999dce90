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
