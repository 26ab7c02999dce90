import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { fieldProblem, invalidRequest, quoteValue, type FieldProblem } from '../core/ServiceError.ts';
import type { FieldCode } from '../core/errorTable.ts';
import { KeyRequestSchema, PasswordRequestSchema, SessionRequestSchema, SignupRequestSchema } from './account.ts';
import { CLIENT_MESSAGES, LIVE_BAR_FORMS, LIVE_TICK_FORMS } from './live.ts';
import { MarketChangeSchema, MarketRequestSchema } from './markets.ts';
import { WebhookChangeSchema, WebhookRequestSchema } from './webhooks.ts';
import { TickBatchFrameSchema } from './tickBatch.ts';
import { barFormOf, formOf, TICK_FORMS, tickFormOf } from './tickForms.ts';

const MAX_PROBLEMS = 20;
/** For bodies with more members or elements, only the first problem is reported: collecting all would block the event loop. */
const MAX_COLLECTED = 8192;

/** Data frames and exchanges write them in small letters. Without those of the first form, whose answers are recorded (test/golden/contract.json). */
const LIST_NAMES = ['Bid', 'Ask', 'Open', 'High', 'Low', 'Close', 'Volume'];

/** Of an earlier release, with what takes their place. */
const REMOVED_FIELDS: ReadonlyMap<string, string> = new Map([
  ['Closes', ' any more: the memory of a series knows how the price moved before. Name yours with ?series=NAME.'],
  ['closes', ' any more: the memory of the series knows how the price moved before its first tick.'],
]);

/** Field names for messages: `/Price/3` -> `Price[3]`, `/bars/period` -> `bars.period`. */
function fieldName(pointer: string): string {
  if (pointer === '') return 'The body';
  const [first = '', ...rest] = pointer.slice(1).split('/');
  return first + rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
}

/** A value for messages; secrets, objects and arrays are named only by their type. */
function describe(value: unknown, isSecret: boolean): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (isSecret) return `a ${typeof value}`;
  return typeof value === 'string' ? `the string ${quoteValue(value)}` : String(value);
}

