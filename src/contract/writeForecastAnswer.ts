import { statusOf, type ForecastDetail } from './forecastDetail.ts';
import type { OUTLOOK_FIELDS } from './outlook.ts';
import type { NullReason } from './reasons.ts';
import type { LastAnswer } from './tickForecast.ts';

/** What stands next to a mark: ranges and chance if they were asked for, and the explanation. */
export type AnswerParts = Partial<Pick<LastAnswer, keyof typeof OUTLOOK_FIELDS | 'probability' | 'decision_threshold' | 'min_move_bps'>> & {
  readonly detail?: ForecastDetail;
};

type RuleEntry = ForecastDetail['rules'][number];

/** Of no rules. In a string, its quotes would be escaped. */
const NO_RULES = '"rules":[]';

/**
 * The fields of JSON.stringify, without its braces. The rules are most of an explanation: as text of a known form, they take a third of the
 * time, and nothing of them is copied before the answer is sent.
 */
function fieldsText(parts: AnswerParts): string {
  const { detail } = parts;
  if (detail === undefined || detail.rules.length === 0) return JSON.stringify(parts).slice(1, -1);
  const [before, after] = JSON.stringify({ ...parts, detail: { ...detail, rules: [] } }).split(NO_RULES) as [string, string];
  let rules = '';
  for (const rule of detail.rules) rules += `${rules === '' ? '' : ','}${ruleText(rule)}`;
  return `${before.slice(1)}"rules":[${rules}]${after.slice(0, -1)}`;
}

/** With a comma before them. */
const partsText = (parts: AnswerParts): string => {
  const text = fieldsText(parts);
  return text === '' ? '' : `,${text}`;
};

const ruleText = ({ id, text, truth, contribution, literals }: RuleEntry): string =>
  `${ruleStart(id)}${quoted(text)}${TRUTH}${pairText(truth)},"contribution":${contribution},"literals":[${literalsText(literals)}]}`;

const TRUTH = ',"truth":';
const ruleStart = cached((id) => `{"id":${quoted(id)},"text":`);
const literalStart = cached((predicate) => `{"predicate":${quoted(predicate)},"negated":false${TRUTH}`);
const negatedStart = cached((predicate) => `{"predicate":${quoted(predicate)},"negated":true${TRUTH}`);

function literalsText(literals: RuleEntry['literals']): string {
  let shown = '';
  for (const { predicate, negated, truth, value } of literals)
    shown += `${shown === '' ? '' : ','}${(negated ? negatedStart : literalStart)(predicate)}${pairText(truth)},"value":${value}}`;
  return shown;
}

/** Without a pattern: it would make objects of its own for each pair. Most are one of three. */
function pairText(pair: readonly [number, number]): string {
  const [lower, upper] = [pair[0], pair[1]];
  if (lower === 0) return upper === 0 ? '[0,0]' : upper === 1 ? '[0,1]' : `[0,${upper}]`;
  return lower === 1 && upper === 1 ? '[1,1]' : `[${lower},${upper}]`;
}

const NULL_ENTRY = ':{"trend_identified":null}';

/** Matches characters that a JSON string must escape; no valid timestamp contains any of them. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** More than any rule set has. */
const MOST_NAMES = 1000;

/** Keeps a text for each name of a rule or a predicate: they are few, and an explanation of fewer pieces is written faster. */
function cached(textOf: (name: string) => string): (name: string) => string {
  const texts = new Map<string, string>();
  return (name) => {
    const known = texts.get(name);
    if (known !== undefined) return known;
    if (texts.size === MOST_NAMES) texts.clear();
    const text = textOf(name);
    texts.set(name, text);
    return text;
  };
}

/**
 * Text of the answer of POST /auth/ti-tick: one key per submitted timestamp, unchanged, in the order of first appearance; equal strings
 * have one key. Every value is null except the last one, which is `mark`; its entry also contains `parts`. The text equals
 * JSON.stringify of the object, byte for byte, without building it. The last timestamp must differ from all others (it is strictly later).
 */
export function writeForecastAnswer(timestamps: readonly string[], mark: 1 | null, parts: AnswerParts = {}): string {
  const last = timestamps.length - 1;
  let text = '{';
  let previous = '';
  // Timestamps of one format ascend as text, so a repeated one is adjacent; the first one that does not ascend needs a set.
  let seen: Set<string> | undefined;
  for (let i = 0; i < last; i++) {
    const stamp = timestamps[i] as string;
    if (stamp === previous && i > 0) continue;
    if (seen === undefined && stamp < previous) seen = new Set(timestamps.slice(0, i));
    if (seen !== undefined) {
      if (seen.has(stamp)) continue;
      seen.add(stamp);
    }
    previous = stamp;
    text += quoted(stamp) + NULL_ENTRY + ',';
  }
  return `${text}${quoted(timestamps[last] as string)}:{"trend_identified":${mark}${partsText(parts)}}}`;
}

/** Text of the answer of POST /auth/ti-tick with `?answer=last` and `?answer=summary`. `reason`: the first one; null: a mark. */
export function writeLastAnswer(timestamp: string, reason: NullReason | null, parts: AnswerParts = {}): string {
  const answer: LastAnswer & AnswerParts = {
    timestamp,
    trend_identified: reason === null ? 1 : null,
    status: statusOf(reason),
    reason,
    ...parts,
  };
  return `{${fieldsText(answer)}}`;
}

/** Positions of the timestamps in the body of a request, each once: the first character, and the one after the last. */
export type StampPlaces = { readonly bytes: Uint8Array; readonly spans: Int32Array };

const FIRST = '{"';
/** Between two timestamps. */
const BETWEEN = '":{"trend_identified":null},"';
/** Its 29 characters, eight at a time from these on: the last two overlap. */
const [B0, B8, B16, B21] = [0, 8, 16, 21].map((at) => Buffer.from(BETWEEN, 'latin1').readDoubleBE(at)) as [number, number, number, number];

/**
 * Bytes of the answer of POST /auth/ti-tick for timestamps at known positions of the request body; equal to the text of
 * `writeForecastAnswer`. The timestamps are plain ASCII of at least eight characters; the last one is the future timestamp.
 */
export function writeStampAnswer({ bytes, spans }: StampPlaces, mark: 1 | null, parts: AnswerParts = {}): Buffer {
  const end = `":{"trend_identified":${mark}${partsText(parts)}}}`;
  const last = spans.length / 2 - 1;
  let endAt = FIRST.length + last * BETWEEN.length;
  for (let i = 0; i <= last; i++) endAt += spans[2 * i + 1] - spans[2 * i];
  const answer = Buffer.allocUnsafe(endAt + Buffer.byteLength(end));
  const source = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const target = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  let to = answer.write(FIRST);
  for (let i = 0; i <= last; i++) {
    const from = spans[2 * i];
    const length = spans[2 * i + 1] - from;
    copyText(target, to, source, from, length);
    to += length;
    if (i === last) break;
    target.setFloat64(to, B0);
    target.setFloat64(to + 8, B8);
    target.setFloat64(to + 16, B16);
    target.setFloat64(to + 21, B21);
    to += BETWEEN.length;
  }
  answer.write(end, endAt);
  return answer;
}

/** Copies eight characters at a time; the last copy may overlap. No ASCII bytes form a double that is NaN, so all are copied exactly. */
function copyText(target: DataView, to: number, source: DataView, from: number, length: number): void {
  const tail = length - 8;
  for (let k = 0; k < tail; k += 8) target.setFloat64(to + k, source.getFloat64(from + k));
  target.setFloat64(to + tail, source.getFloat64(from + tail));
}
