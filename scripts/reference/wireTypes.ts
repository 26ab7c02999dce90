import { WIRE_SCHEMAS } from '../../src/contract/namedSchemas.ts';
import { ProblemSchema } from '../../src/contract/problem.ts';

export type Json = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Json>>;
  readonly additionalProperties?: Json | boolean;
  readonly items?: Json;
  readonly minItems?: number;
  readonly maxItems?: number;
};

const { code, errors } = ProblemSchema.properties;
/** The types of the wire by the name that the client exports, each before those that contain it. */
export const WIRE: Readonly<Record<string, object>> = { ErrorCode: code, FieldCode: errors.items.properties.code, ...WIRE_SCHEMAS };

export function wireJson(schema: object): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** A schema without its description, as text: equal schemas have one type. */
export const textOf = (schema: Json): string =>
  JSON.stringify(schema, (name, value: unknown) => (name === 'description' ? undefined : value));

/** The JSON Schemas of src/contract as types, for the packages: they need no other one then. */
export function wireTypes(): string {
  const names = new Map<string, string>();
  const lines = ['// Written from the JSON Schemas in src/contract.', ''];
  for (const [name, schema] of Object.entries(WIRE)) {
    const json = wireJson(schema);
    lines.push(...comment(json, ''), `export type ${name} = ${typeOf(json, names, '')};`, '');
    names.set(textOf(json), name);
  }
  return lines.join('\n');
}

function comment({ description }: Json, indent: string): string[] {
  return description === undefined ? [] : [`${indent}/** ${description.replaceAll('*/', '* /')} */`];
}

export function typeOf(schema: Json, names: ReadonlyMap<string, string>, indent: string): string {
  const named = names.get(textOf(schema));
  if (named !== undefined) return named;
  const referred = schema.$ref?.split('/').at(-1);
  if (referred !== undefined) return referred;
  const inner = (other: Json): string => typeOf(other, names, indent);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(inner).join(' | ');
  const { type, items, properties, patternProperties, additionalProperties, minItems, maxItems } = schema;
  if (items !== undefined) {
    const item = inner(items);
    if (minItems === 2 && maxItems === 2) return `[${item}, ${item}]`;
    const isUnion = (items.anyOf ?? items.enum) !== undefined && !/^\w+$/.test(item);
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return `Record<string, ${inner(values)}>`;
  if (typeof additionalProperties === 'object') return `Record<string, ${inner(additionalProperties)}>`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).flatMap(([name, value]) => {
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      const mark = schema.required?.includes(name) === true ? '' : '?';
      return [...comment(value, `${indent}  `), `${indent}  ${key}${mark}: ${typeOf(value, names, `${indent}  `)};`];
    });
    return ['{', ...fields, `${indent}}`].join('\n');
  }
  const types = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' } as const;
  const plain = typeof type === 'string' ? types[type as keyof typeof types] : undefined;
  if (plain === undefined) throw new Error(`There is no type for the schema ${JSON.stringify(schema).slice(0, 200)}.`);
  return plain;
}
