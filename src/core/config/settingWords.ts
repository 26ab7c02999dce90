import type { SettingRow } from './SettingRow.ts';
import { SETTINGS } from './settingTable.ts';

function valuesOf({ kind, min, max, also }: SettingRow): string {
  if (kind === 'integer') return `${min} to ${max}${also === undefined ? '' : `, ${also}`}`;
  if (kind === 'text') return 'text';
  return kind === 'boolean' ? 'true, false' : kind.oneOf.join(', ');
}

/** What each setting means, without the values of this process. */
export const settingWords = (): { readonly name: string; readonly default: string; readonly values: string; readonly about: string }[] =>
  Object.entries<SettingRow>(SETTINGS).map(([name, row]) => ({ name, default: row.default, values: valuesOf(row), about: row.about }));
