import type { FormOptions } from '../FormOptions.ts';
import type { Source } from '../Ask.ts';
import { countText, placeText } from '../answer/describeAnswer.ts';
import { byId, optionsOf, saveText, showFault, showText, tell } from '../dom/element.ts';
import type { PageService } from '../service/pageService.ts';
import { MS_PER_S, unitOf } from '../ticks/TickSeries.ts';
import { LiveDisplay } from './LiveDisplay.ts';
import { horizonsFor, LIVE_HORIZONS, loadText, seriesFault, seriesNameOf, type Speed, withRate } from './livePlan.ts';
import { LiveSession, type LiveFeed } from './LiveSession.ts';
import { droppedText, markText, phaseText, skippedText, type Told } from './liveWords.ts';
import { notifyButton } from './notifyButton.ts';
import type { Stream } from './Stream.ts';
import type { Watched } from './WatchedSeries.ts';
import { WatchSession } from './WatchSession.ts';
import { writeForecastCsv } from './ForecastLog.ts';

const STEP_MS = 50;

/** What the live view needs of the page. */
export type LiveHost = {
  readonly service: PageService;
  /** The key; opens the account dialog and gives null where there is none. */
  readonly askForKey: () => string | null;
  readonly signIn: () => void;
  /** Opens the targets of alerts. */
  readonly openAlerts: () => void;
  /** The threshold of the form: null is that of each window, undefined a fault that the form shows. `hasQuotes`: the ticks have bid and ask. */
  readonly options: (hasQuotes: boolean) => FormOptions | undefined;
};

/** Plays the ticks of the page at a chosen speed, to its engine or to the service, or watches a series that another program streams with the key. */
export class LivePanel {
  readonly #host: LiveHost;
  readonly #start = byId('live-start', HTMLButtonElement);
  readonly #pause = byId('live-pause', HTMLButtonElement);
  readonly #stop = byId('live-stop', HTMLButtonElement);
  readonly #name = byId('live-name', HTMLInputElement);
  readonly #speeds = byId('live-speeds', HTMLElement);
  readonly #every = byId('live-every', HTMLSelectElement);
  readonly #notifier = notifyButton();
  readonly #display = new LiveDisplay(() => this.#drawState());
  #source: Source | undefined;
  readonly #rate = byId('live-rate', HTMLSelectElement);
  readonly #watchButton = byId('live-watch', HTMLButtonElement);
  readonly #choice = byId('live-series', HTMLSelectElement);
  #session: LiveSession | undefined;
  /** In place of the session. */
  #watch: Watched | undefined;
  /** The ticks that are streamed. */
  #streamed: Source | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #record = byId('live-record', HTMLInputElement);
  /** Who computes the forecasts of the stream: the version of the page; null: the service; undefined: another program asks for them. */
  #place: string | null | undefined;
  #isOpening = false;

