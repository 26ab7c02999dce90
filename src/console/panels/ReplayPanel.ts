import { isSameAsk, type Ask, type Source } from '../Ask.ts';
import { countText, placeText } from '../answer/describeAnswer.ts';
import { byId, saveText, showText } from '../dom/element.ts';
import type { ReplayedWindow } from '../replay/ReplayedWindow.ts';
import type { ReplayProgress } from '../replay/ReplayRun.ts';
import { moveText, rateOfWork, ReplayView } from '../replay/ReplayView.ts';
import type { ReplayResults } from '../replay/replayResults.ts';
import { explain, Failure } from '../service/failureText.ts';
import type { PageService } from '../service/pageService.ts';
import type { Version } from '../service/Service.ts';
import { keepReplay, keptReplay } from '../ticks/keptTicks.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { unitOf } from '../ticks/TickSeries.ts';
import { stoppedText } from '../worker/stoppedText.ts';
import { questionOf } from './WalkPanel.ts';
import type { FromReplayWorker, ToReplayWorker } from '../worker/replayMessages.ts';

export type ReplayPanelParts = {
  readonly workerUrl: string;
  readonly service: PageService;
  readonly ask: () => Ask | null;
  readonly key: () => string | null;
  /** Opens the account dialog where there is no key; whether there is one. */
  readonly hasKey: () => boolean;
  /** Called with the marked windows. */
  readonly onMarks: (windows: readonly ReplayedWindow[], horizonMs: number) => void;
  /** Sets the number of ticks and the horizon. */
  readonly onUse: (row: { readonly ticks: number; readonly horizonMs: number }) => void;
};

/** Replays all windows of the loaded ticks in a worker, and shows how right the answers were. */
export class ReplayPanel {
  readonly #parts: ReplayPanelParts;
  readonly #view: ReplayView;
  readonly #start = byId('replay-run', HTMLButtonElement);
  readonly #pause = byId('replay-pause', HTMLButtonElement);
  readonly #stop = byId('replay-stop', HTMLButtonElement);
  readonly #save = byId('replay-csv', HTMLButtonElement);
  readonly #other = byId('replay-other', HTMLSelectElement);
  /** What the shown results are of. */
  #ask: Ask | undefined;
  #worker: Worker | undefined;
  #isPaused = false;
  #hasResults = false;
  /** Of the last replay that ended; empty while there is none. */
  #csv = '';
  /** What the worker told that makes the results. */
  #heard: readonly FromReplayWorker[] = [];
  #caption = '';
  /** For whose ticks a replay before a reload was looked for. */
  #restored: Source | undefined;

  constructor(parts: ReplayPanelParts) {
    this.#parts = parts;
    this.#view = new ReplayView(parts.onUse);
    this.#start.addEventListener('click', () => void this.#run());
    this.#stop.addEventListener('click', () => this.stop());
    this.#save.addEventListener('click', () => this.#saveCsv());
    this.#pause.addEventListener('click', () => this.#togglePause());
  }

  /** Ends the replay; its results so far stay. */
  stop(): void {
    if (this.#worker === undefined) return;
    this.#end();
    byId('replay-text', HTMLElement).textContent += ' Stopped.';
  }

  /** Other ticks end a replay; other settings leave its results, and say so. */
  show(ask: Ask): void {
    if (ask.source.kind !== 'sample' && this.#restored !== ask.source) void this.#restore(ask.source);
    this.#start.disabled = this.#worker !== undefined || ask.source.series.timesUs.length <= ask.count;
    if (this.#ask !== undefined && this.#ask.source !== ask.source) {
      this.#end();
      this.#ask = undefined;
      this.#csv = '';
      this.#hasResults = false;
      for (const id of ['replay', 'replay-progress']) byId(id, HTMLElement).hidden = true;
      showText('replay-fault', null);
      this.#parts.onMarks([], ask.horizonMs);
    }
    byId('replay-old', HTMLElement).hidden = this.#ask === undefined || !this.#hasResults || isSameQuestion(this.#ask, ask);
  }

  #togglePause(): void {
    this.#isPaused = !this.#isPaused;
    this.#post({ kind: this.#isPaused ? 'pause' : 'resume' });
    this.#showButtons();
  }

  #post(message: ToReplayWorker): void {
    this.#worker?.postMessage(message);
  }

