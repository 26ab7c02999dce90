import { SETTING_THEMES, type SettingRow } from '../../src/core/config/settingTable.ts';
import { CLIENT_MESSAGES, CLOSE_CODES, SERVER_MESSAGES } from '../../src/contract/live.ts';
import { CLIENT_EXAMPLES, SERVER_EXAMPLES } from '../../src/contract/liveExamples.ts';
import { describeParameter, QUERY_PARAMETERS, type QueryName } from '../../src/contract/queryParameters.ts';
import { ROUTES, type RouteSpec, TRANSPORT_CODES } from '../../src/contract/routes.ts';
import { ERROR_TABLE, FIELD_CODES } from '../../src/core/errorTable.ts';
import { type Column, PRICE_TABLE, SEQUENCE_TABLE, TEMPO_TABLE, THRESHOLD_TABLE } from '../../src/engine/features/columns.ts';
import { METRICS } from '../../src/core/observability/metricTable.ts';
import { EXCHANGES } from '../../src/ticks/exchange/exchanges.ts';
import { PREDICATES } from '../../src/engine/rules/predicates.ts';
import { readFolders } from '../../test/support/layerGraph.ts';
import { engineApi } from './engineApi.ts';
import type { FileCase } from '../../test/support/fileCase.ts';
import { FILE_CASES } from '../../test/support/fileCases.ts';
import { TICK_FORMATS, type TickFormat } from '../../test/support/tickFormats.ts';

/** Writes one section. `old` is its text on the page, for what only the page knows. */
type Section = (old: string) => string;

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[]): string => texts.map(code).join(', ') || '–';

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function settings(): string {
  const allowed = ({ kind, min, max, also }: SettingRow): string => {
    if (kind === 'integer') return `${min} to ${max}${also === undefined ? '' : `, ${code(also)}`}`;
    if (kind === 'text') return 'text';
    return codes(kind === 'boolean' ? ['true', 'false'] : kind.oneOf);
  };
  const themes = Object.entries(SETTING_THEMES).map(([title, settings]) => {
    const rows = Object.entries<SettingRow>(settings).map(([name, row]) => [
      code(name),
      row.default === '' ? 'empty' : code(row.default),
      allowed(row),
      row.about,
    ]);
    return `## ${title}\n\n${table(['variable', 'default', 'allowed', 'meaning'], rows)}`;
  });
  return themes.join('\n\n');
}

function routes(): string {
  const needs = ({ needsKey, needsPassword }: RouteSpec): string => {
    if (needsKey) return '`Api-Key`';
    return needsPassword ? 'e-mail and password' : '–';
  };
  const queryOf = ({ query }: RouteSpec): string => {
    if (query === undefined) return 'ignored';
    return query.length === 0 ? 'none' : codes(query);
  };
  const rows = Object.values(ROUTES).map((route: RouteSpec) => [
    code(`${route.method} ${route.path}`),
    route.summary,
    needs(route),
    queryOf(route),
    `${route.answer.status}${route.answer.revalidates ? ', ETag' : ''}`,
    codes([...new Set(route.errors)]),
  ]);
  return table(['route', 'purpose', 'needs', 'query parameters', 'answer', 'error codes'], rows);
}

type FieldSchema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
};

function kindOf({ type, const: only, enum: values, anyOf, items }: FieldSchema): string {
  if (only !== undefined) return code(JSON.stringify(only));
  if (values !== undefined) return values.map((value) => code(JSON.stringify(value))).join(', ');
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(' or ');
  return type === 'array' && items !== undefined ? `list of ${kindOf(items)}` : (type ?? 'any');
}

/** Rows of the fields of an object, and of the objects in its lists. */
function fieldRows({ properties = {}, required = [] }: FieldSchema, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = field.type === 'object' ? field : field.items?.type === 'object' ? field.items : undefined;
    const about = field.description ?? field.anyOf?.find(({ description }) => description !== undefined)?.description ?? '';
    const row = [code(prefix + name), kindOf(field), required.includes(name) ? 'yes' : '', about.replaceAll('|', '\\|')];
    // The explanation is that of POST /auth/ti-tick.
    return [
      row,
      ...(name !== 'message' && field.anyOf?.some(({ properties }) => properties !== undefined)
        ? formRows(field, `${prefix}${name}.`)
        : []),
      ...(inner === undefined || name === 'detail' ? [] : fieldRows(inner, `${prefix}${name}${field.type === 'array' ? '[]' : ''}.`)),
    ];
  });
}

/** Of an object with several forms: its fields in any of them. */
function formRows({ anyOf = [] }: FieldSchema, prefix = ''): string[][] {
  const names = [...new Set(anyOf.flatMap(({ properties = {} }) => Object.keys(properties)))];
  return names.map((name) => {
    const fields = anyOf.flatMap(({ properties = {} }) => properties[name] ?? []);
    const about = [...new Set(fields.map(({ description = '' }) => description))].filter(Boolean).join(' Or: ');
    const isAlways = anyOf.every(({ required = [] }) => required.includes(name));
    return [code(prefix + name), [...new Set(fields.map(kindOf))].join(' or '), isAlways ? 'yes' : '', about.replaceAll('|', '\\|')];
  });
}

function messages(schemas: Readonly<Record<string, object>>, examples: Readonly<Record<string, object>>): string {
  const parts = Object.entries(schemas).map(([name, each]) => {
    const schema = each as FieldSchema;
    const fields = table(['field', 'type', 'always', 'meaning'], schema.anyOf === undefined ? fieldRows(schema) : formRows(schema));
    return `### ${code(name)}\n\n${schema.description ?? ''}\n\n${fields}\n\n\`\`\`json\n${JSON.stringify(examples[name])}\n\`\`\``;
  });
  return parts.join('\n\n');
}

