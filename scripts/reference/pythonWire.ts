import { PASSING_CODES } from '../../clients/typescript/src/Transport.ts';
import { BATCH_BYTES, BATCH_ITEMS } from '../../clients/typescript/src/forecastBatches.ts';
import { ROUTES, type RouteSpec } from '../../src/contract/routes.ts';
import { textOf, WIRE, wireJson, type Json } from './wireTypes.ts';

/** Routes that serve pages and texts, not data. */
const isPage = ({ path, answer }: RouteSpec): boolean =>
  ['/', '/openapi.json', '/asyncapi.json'].includes(path) || answer.type !== undefined || /^\/(console|session)/.test(path);

const KEYWORDS: ReadonlySet<string> = new Set(['from', 'import', 'class', 'def', 'in', 'is', 'not', 'or', 'and', 'None', 'pass', 'global']);

/** What no method of the client takes or gives. */
const UNUSED: ReadonlySet<string> = new Set([
  'KeyRequestBody',
  'LiveSeriesMessage',
  'MarketChangeBody',
  'SeriesWeights',
  'SignupRequest',
  'TickBatchAnswer',
  'TickLists',
]);
/** The modules of clients/python/src/tickmark/_wire after `forecasts`, each with its first type. */
const MODULES: Readonly<Record<string, string>> = {
  TrackRecordAnswer: 'accounts',
  LiveScore: 'markets',
  ModelSummary: 'catalog',
  LiveSeriesMessageOpened: 'live',
};
const WRITTEN = 'written by `npm run docs:reference` from src/contract."""';
const TYPING = `import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired`;

/** clients/python/src/tickmark/_wire: the JSON Schemas of src/contract as TypedDicts by module, and the routes and the codes. */
export function pythonWire(): Readonly<Record<string, string>> {
  const writer = new PythonTypes();
  const starts: [module: string, line: number][] = [['forecasts', 0]];
  for (const [name, schema] of Object.entries(WIRE)) {
    const begun = MODULES[name];
    if (begun !== undefined) starts.push([begun, writer.lines.length]);
    if (!UNUSED.has(name)) writer.add(name, wireJson(schema));
  }
  const texts = starts.map(([module, line], i) => ({ module, text: writer.lines.slice(line, starts[i + 1]?.[1]).join('\n') }));
  const files = texts.map(({ module, text }, i) => {
    const imports = texts.slice(0, i).flatMap((other) => {
      const defined = [...other.text.matchAll(/^(?:class )?([A-Z]\w+)/gm)].map((match) => match[1]!);
      const used = defined.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
      return used.length === 0 ? [] : [`from .${other.module} import ${used.sort().join(', ')}`];
    });
    const head = [`"""Types of the service, ${module}: ${WRITTEN}`, '', 'from __future__ import annotations', '', TYPING];
    return [`${module}.py`, `${[...head, ...(imports.length === 0 ? [] : ['', ...imports]), text].join('\n')}\n`];
  });
  return { ...(Object.fromEntries(files) as Record<string, string>), '__init__.py': codesAndRoutes() };
}

function codesAndRoutes(): string {
  return [
    `"""Types, routes and codes of the service: ${WRITTEN}`,
    '',
    'from __future__ import annotations',
    '',
    'from typing import get_args',
    '',
    ...['forecasts', ...Object.values(MODULES)].map((module) => `from .${module} import *`),
    '',
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
    '',
  ].join('\n');
}

const tuple = (names: readonly string[]): string => `(${names.map((name) => `"${name}",`).join(' ')})`;
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

type ObjectType = { readonly name: string; readonly texts: ReadonlySet<string> };

export class PythonTypes {
  readonly lines: string[] = [];
  readonly #objects: ObjectType[] = [];
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
    this.#taken.add(name);
    const fields = Object.entries(properties).map(([key, value]) => {
      const type = this.typeOf(value, `${name}${pascal(key)}`);
      return {
        key,
        value,
        type: required.includes(key) ? type : `NotRequired[${type}]`,
        text: JSON.stringify([key, required.includes(key), value]),
      };
    });
    const texts = new Set(fields.map(({ text }) => text));
    const bases = this.#basesOf(texts);
    this.#objects.push({ name, texts });
    const doc = description === undefined ? [] : [`    """${description.replaceAll('\\', '\\\\')}"""`, ''];
    const own = fields.filter(({ text }) => !bases.some((base) => base.texts.has(text)));
    // A name that is no identifier or a keyword needs the call form.
    if (own.some(({ key }) => KEYWORDS.has(key) || !/^[A-Za-z_]\w*$/.test(key))) {
      const entries = own.map(({ key, type }) => `"${key}": ${JSON.stringify(type)}`).join(', ');
      this.lines.push('', `${name} = TypedDict("${name}", {${entries}})`, '');
      return;
    }
    const written = own.flatMap(({ key, value, type }) => [
      ...(value.description === undefined ? [] : [`    #: ${value.description}`]),
      `    ${key}: ${type}`,
    ]);
    const parents = bases.length === 0 ? 'TypedDict' : bases.map((base) => base.name).join(', ');
    this.lines.push('', '', `class ${name}(${parents}):`, ...doc, ...(written.length === 0 ? ['    pass'] : written));
  }

  /** Earlier objects whose fields are all among these, largest first: three fields in common are no accident. */
  #basesOf(texts: ReadonlySet<string>): readonly ObjectType[] {
    const left = new Set(texts);
    return this.#objects
      .filter((each) => each.texts.size > 2)
      .sort((a, b) => b.texts.size - a.texts.size)
      .filter((each) => [...each.texts].every((text) => left.has(text)) && [...each.texts].every((text) => left.delete(text)));
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
