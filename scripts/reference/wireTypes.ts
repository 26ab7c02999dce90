import type { TSchema } from 'typebox';
import * as account from '../../src/contract/account.ts';
import * as catalog from '../../src/contract/catalog.ts';
import { ForecastDetailSchema, INPUT_NOTES, NullReasonSchema } from '../../src/contract/forecastDetail.ts';
import * as health from '../../src/contract/health.ts';
import { SERVER_MESSAGES } from '../../src/contract/live.ts';
import { ProblemSchema } from '../../src/contract/problem.ts';
import { TickBatchAnswerSchema } from '../../src/contract/tickBatch.ts';
import { HorizonsAnswerSchema, LastAnswerSchema, TickAnswerSchema, TickRequestSchema } from '../../src/contract/tickForecast.ts';
import { TickListsSchema } from '../../src/contract/tickForms.ts';
import { TrackRecordSchema } from '../../src/contract/trackRecord.ts';
import * as webhooks from '../../src/contract/webhooks.ts';

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

const { watched, error, ...ofSeries } = SERVER_MESSAGES;
const seriesMessages = Object.values(ofSeries);

/** The types of the wire by the name that the client exports, each before those that contain it. */
export const WIRE: Readonly<Record<string, TSchema | Json>> = {
  Problem: ProblemSchema,
  NullReason: NullReasonSchema,
  InputNote: { enum: Object.keys(INPUT_NOTES) },
  ForecastDetail: ForecastDetailSchema,
  TickRequestBody: TickRequestSchema,
  TickEntry: Object.values(wireJson(TickAnswerSchema).patternProperties ?? {})[0] ?? {},
  TickAnswer: TickAnswerSchema,
  LastAnswer: LastAnswerSchema,
  HorizonForecast: HorizonsAnswerSchema.properties.forecasts.items,
  HorizonsAnswer: HorizonsAnswerSchema,
  TickLists: TickListsSchema,
  TickBatchAnswer: TickBatchAnswerSchema,
  TrackRecordAnswer: TrackRecordSchema,
  SignupRequest: account.SignupRequestSchema,
  SignupAnswer: account.SignupAnswerSchema,
  MeAnswer: account.MeAnswerSchema,
  KeyAnswer: account.KeySchema,
  KeyListAnswer: account.KeyListSchema,
  KeyRequestBody: account.KeyRequestSchema,
  IssuedKeyAnswer: account.IssuedKeySchema,
  RotatedKeyAnswer: account.RotatedKeySchema,
  MessageAnswer: account.MessageSchema,
  WebhookRequestBody: webhooks.WebhookRequestSchema,
  WebhookAnswer: webhooks.WebhookSchema,
  WebhookListAnswer: webhooks.WebhookListSchema,
  AddedWebhookAnswer: webhooks.AddedWebhookSchema,
  WebhookTestAnswer: webhooks.WebhookTestSchema,
  FailedAlertsAnswer: webhooks.FailedAlertsSchema,
  ModelSummary: catalog.ModelSummarySchema,
  ModelListAnswer: catalog.ModelListAnswerSchema,
  ModelAnswer: catalog.ModelAnswerSchema,
  RuleSetListAnswer: catalog.RuleSetListAnswerSchema,
  RuleSetAnswer: catalog.RuleSetAnswerSchema,
  LiveAnswer: health.LiveAnswerSchema,
  ReadyAnswer: health.ReadyAnswerSchema,
  LiveScore: SERVER_MESSAGES.score.properties.scores.items,
  LiveSeriesMessage: { anyOf: seriesMessages.map(wireJson) },
  LiveCopy: SERVER_MESSAGES.watched.properties.copies.items,
  LiveServerMessage: { anyOf: [...seriesMessages, watched, error].map(wireJson) },
};

export function wireJson(schema: object): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

/** A schema without its description, as text: equal schemas have one type. */
export const textOf = (schema: Json): string =>
  JSON.stringify(schema, (name, value: unknown) => (name === 'description' ? undefined : value));

/** clients/typescript/src/wire.ts: the JSON Schemas of src/contract as types, so that the client needs no other package. */
export function wireTypes(): string {
  const names = new Map<string, string>();
  const lines = ['// Written by `npm run docs:reference` from the JSON Schemas in src/contract.', ''];
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

function typeOf(schema: Json, names: ReadonlyMap<string, string>, indent: string): string {
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
