/** Whether the text was put on the clipboard: without TLS, or where the user forbids it, a browser has none to offer. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Says on the button itself that it was done, for two seconds. */
export function sayOnButton(button: HTMLButtonElement, text: string): void {
  const before = button.dataset['name'] ?? button.textContent ?? '';
  button.dataset['name'] = before;
  button.textContent = text;
  setTimeout(() => (button.textContent = before), 2000);
}
