import { editDistance, nearestName } from '../nearestName.ts';
import { SETTINGS, type SettingRow } from './settingTable.ts';

const ROWS: Readonly<Record<string, SettingRow>> = SETTINGS;
/** With the names of files of secrets. */
const NAMES = Object.entries(ROWS).flatMap(([name, { secret }]) => (secret === true ? [name, `${name}_FILE`] : [name]));
/** Programs of others read variables with these prefixes too. */
const FOREIGN = /^(?:TF|NVIDIA|OTEL|UV)_/;
/** Read by the examples of receivers of alerts. */
const OF_EXAMPLES: ReadonlySet<string> = new Set(['WEBHOOK_SECRET']);
/** Kubernetes sets these for each service of the namespace, whatever its name. */
const LINK_NAME = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP)(?:_\w+)?$/;
const LINK_VALUE = /^(?:tcp|udp):\/\//;
/** Shorter names are near too many others: POST is not PORT. */
const LEAST_LENGTH = 5;
/** From this length on, two edits are near. HOSTNAME, which shells set, has 8 characters and is two edits from HOST_NAMES. */
const LONG = 9;
/** Settings of earlier releases, with the value that says what holds now, and what to do where another one is set. */
const GONE: Readonly<Record<string, readonly [harmless: string, remedy: string]>> = {
  MODEL_REGISTRY: [
    'folder',
    'Share MODELS_DIR between the machines (docs/how-to/models.md#one-folder-for-several-machines), and unset the variable.',
  ],
  SHADOW_MODEL: ['', 'Compare versions on later ticks (docs/how-to/models.md#compare-two-versions), and unset the variable.'],
};

/**
 * What the settings of a family begin with, such as LIMIT_ or PASSWORD_HASH_; none of its members is its first word alone. A setting without a family is
 * known by what comes before its unit (STORE_TIMEOUT), or by a long word (SIGNUP_): SIGNUP_MODE=closed would leave it open.
 */
const PREFIXES = familyPrefixes(NAMES.filter((name) => !FOREIGN.test(name)));

function familyPrefixes(names: readonly string[]): string[] {
  const families = new Map<string, string[][]>();
  for (const words of names.map((name) => name.split('_'))) families.set(words[0], [...(families.get(words[0]) ?? []), words]);
  return [...families.values()].flatMap((members) => {
    const [first = []] = members;
    if (members.length === 1) {
      if (first.length > 2) return first.slice(0, -1).join('_');
      return first.length === 1 && first.join().length > LEAST_LENGTH ? `${first.join()}_` : [];
    }
    if (members.some((words) => words.length < 2)) return [];
    const common = first.findIndex((word, i) => members.some((words) => words[i] !== word));
    return `${first.slice(0, common).join('_')}_`;
  });
}

/** `NAME_FILE` names a file with the value of a secret. */
export const isSecretFile = (name: string): boolean => name.endsWith('_FILE') && ROWS[name.slice(0, -'_FILE'.length)]?.secret === true;

/** The setting that is probably meant by the name of a variable; null: none of the family; undefined: the variable is of another program. */
function meantBy(name: string, value: string): string | null | undefined {
  if (name in ROWS || isSecretFile(name) || OF_EXAMPLES.has(name) || LINK_NAME.test(name) || LINK_VALUE.test(value)) return undefined;
  const bare = name
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^TICKMARK_/, '');
  if (bare !== name && bare.length >= LEAST_LENGTH && NAMES.includes(bare)) return bare;
  // Only secrets are read from a file.
  const ofFile = bare.replace(/_FILE$/, '');
  if (ofFile in ROWS) return ofFile;
  const mostEdits = bare.length >= LONG ? 2 : 1;
  // Every command compares every variable: names of other lengths are further away than that.
  const near = nearestName(
    bare,
    NAMES.filter(({ length }) => Math.abs(length - bare.length) <= mostEdits),
  );
  if (near !== null && bare.length >= LEAST_LENGTH && editDistance(bare, near) <= mostEdits) return near;
  const family = PREFIXES.find((prefix) => bare.startsWith(prefix));
  if (family === undefined) return undefined;
  const members = NAMES.filter((other) => `${other}_`.startsWith(family));
  return members.length === 1 ? members[0] : (members.find((other) => other.startsWith(bare)) ?? nearestName(bare, members));
}

/** A sentence for each variable that is no setting and was probably meant to be one. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (Object.hasOwn(GONE, name)) return value === GONE[name][0] ? [] : `${name} is no longer a setting. ${GONE[name][1]}`;
    const meant = value === undefined ? undefined : meantBy(name, value);
    if (meant === undefined) return [];
    return `${name} is not a setting${meant === null ? '' : `; ${meant} is probably meant`}. Correct the name, or unset the variable.`;
  });
}
