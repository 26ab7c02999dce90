import type { Source } from '../Ask.ts';
import { countText } from '../answer/numberText.ts';
import { byId, element } from '../dom/element.ts';
import { formatSpan } from '../ticks/formatSpan.ts';
import { formatStamp } from '../ticks/formatStamp.ts';
import { MIN_TICKS, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import type { FileReport } from '../worker/messages.ts';
import { TickReader, type Reading } from '../worker/TickReader.ts';

const MIB = 1024 * 1024;

const sizeText = (bytes: number): string =>
  bytes < MIB ? `${Math.max(1, Math.round(bytes / 1024))} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

function spanText({ timesUs }: TickSeries): string {
  const [first, last] = [timesUs[0]!, timesUs[timesUs.length - 1]!];
  return `${formatStamp(first)} to ${formatStamp(last)} UTC, ${formatSpan((last - first) / US_PER_MS)}.`;
}

/** Where the ticks come from: a file that is chosen or dropped, pasted rows, or the sample. */
export class TicksPanel {
  readonly #onSource: (source: Source) => void;
  readonly #reader: TickReader;
  #reading: Reading | undefined;

  constructor(workerUrl: string, { onSource, onSample }: { onSource: (source: Source) => void; onSample: () => void }) {
    this.#onSource = onSource;
    this.#reader = new TickReader(workerUrl);
    this.#listen();
    byId('sample', HTMLButtonElement).addEventListener('click', () => {
      this.#stop();
      this.fault(null);
      onSample();
    });
  }

  /** Names the source that the page shows now. */
  show({ kind, name, text, notes }: Source): void {
    byId('source-name', HTMLElement).textContent = name;
    byId('source-text', HTMLElement).textContent = text;
    const details = byId('source-notes', HTMLDetailsElement);
    details.hidden = notes.length === 0;
    details.open = false;
    details.querySelector('summary')!.textContent = `${countText(notes.length, 'note')} on the file`;
    details.querySelector('ul')!.replaceChildren(...notes.map((note) => element('li', {}, note)));
    byId('sample', HTMLButtonElement).hidden = kind === 'sample';
  }

  fault(text: string | null): void {
    const told = byId('ticks-fault', HTMLElement);
    told.hidden = text === null;
    told.textContent = text ?? '';
  }

  #listen(): void {
    const file = byId('file', HTMLInputElement);
    file.addEventListener('change', () => {
      const chosen = file.files?.[0];
      if (chosen !== undefined) void this.#read(chosen, chosen.name, 'file');
      // The same file may be chosen again after it was mended.
      file.value = '';
    });
    const drop = byId('drop', HTMLElement);
    // Anywhere on the page: a file that is let go beside the box must not replace the page.
    addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.toggleAttribute('data-over', true);
    });
    addEventListener('dragleave', (event) => event.relatedTarget === null && drop.removeAttribute('data-over'));
    addEventListener('drop', (event) => {
      event.preventDefault();
      drop.removeAttribute('data-over');
      const dropped = event.dataTransfer?.files[0];
      if (dropped !== undefined) void this.#read(dropped, dropped.name, 'file');
    });
    const open = byId('paste-open', HTMLButtonElement);
    const paste = byId('paste', HTMLElement);
    const text = byId('paste-text', HTMLTextAreaElement);
    open.addEventListener('click', () => {
      paste.hidden = !paste.hidden;
      open.setAttribute('aria-expanded', String(!paste.hidden));
      if (!paste.hidden) text.focus();
    });
    byId('paste-read', HTMLButtonElement).addEventListener('click', () => void this.#read(new Blob([text.value]), 'Pasted rows', 'pasted'));
    byId('reading-stop', HTMLButtonElement).addEventListener('click', () => this.#stop());
  }

  #stop(): void {
    this.#reading?.stop();
    this.#reading = undefined;
    byId('reading', HTMLElement).hidden = true;
  }

  async #read(file: Blob, name: string, kind: Source['kind']): Promise<void> {
    this.#stop();
    this.fault(null);
    byId('reading', HTMLElement).hidden = false;
    this.#progress(0, file.size, 0);
    const reading = this.#reader.read(file, name, (bytes, ticks) => this.#progress(bytes, file.size, ticks));
    this.#reading = reading;
    const result = await reading.done;
    if (this.#reading !== reading) return;
    this.#stop();
    if ('refused' in result) this.fault(result.refused);
    else this.#take(result.series, result.report, name, kind);
  }

  #take(series: TickSeries, report: FileReport, name: string, kind: Source['kind']): void {
    const count = series.timesUs.length;
    if (count < MIN_TICKS) {
      this.fault(
        `${name} has ${countText(count, 'tick')}; a forecast needs ${MIN_TICKS} at least. Choose a longer file, or add earlier ticks.`,
      );
      return;
    }
    const kept = report.ticks > count ? ` The last ${count.toLocaleString('en')} are kept to step through.` : '';
    const text = `${report.format}: ${countText(report.ticks, 'tick')} in ${sizeText(report.bytes)}.${kept} ${spanText(series)}`;
    this.#onSource({ kind, name, text, notes: report.notes, series });
  }

  #progress(bytes: number, of: number, ticks: number): void {
    byId('reading-bar', HTMLProgressElement).value = of === 0 ? 1 : bytes / of;
    byId('reading-text', HTMLElement).textContent = `${sizeText(bytes)} of ${sizeText(of)}, ${countText(ticks, 'tick')}`;
  }
}