  async #run(): Promise<void> {
    const ask = this.#parts.ask();
    if (ask === null) return;
    this.#end();
    showText('replay-fault', null);
    const { count, horizonMs, options, source } = ask;
    const other = this.#other.value === '' ? null : this.#other.value;
    const worker = new Worker(this.#parts.workerUrl, { type: 'module', name: 'replay' });
    this.#worker = worker;
    this.#isPaused = false;
    this.#begin(ask);
    worker.addEventListener('message', ({ data }: MessageEvent<FromReplayWorker>) => {
      if (this.#worker !== worker) return;
      this.#hear(data, other);
      if (data.kind === 'ended' && data.failure === null) void this.#keep(ask, other);
    });
    worker.addEventListener('error', (event) => {
      if (this.#worker !== worker) return;
      this.#end();
      showText('replay-fault', `The replay has ended: ${stoppedText(event)}`);
    });
    this.#showButtons();
    const key = this.#parts.key();
    const engine = this.#parts.service.engineOrder();
    const versions = other === null ? [engine] : [engine, await this.#parts.service.orderOf(other, key)];
    const loaded = await this.#parts.service.versions().catch((): readonly Version[] => []);
    const version = loaded.find(({ id, isDefault }) => (ask.model === null ? isDefault : id === ask.model)) ?? null;
    const order = { kind: 'start', series: source.series, count, horizonMs, options, key, versions, version } as const;
    // It may have been stopped meanwhile, and another one started.
    if (this.#worker === worker) this.#post(order);
  }

  /** Another replay, of which there is nothing yet. */
  #begin(ask: Ask): void {
    const { source, count, horizonMs, options } = ask;
    this.#ask = ask;
    this.#csv = '';
    this.#hasResults = false;
    this.#heard = [];
    this.#view.begin(ask);
    this.#caption = `${source.name}: windows of ${countText(count, unitOf(source.series))}, ${formatSpan(horizonMs)} ahead, with ${moveText(options.minMoveBps)}.`;
  }

  #hear(data: FromReplayWorker, otherName: string | null): void {
    if (data.kind === 'no_key') void this.#askForKey();
    else if (data.kind === 'progress') this.#progress(data.progress, data.seconds);
    else {
      // Of the results, the last ones count.
      this.#heard = [...this.#heard.filter(({ kind }) => kind === 'lead' || kind !== data.kind), data];
      if (data.kind === 'place') byId('replay-caption', HTMLElement).textContent = `${this.#caption} ${placeText(data.version)}`;
      else if (data.kind === 'results') this.#draw(data.results, otherName);
      else if (data.kind === 'lead') this.#view.addLead(data.rows, data.without);
      else if (data.kind === 'ended') this.#finish(data);
    }
  }

  /** The page cannot compute; if the service answers, it needs a key. */
  async #askForKey(): Promise<void> {
    this.#end();
    try {
      await this.#parts.service.ready();
      this.#parts.hasKey();
    } catch (error) {
      showText('replay-fault', explain(error));
    }
  }

  /** For a reload of the page. Without room, it is lost then. */
  #keep({ source: _source, origin: _origin, ...ask }: Ask, otherName: string | null): Promise<void> {
    const question = questionOf({ source: _source, ...ask });
    return keepReplay({ build: this.#parts.workerUrl, question, ask, otherName, messages: this.#heard }).catch(() => {});
  }

  /** Shows the replay of these ticks that a reload has ended. */
  async #restore(source: Source): Promise<void> {
    this.#restored = source;
    const kept = await keptReplay(this.#parts.workerUrl);
    const ask = this.#parts.ask();
    if (kept === null || ask === null || ask.source !== source || this.#ask !== undefined) return;
    if (kept.question !== questionOf({ source, ...kept.ask })) return;
    this.#begin({ ...ask, ...kept.ask });
    byId('replay-progress', HTMLElement).hidden = false;
    for (const message of kept.messages) this.#hear(message, kept.otherName);
  }

  /** Ends the worker. */
  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#showButtons();
  }

  #showButtons(): void {
    const isRunning = this.#worker !== undefined;
    this.#start.disabled = isRunning;
    this.#other.disabled = isRunning;
    for (const button of [this.#pause, this.#stop]) button.hidden = !isRunning;
    this.#save.disabled = isRunning || this.#csv === '';
    this.#pause.textContent = this.#isPaused ? 'Resume' : 'Pause';
  }

  #progress({ done, of, waitMs }: ReplayProgress, seconds: number): void {
    byId('replay-progress', HTMLElement).hidden = false;
    byId('replay-bar', HTMLProgressElement).value = of === 0 ? 1 : done / of;
    const wait = waitMs === null ? '' : `; next try in ${formatSpan(waitMs)}: the limit of the key, an overload, or no connection`;
    byId('replay-text', HTMLElement).textContent =
      `${done.toLocaleString('en')} of ${countText(of, 'window')}, ${rateOfWork(done, seconds)}${wait}.`;
  }

  #draw(results: ReplayResults, otherName: string | null): void {
    const startMs = performance.now();
    this.#hasResults = true;
    const ask = this.#ask!;
    this.#view.show(results, otherName);
    this.#parts.onMarks(results.marks, ask.horizonMs);
    performance.measure('tickmark.replay', { start: startMs, end: performance.now() });
  }

  #finish({ windows, csv, seconds, failure }: Extract<FromReplayWorker, { readonly kind: 'ended' }>): void {
    this.#csv = csv;
    this.#end();
    byId('replay-text', HTMLElement).textContent = `${countText(windows, 'window')} replayed in ${formatSpan(seconds * 1000)}.`;
    if (failure !== null) {
      showText('replay-fault', `${explain(new Failure(failure.message, failure))} The results so far are kept.`);
    }
    const ask = this.#parts.ask();
    if (ask !== null) this.show(ask);
  }

  #saveCsv(): void {
    saveText(`${this.#ask?.source.name ?? 'replay'}-windows.csv`, this.#csv);
  }
}

/** Whether only the place of the window and the level differ. */
const isSameQuestion = (a: Ask, b: Ask): boolean => isSameAsk({ ...a, origin: b.origin, level: b.level }, b);
