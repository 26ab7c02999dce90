type Value = string | number | boolean | null | undefined;

/** Lines of values: unknown ones are empty, texts with a comma, a quote or a line break are quoted. */
export const csvText = (head: readonly string[], rows: readonly (readonly Value[])[]): string =>
  `${[head, ...rows].map((row) => row.map(cellText).join(',')).join('\n')}\n`;

const cellText = (value: Value): string => {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
