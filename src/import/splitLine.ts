/** The fields of one line. Fields in double quotes may hold the separator; blanks as separators may stand several in a row. */
export function splitLine(line: string, separator: string): string[] {
  if (separator === ' ') return line.trim().split(/ +/).map(unquoted);
  if (!line.includes('"')) return line.split(separator).map((field) => field.trim());
  const fields: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (at === line.length || (line[at] === separator && !isQuoted)) {
      fields.push(unquoted(line.slice(from, at).trim()));
      from = at + 1;
    }
  }
  return fields;
}

function unquoted(field: string): string {
  return field.length >= 2 && field.startsWith('"') && field.endsWith('"') ? field.slice(1, -1).replaceAll('""', '"').trim() : field;
}