function queryParameters(): string {
  const rows = (Object.keys(QUERY_PARAMETERS) as QueryName[]).map((name) => {
    const { description, example } = describeParameter(name);
    return [code(name), description, code(String(example))];
  });
  return table(['parameter', 'meaning', 'example'], rows);
}

function features(): string {
  const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));
  const group = (title: string, columns: readonly Column[], first = 0): string => {
    const rows = columns.map(({ name, formula, center, scale, isSquashed, low, high, undefinedAs, mirror }, i) => [
      String(first + i),
      name,
      formula.replaceAll('|', '\\|').replaceAll('*', '\\*'),
      `${center === 0 ? '' : `center ${center}, `}${shortNumber(scale)}`,
      isSquashed ? `squash ${high}` : `${low} to ${high}`,
      String(undefinedAs ?? 'never'),
      mirror,
    ]);
    return `## ${title}\n\n${table(['#', 'column', 'formula', 'scale', 'clip', 'undefined', 'mirror'], rows)}`;
  };
  return [
    group('Sequence', SEQUENCE_TABLE),
    group('Context: threshold', THRESHOLD_TABLE),
    group('Context: tempo', TEMPO_TABLE, THRESHOLD_TABLE.length),
    group('Context: prices', PRICE_TABLE, THRESHOLD_TABLE.length + TEMPO_TABLE.length),
  ].join('\n\n');
}

/** Fills the last column of the table of folders; the page has the words of the other columns. */
function folders(old: string): string {
  const imports = readFolders();
  return old.replace(/^\| `(\w+)` \| ([^|\n]*) \|[^|\n]*\|$/gm, (row, name: string, what: string) => {
    const below = imports[name]?.map((one) => one.replace(/^type:(\w+)$/, '$1 (types)'));
    return below === undefined ? row : `| \`${name}\` | ${what} | ${below.join(', ') || 'nothing'} |`;
  });
}

const QUOTES = [0, 60, 120].map((s, i) => ({
  us: (Date.UTC(2024, 0, 9, 14, 30) + s * 1000 + i * 250) * 1000,
  bid: 1.09431 + i / 1e5,
  ask: 1.09434 + i / 1e5,
}));
/** Bars start at whole minutes. */
const BARS = QUOTES.map((quote, i) => ({ ...quote, us: Date.UTC(2024, 0, 9, 14, 31 + i) * 1000 }));

/** Three ticks in a format. */
function sample({ kind, write }: TickFormat): string {
  const text = new TextDecoder().decode(write(kind === 'bars' ? BARS : QUOTES)).replaceAll('\r\n', '\n');
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}

/** Every case of the table-driven test, with what becomes of it. */
function fileCases(): string {
  const outcome = ({ refused, then, finding }: FileCase): string => {
    if (refused === undefined) return finding === undefined ? 'read' : `read; finding ${code(finding)}`;
    const asks = refused.startsWith('--') ? 'refused' : `refused: ${refused}`;
    if (then === undefined) return asks;
    const { columns = {}, ...others } = then;
    const roles = Object.entries(columns).map(([role, column]) => `${role}=${column}`);
    const options = [
      ...(roles.length === 0 ? [] : [`--columns ${roles.join(',')}`]),
      ...Object.entries(others).map(([name, value]) => `--${name} ${String(value)}`),
    ];
    return 'order' in then ? asks : `${asks}; read with ${codes(options)}`;
  };
  return table(
    ['layout or fault', 'outcome'],
    FILE_CASES.map((each) => [each.name.replaceAll('|', '\\|').replaceAll('*', '\\*'), outcome(each).replaceAll('|', '\\|')]),
  );
}

/** What `<!-- generated: NAME -->` stands for. Sections named `sample: …` are on the page only if it shows the format. */
export const SECTIONS: Readonly<Record<string, Section>> = {
  'client messages': () => messages(CLIENT_MESSAGES, CLIENT_EXAMPLES),
  'server messages': () => messages(SERVER_MESSAGES, SERVER_EXAMPLES),
  'close codes': () => table(['code', 'meaning'], Object.entries(CLOSE_CODES)),
  errors: () =>
    Object.entries(ERROR_TABLE)
      .map(([name, { status, audience, title, remedy }]) => `### ${code(name)}\n\n${status}, ${audience}. ${title} ${remedy}`)
      .join('\n\n'),
  'field codes': () =>
    table(
      ['code', 'what to do'],
      Object.entries(FIELD_CODES).map(([name, remedy]) => [code(name), remedy]),
    ),
  settings,
  metrics: () =>
    table(
      ['metric', 'labels', 'meaning', 'if it rises'],
      Object.entries(METRICS).map(([name, { labels, help, remedy }]) => [code(name), labels.join(', ') || '–', help, remedy]),
    ),
  predicates: () =>
    table(
      ['predicate', 'true when', 'unit of its value'],
      PREDICATES.map(({ name, about, unit }) => [code(name), about, unit]),
    ),
  routes,
  'query parameters': queryParameters,
  'codes of every route': () => codes(TRANSPORT_CODES),
  features,
  folders,
  'file cases': fileCases,
  exchanges: () =>
    table(
      ['exchange', '`--exchange`', 'messages that are read', 'numbers its trades', 'earlier trades'],
      Object.entries(EXCHANGES).map(([name, { title, recorded, numbers, history }]) => [
        ...[title, code(name), recorded, numbers === undefined ? 'no' : 'yes'],
        `${history.trades}`,
      ]),
    ),
  'engine api': engineApi,
  ...Object.fromEntries(TICK_FORMATS.map((format) => [`sample: ${format.name}`, () => sample(format)])),
};
