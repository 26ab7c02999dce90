import type { TrackRecordAnswer } from '../../contract/trackRecord.ts';
import { byId, optionsOf, saveText } from '../dom/element.ts';
import type { Service } from '../service/clientService.ts';
import { type RecordRow, FIRST_HEAD, groupRecord, type RecordGroup, weeksAgo, type Grouping, writeRecordCsv } from './groupRecord.ts';
import { explain } from '../service/failureText.ts';
import { horizonSentences } from './describeComparison.ts';
import { recordBins, uncountedText } from './recordBins.ts';
import { calibrationTable, drawRecordCalibration, renderRecord, renderCoverage } from './renderRecord.ts';
import { countText } from '../answer/describeAnswer.ts';

/** Groups of the table; a key with more series sees those of the last days. */
const MOST_GROUPS = 200;

export type RecordHost = {
  readonly service: Pick<Service, 'trackRecord' | 'sealedRecord'>;
  readonly key: () => string | null;
  readonly signIn: () => void;
};

/** How right the forecasts of the key were, by week, series, version or horizon, against the volatility baseline. */
export class RecordPanel {
  readonly #host: RecordHost;
  readonly #by = byId('record-by', HTMLSelectElement);
  readonly #weeks = byId('record-weeks', HTMLSelectElement);
  readonly #series = byId('record-series', HTMLSelectElement);
  readonly #horizon = byId('record-horizon', HTMLSelectElement);
  #groups: readonly RecordGroup[] = [];
  #loading: AbortController | undefined;
  #answer: TrackRecordAnswer | undefined;

  constructor(host: RecordHost) {
    this.#host = host;
    for (const field of [this.#by, this.#series, this.#horizon]) field.addEventListener('change', () => this.#draw());
    byId('record-csv', HTMLButtonElement).addEventListener('click', () => saveText('track-record.csv', writeRecordCsv(this.#groups)));
    this.#weeks.addEventListener('change', () => void this.load());
    byId('record-again', HTMLButtonElement).addEventListener('click', () => void this.load());
    byId('record-seal', HTMLButtonElement).addEventListener('click', () => void this.#saveSealed());
    byId('record-signin', HTMLButtonElement).addEventListener('click', () => host.signIn());
  }

  /** Asks the service again; with another key, or when the view is opened. */
  async load(): Promise<void> {
    this.#loading?.abort();
    this.#loading = undefined;
    const key = this.#host.key();
    byId('record-signin', HTMLElement).hidden = key !== null;
    byId('record-again', HTMLButtonElement).disabled = key === null;
    if (key === null) {
      this.#answer = undefined;
      this.#say('The track record belongs to a key: sign in to see how right its forecasts were.');
      this.#draw();
      return;
    }
    const loading = new AbortController();
    this.#loading = loading;
    byId('record-again', HTMLButtonElement).disabled = true;
    const weeks = Number(this.#weeks.value);
    const from = weeks === 0 ? {} : { from: weeksAgo(weeks, Date.now()) };
    try {
      const answer = await this.#host.service.trackRecord(key, { ...from, signal: loading.signal });
      if (this.#loading !== loading) return;
      this.#answer = answer;
      this.#listSeries(answer);
      this.#draw();
    } catch (error) {
      if (this.#loading !== loading) return;
      const why = explain(error);
      this.#answer = undefined;
      this.#draw();
      this.#say(why);
    } finally {
      if (this.#loading === loading) byId('record-again', HTMLButtonElement).disabled = false;
    }
  }

  #listSeries({ rows }: TrackRecordAnswer): void {
    // The address may name one before there is a list.
    const before = this.#series.value || (this.#series.dataset['wanted'] ?? '');
    const names = [...new Set(rows.map(({ series }) => series))].sort();
    this.#series.replaceChildren(...optionsOf([['', 'All series'], ...names.map((name) => [name, name] as const)]));
    this.#series.value = names.includes(before) ? before : '';
  }

  #draw(): void {
    const answer = this.#answer;
    const chosen = this.#series.value;
    const bucket = this.#horizon.value;
    const rows = answer?.rows.filter((row) => (chosen === '' || row.series === chosen) && (bucket === '' || row.bucket === bucket)) ?? [];
    byId('record-sealed', HTMLElement).hidden = rows.length === 0;
    byId('record-table', HTMLElement).hidden = rows.length === 0;
    byId('record-hint', HTMLElement).hidden = rows.length === 0;
    const horizons = groupRecord(rows, 'bucket');
    // Of one horizon: probabilities of others are of other moves.
    this.#drawCalibration(horizons.length > 1 ? [] : rows);
    byId('record-choose', HTMLElement).hidden = horizons.length < 2;
    this.#drawCoverage(rows);
    const by = this.#by.value as Grouping;
    this.#groups = groupRecord(rows, by).slice(0, MOST_GROUPS);
    byId('record-csv', HTMLButtonElement).disabled = rows.length === 0;
    if (answer === undefined) return;
    const head = FIRST_HEAD[by];
    const table = (): HTMLElement => renderRecord(this.#groups, `Track record by ${head.toLowerCase()}`, head);
    byId('record-table', HTMLElement).replaceChildren(...(rows.length === 0 ? [] : [table()]));
    if (!answer.kept) this.#say('This service keeps no track record (its setting TRACK_RECORD is false).');
    else if (rows.length === 0)
      this.#say(
        'No forecast has been counted in this time, which is that of the ticks: of an older file, choose "All that is kept". ' +
          'Stream ticks in the live view, or add ?series=NAME to your requests.',
      );
    else this.#say(horizonSentences(horizons).join(' '));
  }

  #drawCalibration(rows: readonly RecordRow[]): void {
    const bins = recordBins(rows);
    byId('record-calibration-figure', HTMLElement).hidden = bins.length === 0;
    const uncounted = uncountedText(rows, bins);
    byId('record-calibration', HTMLElement).replaceChildren(...(bins.length === 0 ? [] : [drawRecordCalibration(bins)]));
    byId('record-calibration-table', HTMLElement).replaceChildren(...(bins.length === 0 ? [] : [calibrationTable(bins)]));
    byId('record-uncounted', HTMLElement).textContent = uncounted;
  }

  #drawCoverage(rows: readonly RecordRow[]): void {
    const table = renderCoverage(rows, this.#by.value as Grouping, MOST_GROUPS);
    byId('record-coverage-figure', HTMLElement).hidden = table === null;
    byId('record-coverage', HTMLElement).replaceChildren(...(table === null ? [] : [table]));
  }

  async #saveSealed(): Promise<void> {
    const key = this.#host.key();
    if (key === null) return;
    const words = byId('record-sealed-words', HTMLElement);
    const text = await this.#host.service.sealedRecord(key).catch((error: unknown) => void (words.textContent = explain(error)));
    if (text === undefined || this.#host.key() !== key) return;
    saveText('tickmark.record', text);
    words.textContent = describeSealed(text);
  }

  #say(text: string): void {
    byId('record-words', HTMLElement).textContent = text;
  }
}

/** What a sealed record holds, by its lines. */
function describeSealed(text: string): string {
  const lines = text.trimEnd().split('\n');
  const count = (kind: string): number => lines.filter((line) => line.startsWith(`["${kind}",`)).length;
  const [, n, head, at, key] = JSON.parse(lines.at(-1)!) as [string, number, string, number, string, string];
  return (
    `${countText(count('f'), 'forecast')} and ${countText(count('o'), 'outcome')}; ` +
    `${countText(count('seal'), 'seal')}, the last of ${new Date(at).toISOString()}: line ${n}, head ${head}, key ${key}.`
  );
}
