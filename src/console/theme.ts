/** Runs before the first paint, so that a page that was switched to dark does not flash light. */
try {
  const theme = localStorage.getItem('tickmark.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
} catch {
  // Storage is blocked: the colours of the system apply.
}
export {};