  constructor(host: LiveHost) {
    this.#host = host;
    this.#start.addEventListener('click', () => void this.#begin());
    byId('live-other', HTMLButtonElement).addEventListener('click', () => void this.#begin());
    this.#record.addEventListener('change', () => this.showLoad());
    byId('live-key', HTMLButtonElement).addEventListener('click', () => host.signIn());
    byId('live-hooks', HTMLButtonElement).addEventListener('click', () => host.openAlerts());
    this.#pause.addEventListener('click', () => this.#togglePause());
    this.#stop.addEventListener('click', () => (this.#watch ?? this.#session)?.stop());
    this.#watchButton.addEventListener('click', () => this.#beginWatch());
    this.#choice.addEventListener('change', () => this.#watch?.show?.(this.#choice.value));
    byId('live-csv', HTMLButtonElement).addEventListener('click', () => {
      const { name, log } = this.#stream ?? {};
      if (log !== undefined) saveText(`${name}-forecasts.csv`, writeForecastCsv(log.rows));
    });
    this.#speeds.addEventListener('change', () => {
      this.#session?.player.setSpeed(this.#speed);
      this.showLoad();
    });
    this.#every.addEventListener('change', () => this.showLoad());
    this.#name.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      // It would submit the form, which asks for a forecast.
      event.preventDefault();
      if (!this.#isBusy) void this.#begin();
    });
  }

  /** The ticks that Start streams; a stream that runs goes on with its own. */
  take(source: Source): void {
    this.#source = source;
    if (!this.#isBusy) this.#name.value = seriesNameOf(source.name);
    this.showLoad();
    this.#display.drawSoon();
  }

  keyChanged(): void {
    if (!this.#isRunning) return;
    if (typeof this.#place === 'string') return;
    this.#watch?.fail('the key of the page has changed. Start again with the present key.');
    this.#session?.fail('the key of the page has changed. Start streams again with the present key.');
  }

  recolour(): void {
    this.#display.recolour();
  }

  /** Says what a stream would ask of the key. */
  showLoad(): void {
    const options = this.#options();
    const source = this.#source;
    const everyS = Math.max(Number(this.#every.value), (source?.series.bars?.periodMs ?? 0) / MS_PER_S);
    const horizons = source === undefined ? LIVE_HORIZONS.length : horizonsFor(source.series).length;
    const load = { horizons, everyS, speed: this.#speed, isOfPage: !this.#record.checked };
    const text = options === undefined ? '' : loadText({ ...load, minMoveBps: options.minMoveBps });
    byId('live-load', HTMLElement).textContent = text;
  }

  #options(): FormOptions | undefined {
    const options = this.#host.options(this.#source?.series.quotes !== undefined);
    return options && withRate(options, this.#rate.value);
  }

  get #isRunning(): boolean {
    return (this.#watch ?? this.#session)?.isRunning === true;
  }

  /** Whether something runs that was started here: a market may have opened by itself. */
  get #isBusy(): boolean {
    return this.#isRunning && (this.#watch === undefined || this.#watch.choices !== undefined);
  }

  /** What is drawn. */
  get #stream(): Stream | undefined {
    return this.#watch === undefined ? this.#session : this.#watch.shown;
  }

  get #speed(): Speed {
    return Number(this.#speeds.querySelector<HTMLInputElement>('input:checked')?.value ?? 1);
  }

  async #begin(): Promise<void> {
    const source = this.#source;
    if (source === undefined || this.#isOpening) return;
    const name = this.#isBusy ? seriesNameOf(source.name) : this.#name.value.trim();
    const fault =
      seriesFault(name) ??
      (horizonsFor(source.series).length === 0
        ? 'Forecasts need ticks, or bars of 10 s to 5 min: these are too far apart or too close.'
        : null);
    showFault('live-name', fault);
    if (fault !== null) this.#name.focus();
    const options = this.#options();
    if (fault !== null || options === undefined) return;
    const feed = await this.#openFeed();
    if (feed === null) return;
    (this.#watch ?? this.#session)?.stop();
    this.#watch = undefined;
    this.#name.value = name;
    this.#streamed = source;
    const session: LiveSession = new LiveSession({
      ...{ series: source.series, name, ...this.#wishes, options, speed: this.#speed },
      isOfPage: typeof this.#place === 'string',
      feed,
      nowMs: () => Date.now(),
      onMark: (row) => this.#notifier.mark(markText(name, row.message, options.minMoveBps !== undefined), row.message.id),
      onChange: () => this.#session === session && this.#display.drawSoon(),
    });
    this.#session = session;
    this.#display.show(session, options);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      const before = session.phase;
      session.step();
      if (!session.isRunning) clearInterval(this.#timer);
      // A paused stream stays as it is drawn.
      if (before !== 'paused' || session.phase !== before) this.#display.drawSoon();
    }, STEP_MS);
  }

  /** What the form says of forecasts, but for their options. */
  get #wishes() {
    return { model: this.#host.service.chosen, everyS: Number(this.#every.value) };
  }

  /** To the engine of the page, or to the service; null: there is no key for it. */
  async #openFeed(): Promise<LiveFeed | null> {
    this.#isOpening = true;
    this.#display.drawSoon();
    const ofPage = this.#record.checked ? null : await this.#host.service.pageLive();
    this.#isOpening = false;
    this.#display.drawSoon();
    const key = ofPage === null ? this.#host.askForKey() : null;
    const feed = ofPage?.feed ?? (key === null ? null : this.#host.service.live(key));
    if (feed !== null) this.#place = ofPage?.version ?? null;
    return feed;
  }

  /** The chart of a watched market, in place of what is shown. */
  showMarket(market: Watched): void {
    this.#place = undefined;
    this.#showWatch(market);
    this.#display.show(market.shown!);
  }

  /** Tells of a forecast of a watched market. `costBps`: its own cost. */
  notify(name: string, message: Told, costBps: number | null): void {
    this.#notifier.mark(markText(name, message, costBps !== null), message.id);
  }

  /** Whether marks are told. */
  get isTelling(): boolean {
    return this.#notifier.isTelling;
  }

  /** Whether no stream runs or is being opened. */
  get isIdle(): boolean {
    return !this.#isRunning && !this.#isOpening;
  }

  #beginWatch(): void {
    const key = this.#isOpening ? null : this.#host.askForKey();
    if (key === null) return;
    this.#place = undefined;
    const watch: WatchSession = new WatchSession({
      feed: this.#host.service.live(key),
      nowMs: () => Date.now(),
      onMark: ({ name }, { message }) => this.#notifier.mark(markText(name, message), message.id),
      onShow: (series) => this.#watch === watch && this.#display.show(series),
      onChange: () => this.#watch === watch && this.#display.drawSoon(),
    });
    this.#showWatch(watch);
  }

  #showWatch(watch: Watched): void {
    (this.#watch ?? this.#session)?.stop();
    this.#session = undefined;
    this.#watch = watch;
    this.#display.clear();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (!watch.isRunning) clearInterval(this.#timer);
      this.#display.drawSoon();
    }, STEP_MS);
  }

  #togglePause(): void {
    if (this.#session?.player.isRunning === true) this.#session.pause();
    else this.#session?.resume();
    this.#display.drawSoon();
  }

  #drawState(): void {
    const session = this.#session;
    const [isRunning, isBusy] = [this.#isRunning, this.#isBusy];
    const watch = this.#watch;
    const focused = document.activeElement;
    this.#start.hidden = this.#watchButton.hidden = isBusy;
    this.#start.disabled = this.#source === undefined;
    this.#stop.hidden = !isRunning;
    // The button that was pressed is gone.
    if (isBusy && focused === this.#start) this.#stop.focus();
    else if (!isRunning && focused === this.#stop) this.#start.focus();
    this.#pause.hidden = !isRunning || watch !== undefined;
    this.#pause.disabled = session?.phase === 'stopping';
    for (const field of [this.#name, this.#every, this.#rate, this.#record]) field.disabled = isBusy;
    tell('live-place', (watch ?? session) === undefined || this.#place === undefined ? '' : placeText(this.#place));
    this.#pause.textContent = session?.player.isRunning === false && session.phase !== 'stopping' ? 'Continue' : 'Pause';
    const isOther = isRunning && watch === undefined && this.#source !== this.#streamed;
    byId('live-notice', HTMLElement).hidden = !isOther;
    byId('live-notice-text', HTMLElement).textContent = isOther
      ? `${this.#source?.name} is loaded; ${this.#streamed?.name} still streams.`
      : '';
    const phase = (watch ?? session)?.phase ?? 'idle';
    byId('live-key', HTMLElement).hidden = phase !== 'refused';
    const nowMs = Date.now();
    const text = watch !== undefined ? watch.text(nowMs) : session === undefined ? this.#idleText() : phaseText(session, nowMs);
    tell('live-state', text);
    byId('live-state', HTMLElement).dataset['phase'] = phase;
    // Screen readers are told of changes only, not of each tick.
    const told = watch === undefined ? `The stream is ${phase}.` : text.replace(/: .*| in \d.*/, '.');
    tell('live-phase', phase === 'idle' ? '' : isRunning ? told : text);
    this.#offerSeries();
    const progress = byId('live-progress', HTMLProgressElement);
    progress.hidden = session === undefined;
    progress.value = session === undefined ? 0 : session.player.position / session.series.timesUs.length;
    const source = watch ?? session;
    const skipped = [skippedText(source?.skipped ?? {}), droppedText(watch?.dropped ?? 0), source?.doubt ?? ''].join(' ').trim();
    showText('live-skipped', skipped);
  }

  /** Leaves an unchanged list alone: it may be open. */
  #offerSeries(): void {
    const choices = (this.#watch?.isRunning === true && this.#watch.choices) || [];
    byId('live-series-row', HTMLElement).hidden = choices.length === 0;
    const isListed = choices.every(
      ({ key, name }, at) => this.#choice.options[at]?.value === key && this.#choice.options[at].text === name,
    );
    if (!isListed || choices.length !== this.#choice.options.length)
      this.#choice.replaceChildren(...optionsOf(choices.map(({ key, name }) => [key, name])));
    this.#choice.value = choices.find(({ isShown }) => isShown)?.key ?? '';
  }

  #idleText(): string {
    if (this.#source === undefined) return 'Loading the sample…';
    if (this.#isOpening) return 'Loading the engine…';
    const ticks = countText(this.#source.series.timesUs.length, unitOf(this.#source.series));
    return `${this.#source.name}, ${ticks}: Start streams them as a market would.`;
  }
}
