/** Whether the text has no lone surrogate. A lone one becomes U+FFFD in UTF-8, so two different texts would be stored as one. */
export function isUnicodeText(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
