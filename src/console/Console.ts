import { isSameAsk, optionsOf, type Answered, type Ask, type Source } from './Ask.ts';
import { usualLevel } from './chart/level.ts';
import { byId, showFault } from './dom/element.ts';
import { Views } from './live/Views.ts';
import { AccountDialog } from './panels/AccountDialog.ts';
import { AnswerPanel } from './panels/AnswerPanel.ts';
import { CallPanel } from './panels/CallPanel.ts';
import { keepSettings, keptSettings } from './panels/keptSettings.ts';
import { FailurePanel } from './panels/FailurePanel.ts';
import { HistoryPanel } from './panels/HistoryPanel.ts';
import { ReplayPanel } from './panels/ReplayPanel.ts';
import { SettingsPanel } from './panels/SettingsPanel.ts';
import { TicksPanel } from './panels/TicksPanel.ts';
import { listenToShortcuts } from './panels/shortcuts.ts';
import { VersionPanel } from './panels/VersionPanel.ts';
import { WalkPanel } from './panels/WalkPanel.ts';
import { sampleSource, type Sample } from './sampleSource.ts';
import { Failure } from './service/failureText.ts';
import { NEEDS_KEY, type PageService } from './service/pageService.ts';
import { restorableTicks } from './panels/KeepTicks.ts';
import { parseTimestamp } from './ticks/timeText.ts';
import { writeTimestamp } from '../ticks/timestamps.ts';
import { lastAtOrBefore } from '../ticks/searchTimes.ts';
import { ticksUpTo } from './ticks/TickSeries.ts';

/** A forecast is requested once the slider stops moving. */
const REST_MS = 300;