function pointerTo(parent: string, key: string): string {
  const cut = key.length > 64 ? `${key.slice(0, 64)}…` : key;
  return `${parent}/${cut.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function typeProblem(error: ErrorObject, pointer: string, name: string): FieldProblem {
  const isSecret = (error.parentSchema as { writeOnly?: boolean } | undefined)?.writeOnly === true;
  const expected = String(error.params['type'] ?? 'another value');
  if (pointer === '') return fieldProblem('', 'body.not_object', `The body must be an object; it is ${describe(error.data, true)}.`);
  if (typeof error.data === 'number' && !Number.isFinite(error.data)) {
    return fieldProblem(pointer, 'price.not_finite', `${name} must be a finite number; it is too large for a double.`);
  }
  const article = /^[aio]/.test(expected) ? 'an' : 'a';
  const rule = `${article} ${expected}`;
  return fieldProblem(pointer, 'field.wrong_type', `${name} must be ${rule}; it is ${describe(error.data, isSecret)}.`);
}

function sizeProblem(error: ErrorObject, pointer: string, name: string): FieldProblem {
  const limit = String(error.params['limit']);
  const few = error.keyword === 'minItems';
  if (few || error.keyword === 'maxItems') {
    const rule = few ? `at least ${limit}` : `at most ${limit}`;
    const count = (error.data as readonly unknown[]).length;
    if (few && limit === '1' && pointer === '/Timestamp') return fieldProblem(pointer, 'ticks.empty', `${name} has no entries.`);
    const topic = pointer === '/items' || pointer === '/forecasts' ? (pointer.slice(1) as 'items' | 'forecasts') : 'ticks';
    return fieldProblem(pointer, `${topic}.${few ? 'too_few' : 'too_many'}`, `${name} must have ${rule} entries; it has ${count}.`);
  }
  const code: FieldCode =
    error.keyword === 'minLength' ? 'field.too_short' : pointer === '/company_id' ? 'company_id.too_long' : 'field.too_long';
  const rule = error.keyword === 'minLength' ? `at least ${limit}` : `at most ${limit}`;
  return fieldProblem(pointer, code, `${name} must have ${rule} characters; it has ${[...(error.data as string)].length}.`);
}

function patternProblem(error: ErrorObject, pointer: string, name: string): FieldProblem {
  const { description } = error.parentSchema as { description?: string };
  const rule = description ?? `must match ${String(error.params['pattern'])}`;
  return fieldProblem(pointer, 'field.malformed', `${name} is ${describe(error.data, false)}. ${rule}`);
}

function boundProblem(error: ErrorObject, pointer: string, name: string): FieldProblem {
  const rule = error.keyword === 'maximum' ? 'at most' : error.keyword === 'minimum' ? 'at least' : 'above';
  const detail = `${name} must be ${rule} ${String(error.params['limit'])}; it is ${describe(error.data, false)}.`;
  return fieldProblem(pointer, 'field.out_of_range', detail);
}

function toProblem(error: ErrorObject): FieldProblem {
  const pointer = error.instancePath;
  switch (error.keyword) {
    case 'required': {
      const missing = String(error.params['missingProperty']);
      return fieldProblem(pointerTo(pointer, missing), 'field.missing', `${missing} is required; it is missing.`);
    }
    case 'additionalProperties': {
      const extra = String(error.params['additionalProperty']);
      const meant = LIST_NAMES.find((name) => name.toLowerCase() === extra);
      const hint = meant === undefined ? (REMOVED_FIELDS.get(extra) ?? '.') : `; did you mean "${meant}"?`;
      return fieldProblem(pointerTo(pointer, extra), 'field.unknown', `${quoteValue(extra)} is not a field of this request${hint}`);
    }
    case 'minItems':
    case 'maxItems':
    case 'minLength':
    case 'maxLength':
      return sizeProblem(error, pointer, fieldName(pointer));
    case 'pattern':
      return patternProblem(error, pointer, fieldName(pointer));
    case 'maximum':
    case 'minimum':
    case 'exclusiveMinimum':
      return boundProblem(error, pointer, fieldName(pointer));
    default:
      return typeProblem(error, pointer, fieldName(pointer));
  }
}

/** Of a value that fits none of several forms, only why it does not fit the first. */
function oneOfEach(errors: readonly ErrorObject[]): ErrorObject[] {
  const seen = new Set<string>();
  return errors.filter(({ keyword, schemaPath, instancePath }) => {
    if (keyword === 'anyOf') return !seen.has(instancePath);
    if (!schemaPath.includes('/anyOf/')) return true;
    const isFirst = !seen.has(instancePath);
    seen.add(instancePath);
    return isFirst;
  });
}

function isSmall(body: unknown, depth = 0): boolean {
  if (typeof body !== 'object' || body === null) return true;
  if (Array.isArray(body)) return body.length <= MAX_COLLECTED;
  const members: unknown[] = Object.values(body);
  return members.length <= 64 && depth < 4 && members.every((member) => isSmall(member, depth + 1));
}

/**
 * The check of a body schema, which is compiled for the first body: all of them would take a tenth of a start. It returns the typed body,
 * or throws ServiceError `request.invalid` with at most 20 field problems. Values of `writeOnly` fields never appear in a message.
 */
export function compileBodyCheck<S extends TSchema>(schema: S): (body: unknown) => Static<S> {
  // A test validates our schemas: validating them at every start would cost more than compiling them.
  const options = { verbose: true, validateSchema: false } as const;
  let isValid: ValidateFunction<Static<S>> | undefined;
  let collectAll: ValidateFunction | undefined;
  return (body) => {
    isValid ??= new Ajv(options).compile<Static<S>>(schema);
    if (isValid(body)) return body;
    let found = isValid.errors ?? [];
    if (isSmall(body)) {
      collectAll ??= new Ajv({ ...options, allErrors: true }).compile(schema);
      collectAll(body);
      found = collectAll.errors ?? found;
    }
    throw invalidRequest(oneOfEach(found).slice(0, MAX_PROBLEMS).map(toProblem));
  };
}

/** Checks a body against the schema of its form. */
function compileFormCheck<F extends Readonly<Record<string, TSchema>>>(
  forms: F,
  formOfBody: (body: unknown) => keyof F,
): (body: unknown) => Static<F[keyof F]> {
  const checks = new Map<keyof F, (body: unknown) => Static<F[keyof F]>>(
    Object.entries(forms).map(([form, schema]) => [form, compileBodyCheck(schema as F[keyof F])]),
  );
  return (body) => checks.get(formOfBody(body))!(body);
}

/** The checks of all request bodies. The warm-up of a service compiles that of ticks. */
export function compileBodyChecks() {
  return {
    signup: compileBodyCheck(SignupRequestSchema),
    /** In any of its forms. */
    tickRequest: compileFormCheck(TICK_FORMS.future, formOf),
    /** The same without a future entry, for `?horizons=`. */
    observedTicks: compileFormCheck(TICK_FORMS.observed, formOf),
    /** Does not validate the items. */
    tickBatchFrame: compileBodyCheck(TickBatchFrameSchema),
    keyRequest: compileBodyCheck(KeyRequestSchema),
    sessionRequest: compileBodyCheck(SessionRequestSchema),
    passwordRequest: compileBodyCheck(PasswordRequestSchema),
    webhookRequest: compileBodyCheck(WebhookRequestSchema),
    webhookChange: compileBodyCheck(WebhookChangeSchema),
    marketRequest: compileBodyCheck(MarketRequestSchema),
    marketChange: compileBodyCheck(MarketChangeSchema),
    live: {
      auth: compileBodyCheck(CLIENT_MESSAGES.auth),
      open: compileBodyCheck(CLIENT_MESSAGES.open),
      ticks: compileFormCheck(LIVE_TICK_FORMS, tickFormOf),
      bars: compileFormCheck(LIVE_BAR_FORMS, barFormOf),
      ask: compileBodyCheck(CLIENT_MESSAGES.ask),
      score: compileBodyCheck(CLIENT_MESSAGES.score),
      watch: compileBodyCheck(CLIENT_MESSAGES.watch),
      close: compileBodyCheck(CLIENT_MESSAGES.close),
    },
  };
}

/** Validates a parsed body against its schema: returns it typed or throws ServiceError `request.invalid`. */
export type BodyChecks = ReturnType<typeof compileBodyChecks>;
