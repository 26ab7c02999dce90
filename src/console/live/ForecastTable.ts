import { bpsText, noteText, percentText } from '../answer/describeAnswer.ts';
import { byId, element } from '../dom/element.ts';
import type { ForecastLog, LoggedForecast } from './ForecastLog.ts';
import { horizonName } from './livePlan.ts';
import { abstainText, outcomeWords, STATUS_NAMES } from './liveWords.ts';

/** Rows of the table; the CSV file has more. */
const MOST_ROWS = 60;

function outcomeCell(row: LoggedForecast): HTMLTableCellElement {
  const isMark = row.status === 'identified';
  const moved = row.outcome?.moved ?? null;
  return element(
    'td',
    { 'data-name': 'Outcome', 'data-came': isMark && moved !== null ? (moved ? 'true' : 'false') : null },
    outcomeWords(row),
  );
}

const REMARKS = {
  threshold_below_cost: 'below the spread',
  seen_in_training: 'in sample',
  bar_time_doubtful: 'timestamps doubtful',
} as const;

function rowOf(row: LoggedForecast): HTMLTableRowElement {
  const { id, timestamp, probability, decision_threshold: needed, min_move_bps: move, notes = [], memory_unused: unused } = row.message;
  const remarks = [...notes.map((note) => REMARKS[note]), ...(unused === undefined ? [] : [`memory not used: ${noteText(unused)}`])];
  const why = abstainText(row);
  const number = (name: string, text: string, remark = ''): HTMLElement =>
    element('td', { class: 'number', 'data-name': name }, text, remark === '' ? null : element('span', { class: 'step-text' }, remark));
  return element(
    'tr',
    { 'data-status': row.status },
    element('th', { scope: 'row', class: 'number' }, timestamp.slice(11, 23)),
    number('Ahead', horizonName(id)),
    element('td', { 'data-name': 'Answer' }, STATUS_NAMES[row.status], why === '' ? null : element('span', { class: 'step-text' }, why)),
    number('Probability', probability === null ? '–' : percentText(probability)),
    number('Marked from', needed === null ? '–' : percentText(needed)),
    number('Threshold', move === null ? '–' : bpsText(move), remarks.join(', ')),
    outcomeCell(row),
  );
}

/** The last forecasts of a stream, newest first. */
export class ForecastTable {
  readonly #body = byId('live-rows', HTMLTableSectionElement);
  readonly #marksOnly = byId('live-marks-only', HTMLInputElement);
  readonly #elements = new Map<LoggedForecast, HTMLTableRowElement>();
  #log: ForecastLog | undefined;

  constructor() {
    this.#marksOnly.addEventListener('change', () => this.#showAll());
  }

  /** Another stream. */
  reset(log: ForecastLog): void {
    this.#log = log;
    this.#showAll();
  }

  /** What has changed since the last call. */
  update({ added, settled }: ReturnType<ForecastLog['takeChanges']>): void {
    this.#prepend(added);
    for (const row of settled) this.#elements.get(row)?.lastElementChild?.replaceWith(outcomeCell(row));
  }

  #showAll(): void {
    this.#elements.clear();
    this.#body.replaceChildren();
    this.#prepend(this.#log?.rows ?? []);
  }

  #prepend(rows: readonly LoggedForecast[]): void {
    const wanted = rows.filter(({ status }) => !this.#marksOnly.checked || status === 'identified').slice(-MOST_ROWS);
    const made = wanted.map((row) => {
      const shown = rowOf(row);
      this.#elements.set(row, shown);
      return shown;
    });
    this.#body.prepend(...made.reverse());
    for (const [row, shown] of this.#elements) {
      if (this.#elements.size <= MOST_ROWS) break;
      shown.remove();
      this.#elements.delete(row);
    }
    byId('live-rows-empty', HTMLElement).hidden = this.#elements.size > 0;
  }
}
