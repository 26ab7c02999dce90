import type { Answered, Source } from '../Ask.ts';
import { bpsText, outcomeText, percentText } from '../answer/describeAnswer.ts';
import { button, byId, element } from '../dom/element.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { formatSpan } from '../ticks/timeText.ts';
import type { Outcome } from '../ticks/labelOutcome.ts';

/** Answers that are kept; the oldest are dropped. */
const MOST = 100;

type Entry = {
  readonly cells: readonly string[];
  /** The last tick of its window in the present ticks; null: of ticks that were replaced. */
  origin: number | null;
};

/** The forecasts of this tab, newest first. They keep no ticks. */
export class HistoryPanel {
  readonly #goTo: (origin: number) => void;
  readonly #box = byId('history', HTMLElement);
  readonly #rows = byId('history-rows', HTMLTableSectionElement);
  #entries: Entry[] = [];

  /** `goTo`: moves the window to a tick of the present source. */
  constructor(goTo: (origin: number) => void) {
    this.#goTo = goTo;
  }

  /** Another file: windows of the one before cannot be shown again. */
  take(source: Source): void {
    this.#box.dataset['source'] = source.name;
    for (const entry of this.#entries) entry.origin = null;
    this.#render();
  }

  add({ ask, forecast: { mark, detail } }: Answered, outcome: Outcome): void {
    const { probability, min_move_bps: move } = detail.opportunity;
    const cells = [
      writeTimestamp(ask.source.series.timesUs[ask.origin]),
      ask.source.name,
      formatSpan(ask.horizonMs),
      move === null ? '–' : bpsText(move),
      mark === 1 ? 'Marked' : 'Not marked',
      probability === null ? '–' : percentText(probability),
      outcome.status === 'unknown' && outcome.why === 'file_ends' ? '–' : outcomeText(outcome, move),
    ];
    this.#entries = [{ cells, origin: ask.origin }, ...this.#entries].slice(0, MOST);
    this.#render();
  }

  #render(): void {
    this.#box.hidden = this.#entries.length === 0;
    this.#rows.replaceChildren(...this.#entries.map((entry) => this.#rowOf(entry)));
  }

  #rowOf({ cells: [time = '', ...others], origin }: Entry): HTMLElement {
    const link = { class: 'link', title: 'Move the window here' };
    const head = origin === null ? time : button(time, () => this.#goTo(origin), link);
    return element('tr', {}, element('th', { scope: 'row' }, head), ...others.map((text) => element('td', {}, text)));
  }
}
