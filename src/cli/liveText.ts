import type { ServerMessage } from '../contract/live.ts';
import { NULL_REASONS } from '../contract/reasons.ts';
import { againstText, concludeSentence, conclusionOf } from '../engine/live/score.ts';
import { RIVAL_NAMES, RIVALS } from '../engine/scoring/conclusions.ts';
import { plural } from '../core/plural.ts';
import { unpainted, type Paint } from './CliContext.ts';

export type Printed = ServerMessage<'forecast'> | ServerMessage<'outcome'> | ServerMessage<'score'>;

/** As many as a connection keeps pending. */
const MOST_MARKS = 4096;

/** Live messages as lines of text: one for each forecast and outcome, and one for each id of a score. */
export class LiveText {
  readonly #paint: Paint;
  readonly #move: string;
  /** Forecasts with a mark, whose outcome is not known. */
  readonly #marks = new Set<string>();

  /** `isOwn`: the caller has named a cost. */
  constructor(isOwn: boolean, paint: Paint = unpainted) {
    this.#paint = paint;
    this.#move = isOwn ? 'move beyond your cost of' : 'unusually large move for this market, above';
  }

  text(message: Printed): string {
    if (message.type === 'forecast') return this.#forecast(message);
    return message.type === 'outcome' ? this.#outcome(message) : scoreText(message);
  }

  #forecast({ series, id, n, timestamp, future, trend_identified: mark, ...rest }: ServerMessage<'forecast'>): string {
    const { probability, decision_threshold: threshold, min_move_bps: move, reasons, notes, memory_unused: unused } = rest;
    const below = notes?.includes('threshold_below_cost') === true ? ', below the spread' : '';
    const seen = notes?.includes('seen_in_training') === true ? '; in sample' : '';
    const without = unused === undefined ? '' : `; memory not used (${unused})`;
    const head = `${timestamp}  ${series} ${id} #${n}`;
    if (mark === 1) {
      this.#marks.add(`${series} ${id} ${n}`);
      if (this.#marks.size > MOST_MARKS) this.#marks.delete(this.#marks.values().next().value!);
    }
    const result = mark === 1 ? this.#paint('good', 'mark') : this.#paint('faint', `no mark (${reasons.join(', ')})`);
    if (probability === null) return `${head}  ${result}  ${withoutProbability(reasons)}${without}\n`;
    return `${head}  ${result}  ${this.#move} ${short(move)} bps${below} by ${future}: probability ${short(probability)}, mark from ${short(threshold)}${seen}${without}\n`;
  }

  #outcome({ series, id, n, moved, move_bps: move, reason }: ServerMessage<'outcome'>): string {
    const wasMark = this.#marks.delete(`${series} ${id} ${n}`);
    const head = `  outcome of ${series} ${id} #${n}:`;
    if (moved === null) return `${head} unknown (${reason ?? ''})\n`;
    const found = `moved ${short(move)} bps, ${moved ? 'above' : 'not above'} its threshold`;
    if (!wasMark) return `${head} ${found}\n`;
    return `${head} ${found}; ${moved ? this.#paint('good', 'the mark came true') : this.#paint('bad', 'the mark did not come true')}\n`;
  }
}

/** Prints what live series say, from this process or a service, and keeps what was skipped until the end. */
export class LivePrinter {
  readonly #print: (message: Printed) => void;
  readonly #err: (text: string) => void;
  readonly #skipped: Record<string, number> = {};

  constructor(print: (message: Printed) => void, err: (text: string) => void) {
    this.#print = print;
    this.#err = err;
  }

  read(message: ServerMessage): void {
    if (message.type === 'forecast' || message.type === 'outcome' || message.type === 'score') this.#print(message);
    if (message.type !== 'status') return;
    if (message.code === 'bar_time_doubtful') this.#err(`${message.series}: ${message.detail}\n`);
    for (const [reason, count] of Object.entries(message.skipped ?? {})) this.#skipped[reason] = (this.#skipped[reason] ?? 0) + count;
  }

  end(): void {
    this.#err(skippedText(this.#skipped));
  }
}

/** A window that was refused has neither a threshold nor a probability: what it is, and what to do. */
function withoutProbability(reasons: readonly string[]): string {
  const texts = reasons.map((code) => (NULL_REASONS as Readonly<Record<string, string>>)[code] ?? code);
  return texts.length === 0 ? 'No probability.' : texts.join(' ');
}

function scoreText({ series, scores }: ServerMessage<'score'>): string {
  return scores
    .map((score) => {
      const { id, forecasts, outcomes, unscored, marks, hits, base_rate: rate } = score;
      const found = conclusionOf(score);
      const counts = `${series} ${id}: ${forecasts} forecasts, ${outcomes} outcomes, ${unscored} unscored; ${marks} marks, ${hits} came true`;
      const told = concludeSentence(found);
      if (told === undefined) return `${counts}\n`;
      const rivals = RIVALS.flatMap((rival) => {
        const one = found.against[rival];
        return one === null ? [] : [`    ${short(one.brier)} of ${RIVAL_NAMES[rival]}, higher by ${againstText(one)}\n`];
      });
      return `${counts} (base rate ${short(rate)})\n  Brier score ${short(found.brier)}\n${rivals.join('')}  ${told}\n`;
    })
    .join('');
}

const SKIPS: Readonly<Record<string, string>> = {
  'request.invalid': 'the window has no spread, which --min-move-bps cost needs',
  'limit.exceeded': 'the limit of the key was used up',
  'inference.overloaded': 'the service was overloaded',
  'inference.deadline': 'the service was too slow',
  slow_consumer: 'this command read too slowly',
};

/** Which forecasts the service did not make, and why; empty: it made all. */
export function skippedText(skipped: Readonly<Record<string, number>>): string {
  return Object.entries(skipped)
    .map(([reason, count]) => `${plural(count, 'forecast')} skipped: ${SKIPS[reason] ?? reason}.\n`)
    .join('');
}

const short = (value: number | null): string => (value === null ? 'none' : String(Number(value.toPrecision(4))));
