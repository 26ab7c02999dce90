import type { TNull, TSchema, TUnion, Type as TypeBox } from 'typebox';

/**
 * Builders of JSON Schema with the types of TypeBox: `Static<typeof Schema>` is the type of what the schema accepts. Only the types come from
 * TypeBox: its 370 modules took 0.29 s of processor time in every start of a command, a service and a worker.
 */
interface Builders {
  readonly Array: typeof TypeBox.Array;
  readonly Boolean: typeof TypeBox.Boolean;
  readonly Enum: typeof TypeBox.Enum;
  readonly Integer: typeof TypeBox.Integer;
  readonly Literal: typeof TypeBox.Literal;
  readonly Null: typeof TypeBox.Null;
  readonly Nullable: <T extends TSchema>(schema: T, options?: object) => TUnion<[T, TNull]>;
  readonly Number: typeof TypeBox.Number;
  readonly Object: typeof TypeBox.Object;
  readonly Optional: typeof TypeBox.Optional;
  readonly Record: typeof TypeBox.Record;
  readonly String: typeof TypeBox.String;
  readonly Union: typeof TypeBox.Union;
  readonly Unknown: typeof TypeBox.Unknown;
  readonly Unsafe: typeof TypeBox.Unsafe;
}

type Schema = Readonly<Record<string, unknown>>;

/** Schemas that an object may lack. Kept outside of the schemas, so that a document gets keywords of JSON Schema only. */
const optional = new WeakSet<Schema>();

const ofType =
  (type: string) =>
  (options: Schema = {}) => ({ type, ...options });

const builders: Record<keyof Builders, (...args: never[]) => Schema> = {
  Array: (items: Schema, options: Schema = {}) => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Enum: (values: readonly string[], options: Schema = {}) => ({ enum: values, ...options }),
  Integer: ofType('integer'),
  Literal: (value: string | number | boolean, options: Schema = {}) => ({ type: typeof value, const: value, ...options }),
  Null: ofType('null'),
  Nullable: (schema: Schema, options: Schema = {}) => ({ anyOf: [schema, { type: 'null' }], ...options }),
  Number: ofType('number'),
  /** Refuses other properties than these. */
  Object: (properties: Readonly<Record<string, Schema>>, options: Schema = {}) => {
    const required = Object.keys(properties).filter((key) => !optional.has(properties[key] ?? {}));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, additionalProperties: false, ...options };
  },
  /** A copy: the schema itself may be required elsewhere. */
  Optional: (schema: Schema) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  /** Only with `Type.String()` as the key. */
  Record: (_key: Schema, values: Schema, options: Schema = {}) => ({ type: 'object', patternProperties: { '^.*$': values }, ...options }),
  String: ofType('string'),
  Union: (anyOf: readonly Schema[], options: Schema = {}) => ({ anyOf, ...options }),
  Unknown: (options: Schema = {}) => ({ ...options }),
  Unsafe: (schema: Schema) => schema,
};

export const Type = builders as unknown as Builders;
