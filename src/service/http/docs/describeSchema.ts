import type { Schema } from './ApiDocument.ts';
import { escapeHtml, inline } from './html.ts';

/** The type of a value in a few words: `string`, `1 or null`, `200 to 3001 × string`. */
export function typeWords(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.length > 6 ? 'one of a list' : schema.enum.map((each) => JSON.stringify(each)).join(' or ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWords).join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(typeWords).filter(Boolean).join(', ');
  if (schema.type === 'array') return `${range(schema.minItems, schema.maxItems, 'list of')} ${typeWords(schema.items ?? {})}`;
  if (schema.type === 'number' || schema.type === 'integer') return numberWords(schema);
  return schema.type ?? 'any value';
}

function range(from: number | undefined, to: number | undefined, otherwise: string): string {
  if (from === undefined && to === undefined) return otherwise;
  if (from === to) return `${from} ×`;
  return from === undefined ? `at most ${to} ×` : to === undefined ? `at least ${from} ×` : `${from} to ${to} ×`;
}

function numberWords({ type = '', minimum, exclusiveMinimum, maximum }: Schema): string {
  const low = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : '';
  return [type, low, maximum === undefined ? '' : `to ${maximum}`].filter(Boolean).join(' ');
}

/** The fields of an object as a definition list, nested ones inside; empty for a value without fields. */
export function describeSchema(schema: Schema): string {
  const inside = (schema.anyOf ?? schema.allOf ?? []).map(describeSchema).join('');
  if (schema.type === 'array') return describeSchema(schema.items ?? {});
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => describeField(name, field, schema.required ?? []));
  const { patternProperties, additionalProperties: others } = schema;
  const values = [...Object.values(patternProperties ?? {}), ...(typeof others === 'object' ? [others] : [])];
  const keyed = values.map((field) => describeField('each key', field, ['each key']));
  const all = [...fields, ...keyed].join('');
  return all === '' ? inside : `<dl>${all}</dl>${inside}`;
}

function describeField(name: string, field: Schema, required: readonly string[]): string {
  const optional = required.includes(name) ? '' : ' <i>optional</i>';
  const about = field.description === undefined ? '' : `<p>${inline(field.description)}</p>`;
  return `<dt><code>${escapeHtml(name)}</code> <span>${escapeHtml(typeWords(field))}</span>${optional}</dt><dd>${about}${describeSchema(field)}</dd>`;
}
