import { readSettings } from './settings.ts';
import { SETTINGS, type SettingRow } from './settingTable.ts';

export type EffectiveSetting = {
  readonly name: string;
  /** A secret is masked. */
  readonly value: string;
  readonly source: 'default' | 'environment' | 'file';
};

const MASK = '********';

/** The value of each setting in this environment, and where it comes from. Throws like readSettings for a service. */
export function effectiveSettings(env: NodeJS.ProcessEnv): EffectiveSetting[] {
  const resolved = { ...env };
  readSettings(resolved, { forService: true });
  return Object.entries<SettingRow>(SETTINGS).map(([name, { default: usual, secret }]) => {
    const given = resolved[name]?.trim() ?? '';
    const source = given === '' ? 'default' : (env[name]?.trim() ?? '') === '' ? 'file' : 'environment';
    const value = given === '' ? usual : given;
    return { name, value: secret === true && value !== '' ? MASK : value, source };
  });
}

function valuesOf({ kind, min, max, also }: SettingRow): string {
  if (kind === 'integer') return `${min} to ${max}${also === undefined ? '' : `, ${also}`}`;
  if (kind === 'text') return 'text';
  return kind === 'boolean' ? 'true, false' : kind.oneOf.join(', ');
}

/** What each setting means, without the values of this process. */
export const settingWords = (): { readonly name: string; readonly default: string; readonly values: string; readonly about: string }[] =>
  Object.entries<SettingRow>(SETTINGS).map(([name, row]) => ({ name, default: row.default, values: valuesOf(row), about: row.about }));
