type Json = Record<string, unknown>;

const PREFIX = '#/components/schemas/';

/** A schema as text, without its own description and those inside: equal texts have one name. */
const textOf = (schema: object): string =>
  JSON.stringify(schema, (name, value: unknown) => (name === 'description' && typeof value === 'string' ? undefined : value));

/**
 * A document in which each schema that has a name is a reference, and the schemas to which it refers. A description of a place stays next
 * to its reference. Objects with any key have `additionalProperties` instead of a pattern, which generators of clients do not read.
 */
export function shareSchemas(value: Json, named: Readonly<Record<string, object>>): { readonly value: Json; readonly schemas: Json } {
  const texts = new Map(Object.entries(named).map(([name, schema]) => [textOf(schema), name]));
  const used = new Map<string, Json>();

  const inside = (schema: Json): Json =>
    Object.fromEntries(
      Object.entries(schema).map(([key, each]) => {
        const pattern = key === 'patternProperties' ? Object.entries(each as Json) : [];
        return pattern.length === 1 && pattern[0][0] === '^.*$' ? ['additionalProperties', share(pattern[0][1])] : [key, share(each)];
      }),
    );
  const use = (name: string): void => {
    if (used.has(name)) return;
    used.set(name, {});
    const schema = named[name];
    if (schema === undefined) throw new Error(`There is no schema ${JSON.stringify(name)}.`);
    used.set(name, inside(schema as Json));
  };
  const share = (each: unknown): unknown => {
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(share);
    const { $ref: reference } = each as { $ref?: string };
    if (reference?.startsWith(PREFIX) === true) use(reference.slice(PREFIX.length));
    const name = texts.get(textOf(each));
    if (name === undefined) return inside(each as Json);
    use(name);
    const { description } = each as { description?: string };
    const own = (named[name] as { description?: string }).description;
    return { $ref: PREFIX + name, ...(description === undefined || description === own ? {} : { description }) };
  };
  return { value: share(value) as Json, schemas: Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The document with what its references name in their place, shared and not copied. A description next to a reference stays. */
export function withoutReferences(document: Json): Json {
  const known = new Map<string, unknown>();
  const targetOf = (reference: string): unknown => {
    const value = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((inside, key) => (inside as Json)[key], document);
    if (!known.has(reference)) known.set(reference, expand(value));
    return known.get(reference);
  };
  const expand = (each: unknown): unknown => {
    if (typeof each !== 'object' || each === null) return each;
    if (Array.isArray(each)) return each.map(expand);
    const { $ref: reference, ...rest } = each as Json;
    if (typeof reference !== 'string') return Object.fromEntries(Object.entries(each).map(([key, value]) => [key, expand(value)]));
    const target = targetOf(reference) as Json;
    return Object.keys(rest).length === 0 ? target : { ...target, ...rest };
  };
  return expand(document) as Json;
}
