/** Whether every surrogate has its partner. A lone one becomes U+FFFD in UTF-8, so two different texts would be kept as one. */
export function isUnicodeText(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
