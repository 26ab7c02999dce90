/** The first fault of a value, with the words and the path of Ajv. */
type SchemaFault = {
  /** JSON Pointer. */
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
  /** A property that is missing, or that is not allowed. */
  readonly property?: string;
  /** Values of `enum`, or that of `const`. */
  readonly allowed?: unknown;
  /** The schema that is broken. */
  readonly schema: Schema;
};

type Schema = Readonly<Record<string, unknown>>;
type Place = { readonly path: string; readonly schema: Schema; readonly root: Schema };
type Found = SchemaFault | null;
type Check<V> = (wanted: never, value: V, place: Place) => Found;
type Properties = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

/** The schema of an object with these properties and no others; those of `optional` may be absent. */
export const object = <P extends Record<string, unknown>>(properties: P, optional: Record<string, unknown> = {}) =>
  ({
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  }) as const;

/**
 * Checks a value against a schema of this project, as of a file that is read once: Ajv makes code for that, which takes longer than all else that a
 * command does, and which a page with a strict policy may not run. Knows the keywords below.
 *
 * @throws Error for another keyword
 */
export function checkSchema(root: Schema, value: unknown): Found {
  return check(root, value, '', root);
}

function check(schema: Schema, value: unknown, path: string, root: Schema): Found {
  const { $ref, type } = schema;
  // Only references to a definition of the same schema.
  if (typeof $ref === 'string') return check((root['definitions'] as Schemas)[$ref.slice('#/definitions/'.length)], value, path, root);
  const unknown = Object.keys(schema).find((keyword) => !KNOWN.has(keyword));
  if (unknown !== undefined) throw new Error(`unknown keyword: "${unknown}"`);
  const place = { path, schema, root };
  if (type !== undefined && ![type].flat().some((one) => isOf(one as string, value)))
    return fault(place, 'type', `must be ${String(type)}`);
  for (const { of, keywords } of KINDS) {
    if (!of(value)) continue;
    for (const [keyword, rule] of Object.entries(keywords)) {
      const found = schema[keyword] === undefined ? null : rule(schema[keyword] as never, value as never, place);
      if (found !== null) return found;
    }
  }
  return null;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isOf = (type: string, value: unknown): boolean =>
  type === 'null'
    ? value === null
    : type === 'array'
      ? Array.isArray(value)
      : type === 'object'
        ? isObject(value)
        : type === 'integer'
          ? Number.isInteger(value)
          : type === 'number'
            ? Number.isFinite(value)
            : typeof value === type;

const fault = (
  { path, schema }: Place,
  keyword: string,
  message: string,
  more: Pick<SchemaFault, 'property' | 'allowed'> = {},
): SchemaFault => ({
  ...{ path, keyword, message, schema },
  ...more,
});
/** A rule that only compares with its limit, which takes the place of # in its words. */
const limit =
  <V>(keyword: string, breaks: (value: V, limit: number) => boolean, says: string): Check<V> =>
  (wanted: number, value, place) =>
    breaks(value, wanted) ? fault(place, keyword, says.replace('#', String(wanted))) : null;
const below = (path: string, name: string | number): string => `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
const first = <T>(items: readonly T[], find: (item: T, at: number) => Found): Found => {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== null) return found;
  }
  return null;
};

const NUMBER: Readonly<Record<string, Check<number>>> = {
  maximum: limit('maximum', (value, most) => value > most, 'must be <= #'),
  minimum: limit('minimum', (value, least) => value < least, 'must be >= #'),
  exclusiveMinimum: limit('exclusiveMinimum', (value, bound) => value <= bound, 'must be > #'),
};

const STRING: Readonly<Record<string, Check<string>>> = {
  maxLength: limit('maxLength', (text, count) => [...text].length > count, 'must NOT have more than # characters'),
  minLength: limit('minLength', (text, count) => [...text].length < count, 'must NOT have fewer than # characters'),
  pattern: (pattern: string, text, place) =>
    new RegExp(pattern, 'u').test(text) ? null : fault(place, 'pattern', `must match pattern "${pattern}"`),
};

const ANY: Readonly<Record<string, Check<unknown>>> = {
  const: (wanted: unknown, value, place) =>
    value === wanted ? null : fault(place, 'const', 'must be equal to constant', { allowed: wanted }),
  enum: (wanted: readonly unknown[], value, place) =>
    wanted.includes(value) ? null : fault(place, 'enum', 'must be equal to one of the allowed values', { allowed: wanted }),
};

const ARRAY: Readonly<Record<string, Check<readonly unknown[]>>> = {
  maxItems: limit('maxItems', (items, count) => items.length > count, 'must NOT have more than # items'),
  minItems: limit('minItems', (items, count) => items.length < count, 'must NOT have fewer than # items'),
  items: (schema: Schema, items, { path, root }) => first(items, (item, at) => check(schema, item, below(path, at), root)),
  /** Of texts and numbers. */
  uniqueItems: (_: true, items, place) => {
    const at = items.findLastIndex((item, before) => items.includes(item, before + 1));
    if (at < 0) return null;
    const text = `items ## ${items.indexOf(items[at], at + 1)} and ${at} are identical`;
    return fault(place, 'uniqueItems', `must NOT have duplicate items (${text})`);
  },
};

