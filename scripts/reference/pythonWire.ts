import { PASSING_CODES } from '../../clients/typescript/src/Transport.ts';
import { BATCH_BYTES, BATCH_ITEMS } from '../../clients/typescript/src/forecastBatches.ts';
import { ROUTES, type RouteSpec } from '../../src/contract/routes.ts';
import { textOf, WIRE, wireJson, type Json } from './wireTypes.ts';

/** Routes that serve pages and texts, not data. */
const isPage = ({ path, answer }: RouteSpec): boolean =>
  ['/', '/openapi.json', '/asyncapi.json'].includes(path) || answer.type !== undefined || /^\/(console|session)/.test(path);

const KEYWORDS: ReadonlySet<string> = new Set(['from', 'import', 'class', 'def', 'in', 'is', 'not', 'or', 'and', 'None', 'pass', 'global']);

/** clients/python/src/tickmark/_wire.py: the JSON Schemas of src/contract as TypedDicts, the routes and the codes. */
export function pythonWire(): string {
  const writer = new PythonTypes();
  for (const [name, schema] of Object.entries(WIRE)) writer.add(name, wireJson(schema));
  const { code } = wireJson(WIRE['Problem']).properties!;
  return [
    '"""Types, routes and codes of the service: written by `npm run docs:reference` from src/contract."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Literal, TypedDict, Union, get_args',
    '',
    `ErrorCode = Literal[\n${(code!.enum as string[]).map((each) => `    "${each}",\n`).join('')}]`,
    'ERROR_CODES: tuple[ErrorCode, ...] = get_args(ErrorCode)',
    '',
    '# Those that pass by themselves. A 500 is not among them: the same request meets it again.',
    `PASSING_CODES = frozenset(\n    {\n${PASSING_CODES.map((each) => `        "${each}",\n`).join('')}    }\n)`,
    '',
    '# Most items and bytes of one batch.',
    `BATCH_ITEMS, BATCH_BYTES = ${BATCH_ITEMS}, ${BATCH_BYTES}`,
    '',
    '# Method, path, and the fields that every answer has.',
    `ROUTES: dict[str, tuple[str, str, tuple[str, ...]]] = {`,
    ...Object.entries(ROUTES as Readonly<Record<string, RouteSpec>>)
      .filter(([, route]) => !isPage(route))
      .map(
        ([name, { method, path, answer }]) => `    "${name}": ("${method}", "${path}", ${tuple(wireJson(answer.schema).required ?? [])}),`,
      ),
    '}',
    ...writer.lines,
    '',
  ].join('\n');
}

const tuple = (names: readonly string[]): string => `(${names.map((name) => `"${name}",`).join(' ')})`;
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

export class PythonTypes {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Writes the type of a schema under a name; the objects in it before it. */
  add(name: string, schema: Json): void {
    const text = textOf(schema);
    if (schema.properties === undefined) this.lines.push('', `${name} = ${this.typeOf(schema, name)}`);
    else this.#object(name, schema);
    this.#names.set(text, name);
  }

  #object(name: string, { description, properties = {}, required = [] }: Json): void {
    const fields = Object.entries(properties).map(([key, value]) => ({ key, value, type: this.typeOf(value, `${name}${pascal(key)}`) }));
    this.#taken.add(name);
    const doc = description === undefined ? [] : [`    """${description.replaceAll('\\', '\\\\')}"""`, ''];
    const always = fields.filter(({ key }) => required.includes(key));
    const sometimes = fields.filter(({ key }) => !required.includes(key));
    const written = ({ key, value, type }: (typeof fields)[number]): string[] => [
      ...(value.description === undefined ? [] : [`    #: ${value.description}`]),
      `    ${key}: ${type}`,
    ];
    // A name that is no identifier or a keyword needs the call form.
    if (fields.some(({ key }) => KEYWORDS.has(key) || !/^[A-Za-z_]\w*$/.test(key))) {
      const entries = (of: typeof fields): string => of.map(({ key, type }) => `"${key}": ${JSON.stringify(type)}`).join(', ');
      this.lines.push('', `_${name} = TypedDict("_${name}", {${entries(always)}})`, '', '', `class ${name}(_${name}, total=False):`);
      this.lines.push(...(sometimes.length === 0 ? [`    """${description ?? name}."""`] : sometimes.flatMap(written)), '');
    } else if (sometimes.length === 0 || always.length === 0) {
      this.lines.push('', '', `class ${name}(TypedDict${always.length === 0 ? ', total=False' : ''}):`);
      this.lines.push(...doc, ...(fields.length === 0 ? ['    pass'] : fields.flatMap(written)));
    } else {
      this.lines.push('', '', `class _${name}(TypedDict):`, ...always.flatMap(written));
      this.lines.push('', '', `class ${name}(_${name}, total=False):`, ...doc, ...sometimes.flatMap(written));
    }
    this.lines.push('');
  }

  typeOf(schema: Json, name: string): string {
    const text = textOf(schema);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const referred = schema.$ref?.split('/').at(-1);
    if (referred !== undefined) return referred;
    if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
    if (schema.enum !== undefined)
      return `Literal[${schema.enum.map((value) => (value === null ? 'None' : JSON.stringify(value))).join(', ')}]`;
    if (schema.anyOf !== undefined) {
      const isOne = schema.anyOf.filter(({ properties }) => properties !== undefined).length < 2;
      const suffix = (each: Json, i: number): string => pascal(String(each.properties?.['type']?.const ?? (isOne ? '' : i + 1)));
      const types = schema.anyOf.map((each, i) => this.typeOf(each, name + suffix(each, i)));
      return `Union[${[...new Set(types)].join(', ')}]`;
    }
    const { type, items, properties, patternProperties, additionalProperties } = schema;
    if (items !== undefined) return `list[${this.typeOf(items, name)}]`;
    const [values] = Object.values(patternProperties ?? {});
    if (values !== undefined) return `dict[str, ${this.typeOf(values, `${name}Value`)}]`;
    if (typeof additionalProperties === 'object') return `dict[str, ${this.typeOf(additionalProperties, `${name}Value`)}]`;
    if (properties !== undefined) {
      let own = name;
      for (let n = 2; this.#taken.has(own); n++) own = `${name}${n}`;
      this.#object(own, schema);
      this.#names.set(text, own);
      return own;
    }
    const types = { string: 'str', number: 'float', integer: 'int', boolean: 'bool', null: 'None', object: 'dict[str, Any]' } as const;
    const plain = typeof type === 'string' ? types[type as keyof typeof types] : undefined;
    if (plain === undefined) throw new Error(`There is no type for the schema ${text.slice(0, 200)}.`);
    return plain;
  }
}
