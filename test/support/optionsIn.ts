import type { ColumnMap, ImportOptions } from '../../src/ticks/import/ImportReport.ts';

const FLAG = /--(columns|symbol|event|date-order|zone) (?:'([^']*)'|(\S+?))(?=[.,;:]?(?:\s|$))/g;

/** The options of each command that a refusal proposes: behind ` or ` and in the next sentence stands another one. */
export function optionsIn(remedy: string): Partial<ImportOptions>[] {
  return remedy
    .split(/ or (?=--)|\. (?=[A-Z])/)
    .map((command) => {
      const options: Record<string, unknown> = {};
      for (const [, flag, quoted, plain] of command.matchAll(FLAG)) {
        const value = quoted ?? plain!;
        if (flag === 'columns') options['columns'] = columnsIn(value);
        else options[flag === 'date-order' ? 'dateOrder' : flag!] = value;
      }
      return options;
    })
    .filter((options) => Object.keys(options).length > 0);
}

function columnsIn(text: string): ColumnMap {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
}