const OBJECT: Readonly<Record<string, Check<Properties>>> = {
  maxProperties: limit('maxProperties', (value, count) => Object.keys(value).length > count, 'must NOT have more than # properties'),
  minProperties: limit('minProperties', (value, count) => Object.keys(value).length < count, 'must NOT have fewer than # properties'),
  required: (names: readonly string[], value, place) => {
    const property = names.find((name) => value[name] === undefined);
    return property === undefined ? null : fault(place, 'required', `must have required property '${property}'`, { property });
  },
  additionalProperties: (wanted: Schema | false, value, place) => {
    const { properties = {}, patternProperties = {} } = place.schema as { properties?: object; patternProperties?: object };
    const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern, 'u'));
    const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name) && !patterns.some((pattern) => pattern.test(name)));
    return first(others, (property) =>
      wanted === false
        ? fault(place, 'additionalProperties', 'must NOT have additional properties', { property })
        : check(wanted, value[property], below(place.path, property), place.root),
    );
  },
  dependencies: (wanted: Readonly<Record<string, Schema | readonly string[]>>, value, place) => {
    const rows = Object.entries(wanted).filter(([name]) => value[name] !== undefined);
    return (
      first(rows, ([name, needs]) => {
        const others = Array.isArray(needs) ? (needs as readonly string[]) : [];
        const property = others.find((other) => value[other] === undefined);
        if (property === undefined) return null;
        const text = `must have ${others.length === 1 ? 'property' : 'properties'} ${others.join(', ')} when property ${name} is present`;
        return fault(place, 'dependencies', text, { property });
      }) ?? first(rows, ([, needs]) => (Array.isArray(needs) ? null : check(needs as Schema, value, place.path, place.root)))
    );
  },
  properties: (schemas: Schemas, value, { path, root }) =>
    first(Object.entries(schemas), ([name, schema]) =>
      value[name] === undefined ? null : check(schema, value[name], below(path, name), root),
    ),
  patternProperties: (schemas: Schemas, value, { path, root }) =>
    first(Object.entries(schemas), ([pattern, schema]) =>
      first(
        Object.keys(value).filter((name) => new RegExp(pattern, 'u').test(name)),
        (name) => check(schema, value[name], below(path, name), root),
      ),
    ),
};

/** In the order of Ajv, so that the first fault is the same. */
const KINDS = [
  { of: (value: unknown) => typeof value === 'number', keywords: NUMBER },
  { of: (value: unknown) => typeof value === 'string', keywords: STRING },
  { of: () => true, keywords: ANY },
  { of: (value: unknown) => Array.isArray(value), keywords: ARRAY },
  { of: isObject, keywords: OBJECT },
] as const;
const KNOWN: ReadonlySet<string> = new Set(['$id', 'definitions', 'type', ...KINDS.flatMap(({ keywords }) => Object.keys(keywords))]);
