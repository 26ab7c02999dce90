/** Whether `test` is true of a character code of `text` (JSON or not) outside of strings. Asked in order; stops at the first. */
export function someOutsideStrings(text: string, test: (code: number) => boolean): boolean {
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (test(code)) return true;
  }
  return false;
}