/** Connects the panels, and tracks whether the answer belongs to the current request. */
export class Console {
  readonly #service: PageService;
  readonly #ticks: TicksPanel;
  readonly #settings: SettingsPanel;
  readonly #answer = new AnswerPanel(
    (zoomed) => this.#views.keep('zoom', zoomed),
    (level) => {
      this.#level = level;
      this.#turnTo(this.#origin, REST_MS);
    },
  );
  readonly #call = new CallPanel();
  readonly #failure = new FailurePanel();
  readonly #account: AccountDialog;
  readonly #walk: WalkPanel;
  readonly #history = new HistoryPanel((origin) => this.#turnTo(origin));
  readonly #views: Views;
  readonly #replay: ReplayPanel;
  readonly #version: VersionPanel;
  #sample: Sample | undefined;
  #source: Source | undefined;
  /** Whether ticks other than the sample were loaded: from then on, settings are kept. */
  #hasTaken = false;
  #origin = 0;
  /** A price of the chart, of which is asked whether it is reached; null: none was chosen. */
  #level: number | null = null;
  #ask: Ask | null = null;
  #answered: Answered | undefined;
  #asking: AbortController | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(service: PageService, workerUrls: { readonly reader: string; readonly replay: string }) {
    this.#service = service;
    this.#settings = new SettingsPanel(() => {
      if (this.#hasTaken) keepSettings(this.#settings.kept);
      this.#turnTo(this.#origin, REST_MS);
      this.#views.settingsChanged();
    });
    this.#ticks = new TicksPanel(
      workerUrls.reader,
      (source) => this.#take(source),
      () => void this.start(),
      async () => (await service.defaultModel())?.density ?? null,
    );
    this.#account = new AccountDialog(service, () => this.#keyChanged());
    this.#walk = new WalkPanel((origin) => this.#goTo(origin));
    this.#replay = new ReplayPanel({
      ...{ service, workerUrl: workerUrls.replay },
      ask: () => this.#ask,
      key: () => this.#account.key,
      hasKey: () => this.#hasKey(),
      onMarks: (windows, horizonMs) => {
        this.#walk.showMarks(windows.map(({ origin }) => origin));
        this.#answer.showMarks(windows, horizonMs);
      },
      onUse: (row) => this.#settings.use(row),
    });
    this.#version = new VersionPanel({
      service,
      askForKey: () => (this.#hasKey() ? this.#account.key : null),
      onChange: ({ windowTicks, cuts }) => {
        this.#settings.markSilent(Object.keys(cuts).filter((name) => cuts[name] === null));
        this.#settings.suit(windowTicks);
        this.#turnTo(this.#origin);
      },
    });
    listenToShortcuts(
      {
        ArrowLeft: () => this.#walk.step('back'),
        ArrowRight: () => this.#walk.step('next'),
        m: () => this.#walk.step('mark'),
        ' ': () => this.#walk.toggle(),
        '+': () => this.#answer.zoom('in'),
        '-': () => this.#answer.zoom('out'),
        '0': () => this.#answer.zoom('whole'),
      },
      () => this.#views.isForecast,
    );
    byId('ask', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#send({ isWanted: true });
    });
    const open = (id: string, pane: 'signup' | 'login'): void =>
      byId(id, HTMLButtonElement).addEventListener('click', () => this.#account.open(pane));
    open('welcome-signup', 'signup');
    open('welcome-signin', 'login');
    byId('account-open', HTMLButtonElement).addEventListener('click', () =>
      this.#account.open(this.#account.key === null ? 'login' : 'signed'),
    );
    this.#views = new Views({
      service,
      key: () => this.#account.key,
      signIn: () => this.#account.open('login'),
      openAlerts: () => (this.#hasKey() ? this.#account.open('login', 'hooks') : undefined),
      askForKey: () => (this.#hasKey() ? this.#account.key : null),
      options: (hasQuotes) => this.#settings.readOptions(hasQuotes),
    });
    this.#account.restore();
    this.#views.start();
  }

  recolour(): void {
    this.#answer.recolour();
    this.#views.recolour();
  }

  /** A page that was opened before the service was ready gets its sample now. */
  serviceIsBack(): void {
    if (this.#sample === undefined) void this.start();
  }

  /** The sample and its answer, which need no key. */
  async start(): Promise<void> {
    this.#failure.hide();
    try {
      this.#sample ??= await sampleSource(this.#service);
    } catch (error) {
      this.#answer.invite('Waiting for the service', '');
      this.#fail(error, () => void this.start());
      return;
    }
    const { source, horizonMs, forecast } = this.#sample;
    this.#source = source;
    this.#level = null;
    this.#origin = source.series.timesUs.length - 1;
    this.#answered = {
      ask: { source, origin: this.#origin, count: source.series.timesUs.length, horizonMs, options: {}, level: null, model: null },
      forecast,
    };
    this.#ticks.show(source);
    this.#settings.fitTo(source);
    this.#announce(source);
    this.#turnTo(this.#origin);
    this.#showAnswer();
    await this.#takeKept();
    this.#restoreView();
    const model = await this.#service.defaultModel();
    this.#settings.markSilent(model?.neverMarks ?? []);
    this.#settings.suit(model?.windowTicks ?? []);
  }

  /** The window and the part of the chart that the address names, if it is that of these ticks. */
  #restoreView(): void {
    const { at = '', zoom = '' } = this.#views.restore();
    const us = parseTimestamp(at);
    const times = this.#source?.series.timesUs;
    const origin = us === null || times === undefined ? -1 : lastAtOrBefore(times, us);
    if (origin >= 0 && origin < times!.length - 1) this.#turnTo(origin);
    this.#answer.zoomTo(zoom);
  }

  /** The ticks and settings of the last visit. */
  async #takeKept(): Promise<void> {
    const kept = await restorableTicks();
    if (kept === null || this.#source?.kind !== 'sample' || this.#hasTaken) return;
    this.#ticks.restored();
    this.#take(kept);
  }

  #take(source: Source): void {
    this.#walk.stop();
    const settings = this.#hasTaken ? null : keptSettings();
    this.#hasTaken = true;
    if (settings !== null) this.#settings.restore(settings);
    this.#source = source;
    this.#level = null;
    this.#ticks.show(source);
    this.#settings.fitTo(source);
    this.#announce(source);
    this.#turnTo(source.series.timesUs.length - 1);
    byId('welcome', HTMLElement).hidden = true;
    void this.#version.list();
  }

  /** The history and the other views have new ticks. */
  #announce(source: Source): void {
    this.#history.take(source);
    this.#views.take(source);
  }

  #keyChanged(): void {
    this.#failure.hide();
    this.#showWelcome();
    this.#views.keyChanged();
    if (this.#source !== undefined) this.#turnTo(this.#origin);
  }

  #showWelcome(): void {
    byId('welcome', HTMLElement).hidden = this.#account.key !== null || this.#source?.kind !== 'sample';
  }

  #hasKey(): boolean {
    if (this.#account.key === null) this.#account.open('signup');
    return this.#account.key !== null;
  }

  /** Draws the current request, and asks for its forecast after a delay if the answer belongs to another request. */
  #turnTo(origin: number, restMs = 0): void {
    if (this.#source === undefined) return;
    clearTimeout(this.#rest);
    this.#asking?.abort();
    const read = this.#settings.read(this.#source, origin);
    this.#ask = read === null ? null : { ...read, level: this.#levelOf(read), model: this.#service.chosen };
    byId('send', HTMLButtonElement).disabled = this.#ask === null;
    if (this.#ask === null) return;
    this.#origin = this.#ask.origin;
    this.#showWelcome();
    this.#answer.show(this.#ask, this.#answered);
    const { timesUs } = this.#source.series;
    this.#views.keep('at', this.#origin === timesUs.length - 1 ? '' : writeTimestamp(timesUs[this.#origin]));
    this.#walk.show(this.#ask);
    this.#replay.show(this.#ask);
    const isAnswered = this.#answered !== undefined && isSameAsk(this.#answered.ask, this.#ask);
    if (isAnswered) return;
    this.#call.show(this.#ask, false);
    this.#rest = setTimeout(() => void this.#send(), restMs);
  }

  /** The price of which is asked whether it is reached: that of the hand, or one that suits the window. Of the sample, which is answered without it, only the former. */
  #levelOf({ source, origin, count }: Omit<Ask, 'model' | 'level'>): number | null {
    if (this.#level !== null || source.kind === 'sample') return this.#level;
    return usualLevel(ticksUpTo(source.series, origin, count));
  }

  /** For the walk: moves the window and requests its forecast at once. */
  async #goTo(origin: number): Promise<boolean> {
    this.#turnTo(origin);
    clearTimeout(this.#rest);
    return this.#send({ isWanted: true });
  }

  /** Whether the current request was answered. `isWanted`: by the user, who is asked for a key if the page cannot answer. */
  async #send({ isWanted = false } = {}): Promise<boolean> {
    clearTimeout(this.#rest);
    const ask = this.#ask;
    if (ask === null) return false;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#answer.setBusy(true);
    try {
      const { source, origin, count, horizonMs } = ask;
      const window = { series: ticksUpTo(source.series, origin, count), horizonMs };
      const forecast = await this.#service.forecast(window, {
        ...{ key: this.#account.key, options: optionsOf(ask) },
        signal: asking.signal,
      });
      if (asking.signal.aborted) return false;
      this.#answered = { ask, forecast };
      this.#failure.hide();
      this.#ticks.acceptTicks();
      this.#answer.show(ask, this.#answered);
      this.#showAnswer();
      this.#walk.count(this.#answered);
      this.#history.add(this.#answered, this.#answer.outcomeOf(ask, this.#answered));
      return true;
    } catch (error) {
      if (asking.signal.aborted) return false;
      if (error instanceof Failure && error.code === NEEDS_KEY) this.#askForKey(isWanted);
      else this.#fail(error, () => void this.#send());
      return false;
    } finally {
      if (this.#asking === asking) this.#answer.setBusy(false);
    }
  }

  #showAnswer(): void {
    if (this.#answered === undefined) return;
    const { ask, forecast } = this.#answered;
    this.#answer.showAnswer(this.#answered);
    this.#settings.showVolatility(forecast.detail.input.volatility_bps_per_sqrt_s, ask);
    this.#call.show(ask, ask.source.kind === 'sample' && forecast === this.#sample?.forecast);
    if (forecast.detail.opportunity.min_move_bps !== null) this.#settings.suggestMove(forecast.detail.opportunity.min_move_bps);
  }

  /** The page cannot answer, and has no key for the service. */
  #askForKey(isWanted: boolean): void {
    this.#walk.stop();
    if (this.#answered?.ask.source !== this.#source) {
      const why = 'The service has another version or other rules than this page.';
      this.#answer.invite(
        'Ready to forecast',
        `${why} Sign up or sign in: the page fetches that version, or sends the window on the chart, nothing else.`,
      );
    }
    if (isWanted) this.#hasKey();
  }

  #fail(error: unknown, again: () => void): void {
    if (!(error instanceof Failure)) throw error;
    this.#walk.stop();
    this.#answer.setOld();
    if (error.code === 'auth.key_refused') {
      this.#failure.show(error, 'Sign in', () => this.#account.open('login'));
      return;
    }
    const atControls = error.fields.filter(({ pointer, detail, hint }) => {
      const field = pointer === '?min_move_bps' ? 'move' : null;
      if (field !== null) showFault(field, `${detail} ${hint}`);
      else if (/^\/(?:Timestamp|Price|Bid|Ask)/.test(pointer)) this.#ticks.refuseTicks(`${detail} ${hint}`);
      else return false;
      return true;
    });
    if (atControls.length === 0 || atControls.length < error.fields.length) this.#failure.show(error, 'Try again', again);
  }
}
