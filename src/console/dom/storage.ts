export const OF_TAB = (): Storage => sessionStorage;
const OF_BROWSER = (): Storage => localStorage;

/** Keeps a text in this browser; null: none any more. Where storage is blocked or full, it lasts for the page. */
export function keepText(name: string, text: string | null, store = OF_BROWSER): void {
  try {
    if (text === null) store().removeItem(name);
    else store().setItem(name, text);
  } catch {
    // As said above.
  }
}

/** Null: none is kept. */
export function keptText(name: string, store = OF_BROWSER): string | null {
  try {
    return store().getItem(name);
  } catch {
    return null;
  }
}
