import { quoteValue } from '../core/ServiceError.ts';

/** A broken rule: `NAME must ${rule}; ${found}.` `isRange`: the value has the right form, and is too small or too large. */
export type Refusal = { readonly rule: string; readonly found: string; readonly isRange?: boolean };

/** The form of a value: how it is written in JSON, in a query and on a command line, and what is allowed. */
export type Form<T = unknown> = {
  /** Schema of the value in JSON. */
  readonly json: object;
  /** Schema of its text in a query. */
  readonly query: object;
  /** What stands for the value in the help of a command: `number` for `--name <number>`. */
  readonly placeholder: string;
  /** Why a text is refused; undefined: `parse` reads it. */
  refusalOf(text: string): Refusal | undefined;
  parse(text: string): T;
  /** Why a value of a program is refused, which no schema has checked. */
  fault(value: T): Refusal | undefined;
  /** The text of a flag, whose value is true; absent: the value is what JSON has. */
  readonly flag?: string;
};

type Bounds = {
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
};

const DECIMAL = /^\d{1,20}(\.\d{1,32})?([eE][+-]?\d{1,3})?$/;

const found = (value: unknown): string => `it is ${quoteValue(value)}`;
const short = (bound: number): string => (bound < 1e9 ? String(bound) : bound.toExponential().replace('+', ''));

/** `from 0.01 to 0.99`, `above 0 and at most 10000`. */
export function boundsText({ minimum, exclusiveMinimum = -Infinity, maximum, exclusiveMaximum = Infinity }: Bounds): string {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  return `above ${short(exclusiveMinimum)} and ${maximum === undefined ? `below ${short(exclusiveMaximum)}` : `at most ${short(maximum)}`}`;
}

type NumberOptions = {
  /** Before the bounds, such as `a price `. */
  readonly noun?: string;
  readonly placeholder?: string;
  /** A text that JavaScript reads as a number is one out of range, not one that is malformed. */
  readonly readsAny?: boolean;
};

export function number(bounds: Bounds, { noun = '', placeholder = 'number', readsAny = false }: NumberOptions = {}): Form<number> {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity } = bounds;
  const isWithin = (value: number): boolean => value >= minimum && value > exclusiveMinimum && value <= maximum && value < exclusiveMaximum;
  const rule = `be ${noun}${boundsText(bounds)}`;
  const json = { type: 'number', ...bounds };
  return {
    ...{ json, query: json, placeholder },
    refusalOf(text) {
      const isDecimal = DECIMAL.test(text);
      if (isDecimal && isWithin(Number(text))) return undefined;
      if (!isDecimal && !(readsAny && !Number.isNaN(Number(text)))) return { rule: 'be a decimal number', found: found(text) };
      return { rule, found: found(text), isRange: true };
    },
    parse: Number,
    fault: (value) => (isWithin(value) ? undefined : { rule, found: found(value), isRange: true }),
  };
}

type Item<T> = Pick<Form<T>, 'refusalOf' | 'parse' | 'fault'>;

/** Also a word in place of the value. `query`: its schema. */
export function orWord<const W extends string, T>(word: W, of: Item<T>) {
  return {
    refusalOf: (text: string) => (text === word ? undefined : of.refusalOf(text)),
    parse: (text: string): T | W => (text === word ? word : of.parse(text)),
    fault: (value: T | W) => (value === word ? undefined : of.fault(value as T)),
  } satisfies Item<T | W>;
}

type ListOptions = {
  readonly most: number;
  /** The rule of a value that has another form: `be a list of …`; default: that of one value. */
  readonly rule?: string;
  /** What the values are called where one is out of range, such as `levels from 0.5 to 0.99`. */
  readonly noun?: string;
  /** What makes two values the same one. */
  readonly same?: (value: never) => unknown;
};

/** Different values, with commas between them. */
export function list<T>(item: Item<T>, { most, rule, noun, same }: ListOptions) {
  const count = (length: number): Refusal | undefined =>
    length <= most ? undefined : { rule: `have at most ${most} values`, found: `it has ${length}` };
  const ofItem = (refusal: Refusal | undefined, value: unknown): Refusal | undefined => {
    if (refusal?.isRange === true)
      return noun === undefined ? refusal : { ...refusal, rule: `have ${noun}`, found: `one is ${quoteValue(value)}` };
    return refusal && { ...refusal, rule: rule ?? refusal.rule };
  };
  const repeated = (values: readonly unknown[], shown: readonly unknown[]): Refusal | undefined => {
    const keys = same === undefined ? values : values.map((value) => same(value as never));
    const at = keys.findIndex((key, i) => keys.indexOf(key) !== i);
    return at < 0 ? undefined : { rule: 'have different values', found: `${quoteValue(shown[at])} occurs twice` };
  };
  const first = (faults: readonly (Refusal | undefined)[]): Refusal | undefined => faults.find((fault) => fault !== undefined);
  return {
    refusalOf(text: string) {
      const parts = text.split(',');
      const wrong = count(parts.length) ?? first(parts.map((part) => ofItem(item.refusalOf(part), part)));
      return wrong ?? repeated(parts.map(item.parse), parts);
    },
    parse: (text: string): readonly T[] => text.split(',').map(item.parse),
    fault: (values: readonly T[]) =>
      count(values.length) ?? first(values.map((value) => ofItem(item.fault(value), value))) ?? repeated(values, values),
  } satisfies Item<readonly T[]>;
}

/** A text that a program need not check. `rule`: after "be". */
export function text(rule: string, isGood: (text: string) => boolean, query: object): Form<string> {
  return {
    ...{ json: query, query, placeholder: 'text' },
    refusalOf: (value) => (isGood(value) ? undefined : { rule: `be ${rule}`, found: found(value) }),
    parse: (value) => value,
    fault: () => undefined,
  };
}

/** One of some words. OpenAPI gets a pattern: generators name a list of values after the operation, which is the name of an answer. */
export function choice<const W extends string>(words: readonly W[], rule = words.join(' or ')): Form<W> {
  const isOne = (value: string): boolean => words.some((word) => word === value);
  const of = text(rule, isOne, { type: 'string', pattern: `^(${words.join('|')})$` });
  const fault = (value: W) => of.refusalOf(value);
  return { ...of, json: { enum: [...words] }, parse: (value) => value as W, fault };
}

/** A word that switches something on or off: true where it is sent. */
export function flag(word: string): Form<boolean> {
  const of = text(word, (value) => value === word, { type: 'string', const: word });
  return { ...of, flag: word, placeholder: word, parse: () => true, fault: () => undefined };
}

/** A flag whose word may be left out: `?first`, `--first`. */
export function bare(word: string): Form<boolean> {
  const of = flag(word);
  return {
    ...{ ...of, query: { type: 'string', pattern: `^(${word})?$` }, placeholder: '' },
    refusalOf: (value) => (value === '' ? undefined : of.refusalOf(value)),
  };
}
