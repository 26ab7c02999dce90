import type { Source } from '../Ask.ts';
import { countText } from '../answer/describeAnswer.ts';
import type { TrainedDensity } from '../../ticks/import/ImportReport.ts';
import { byId, element, showText } from '../dom/element.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { formatSpan, zoneChoices } from '../ticks/timeText.ts';
import type { BarTime } from '../../../clients/typescript/src/index.ts';
import { MIN_TICKS, unitOf, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import type { FileNote, FileReport, ReadOptions } from '../worker/messages.ts';
import { readTicks, type Reading } from '../worker/readTicks.ts';
import { wayText } from '../worker/readingWay.ts';
import { FileChoice } from './FileChoice.ts';
import { KeepTicks } from './KeepTicks.ts';

const MIB = 1024 * 1024;

const sizeText = (bytes: number): string =>
  bytes < MIB ? `${Math.max(1, Math.round(bytes / 1024))} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

function spanText({ timesUs }: TickSeries): string {
  const [first, last] = [timesUs[0], timesUs[timesUs.length - 1]];
  return `${writeTimestamp(first)} to ${writeTimestamp(last)} UTC, ${formatSpan((last - first) / US_PER_MS)}.`;
}

/** A warning is also named in words: colour alone is not accessible. */
const noteItem = ({ text, isWarning }: FileNote): HTMLLIElement =>
  isWarning ? element('li', { class: 'warns' }, element('strong', {}, 'Warning: '), text) : element('li', {}, text);

/** What the user says of a file that its content does not tell; null: nothing. */
type Choices = Pick<ReadOptions, 'zone' | 'way' | 'barTime'>;
const NOTHING_SAID: Choices = { zone: null, way: null, barTime: null };

const BAR_TIMES = [
  ['open', 'the beginning of each bar (ccxt, Freqtrade, MetaTrader, Yahoo)'],
  ['close', 'the end of each bar'],
] as const;
const ZONES = zoneChoices(new Intl.DateTimeFormat().resolvedOptions().timeZone).map(({ zone, label }) => [zone, label] as const);

/** The source, kept so that it can be read again. */
type Readable = { readonly file: Blob; readonly name: string; readonly kind: Source['kind'] };

/** Where the ticks come from: a file that is chosen or dropped, pasted rows, or the sample. */
export class TicksPanel {
  readonly #onSource: (source: Source) => void;
  readonly #trained: () => Promise<TrainedDensity | null>;
  readonly #workerUrl: string;
  /** Whether the fault that is shown is of the ticks of a forecast. */
  #isOfForecast = false;
  readonly #zone = new FileChoice('zone', (zone) => void this.#read(this.#shown, { ...this.#said, zone }));
  readonly #way = new FileChoice('way', (way) => void this.#read(this.#tried, { ...NOTHING_SAID, way }));
  readonly #barTime = new FileChoice(
    'bar-time',
    (barTime) => void this.#read(this.#tried, { ...this.#triedWith, barTime: barTime as BarTime }),
  );
  readonly #keep = new KeepTicks();
  #reading: Reading | undefined;
  /** The source of the displayed ticks; undefined: the sample. */
  #shown: Readable | undefined;
  /** The source read last, which may have been refused. */
  #tried: Readable | undefined;
  /** What the user said of the displayed ticks, and of the source read last. */
  #said = NOTHING_SAID;
  #triedWith = NOTHING_SAID;
  #ways: readonly string[] = [];

  /** `trained`: what the model that answers now was trained on; null where that is not known. Must not reject. */
  constructor(workerUrl: string, onSource: (source: Source) => void, onSample: () => void, trained: () => Promise<TrainedDensity | null>) {
    this.#onSource = onSource;
    this.#trained = trained;
    this.#workerUrl = workerUrl;
    this.#listen();
    byId('sample', HTMLButtonElement).addEventListener('click', () => {
      this.#stop();
      this.#fault(null);
      this.#shown = undefined;
      onSample();
    });
  }

  /** Shows the name of the displayed source. */
  show(source: Source): void {
    const { kind, name, text, notes, zone } = source;
    byId('source-name', HTMLElement).textContent = name;
    byId('source-text', HTMLElement).textContent = text;
    const details = byId('source-notes', HTMLDetailsElement);
    details.hidden = notes.length === 0;
    // Warnings are shown unfolded.
    details.open = notes.some(({ isWarning }) => isWarning);
    details.querySelector('summary')!.textContent = `${countText(notes.length, 'note')} on the file`;
    details.querySelector('ul')!.replaceChildren(...notes.map(noteItem));
    this.#zone.show(zone === null ? [] : ZONES, zone ?? '');
    byId('sample', HTMLButtonElement).hidden = kind === 'sample';
    if (kind === 'sample') {
      this.#way.show([], '');
      this.#barTime.show([], '');
    }
    this.#keep.show(source);
  }

  /** The next source comes from the browser's own store. */
  restored(): void {
    this.#keep.restored();
  }

  /** What is wrong with the ticks of a forecast. */
  refuseTicks(text: string): void {
    this.#fault(text);
    this.#isOfForecast = true;
  }

  /** Nothing is wrong with the ticks of the last forecast; what is wrong with a file stays. */
  acceptTicks(): void {
    if (this.#isOfForecast) this.#fault(null);
  }

  #fault(text: string | null): void {
    this.#isOfForecast = false;
    showText('ticks-fault', text);
  }

  #listen(): void {
    const file = byId('file', HTMLInputElement);
    const take = (chosen: File | undefined): void => void this.#read(chosen && { file: chosen, name: chosen.name, kind: 'file' });
    file.addEventListener('change', () => {
      take(file.files?.[0]);
      // The same file may be chosen again after it was corrected.
      file.value = '';
    });
    const drop = byId('drop', HTMLElement);
    // Anywhere on the page: a file that is dropped outside the box must not replace the page.
    addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.toggleAttribute('data-over', true);
    });
    addEventListener('dragleave', (event) => event.relatedTarget === null && drop.removeAttribute('data-over'));
    addEventListener('drop', (event) => {
      event.preventDefault();
      drop.removeAttribute('data-over');
      take(event.dataTransfer?.files[0]);
    });
    const open = byId('paste-open', HTMLButtonElement);
    const paste = byId('paste', HTMLElement);
    const text = byId('paste-text', HTMLTextAreaElement);
    open.addEventListener('click', () => {
      paste.hidden = !paste.hidden;
      open.setAttribute('aria-expanded', String(!paste.hidden));
      if (!paste.hidden) text.focus();
    });
    byId('paste-read', HTMLButtonElement).addEventListener(
      'click',
      () => void this.#read({ file: new Blob([text.value]), name: 'Pasted rows', kind: 'pasted' }),
    );
    byId('reading-stop', HTMLButtonElement).addEventListener('click', () => {
      this.#stop();
      this.#zone.takeBack();
    });
  }

  #stop(): void {
    this.#reading?.stop();
    this.#reading = undefined;
    byId('reading', HTMLElement).hidden = true;
  }

  async #read(from: Readable | undefined, said = NOTHING_SAID): Promise<void> {
    if (from === undefined) return;
    const { file, name } = from;
    this.#stop();
    if (this.#tried !== from) this.#ways = [];
    this.#tried = from;
    this.#triedWith = said;
    if (said.zone === null) this.#zone.takeBack();
    this.#fault(null);
    byId('reading', HTMLElement).hidden = false;
    this.#progress(0, file.size, 0);
    const options = this.#trained().then((trained) => ({ ...said, trained }));
    const reading = readTicks(this.#workerUrl, from, options, (bytes, ticks) => this.#progress(bytes, file.size, ticks));
    this.#reading = reading;
    const result = await reading.done;
    if (this.#reading !== reading) return;
    this.#stop();
    if (result.kind === 'refused') {
      this.#barTime.show([], '');
      this.#refuse(result.message);
      if (result.ways.length > 0) this.#ways = result.ways;
      this.#way.show(waysOf(result.ways), null);
      return;
    }
    const { bars, notes } = result.report;
    this.#way.show(waysOf(this.#ways), said.way);
    if (bars === null) this.#barTime.show([], '');
    else this.#barTime.show(BAR_TIMES, bars.barTime);
    if (bars?.barTime === null) {
      const looks = notes.map(({ text }) => /They look like .*?\./.exec(text)?.[0]).find((found) => found !== undefined);
      this.#refuse(`${name} holds bars of ${bars.periodMs / 1000} s. Choose below what their timestamps are. ${looks ?? ''}`.trim());
      return;
    }
    this.#said = said;
    this.#take(result.series, result.report, from);
  }

  #take(series: TickSeries, report: FileReport, from: Readable): void {
    const { name, kind } = from;
    const count = series.timesUs.length;
    if (count < MIN_TICKS) {
      this.#refuse(
        `${name} has ${countText(count, unitOf(series))}; a forecast needs ${MIN_TICKS} at least. Choose a longer file, or add earlier ${unitOf(series)}s.`,
      );
      return;
    }
    const kept = report.ticks > count ? ` The last ${count.toLocaleString('en')} are kept to step through.` : '';
    const text = `${countText(report.ticks, unitOf(series))}.${kept} ${spanText(series)}`;
    const plan = { text: `${report.format}, ${sizeText(report.bytes)}. ${report.plan}`, isWarning: false };
    this.#shown = from;
    this.#onSource({ kind, name, text, notes: [...report.notes, plan], zone: report.zone, series });
  }

  /** The displayed ticks stay. */
  #refuse(text: string): void {
    this.#fault(text);
    this.#zone.takeBack();
  }

  #progress(bytes: number, of: number, ticks: number): void {
    byId('reading-bar', HTMLProgressElement).value = of === 0 ? 1 : bytes / of;
    byId('reading-text', HTMLElement).textContent = `${sizeText(bytes)} of ${sizeText(of)}, ${countText(ticks, 'row')}`;
  }
}

const waysOf = (ways: readonly string[]): readonly (readonly [string, string])[] => ways.map((way) => [way, wayText(way)]);
