import { isSameAsk, type Answered, type Ask, type Source } from './Ask.ts';
import { byId, showFault } from './dom/element.ts';
import { AccountDialog } from './panels/AccountDialog.ts';
import { AnswerPanel } from './panels/AnswerPanel.ts';
import { CallPanel } from './panels/CallPanel.ts';
import { FailurePanel } from './panels/FailurePanel.ts';
import { SettingsPanel } from './panels/SettingsPanel.ts';
import { TicksPanel } from './panels/TicksPanel.ts';
import { WalkPanel } from './panels/WalkPanel.ts';
import { sampleSource, type Sample } from './sampleSource.ts';
import { Failure } from './service/failureText.ts';
import type { Service } from './service/Service.ts';
import { buildBody } from './ticks/readFuture.ts';

/** A forecast is requested once the slider stops moving. */
const REST_MS = 300;

/** Connects the panels, and tracks whether the answer belongs to the current request. */
export class Console {
  readonly #service: Service;
  readonly #ticks: TicksPanel;
  readonly #settings: SettingsPanel;
  readonly #answer = new AnswerPanel();
  readonly #call = new CallPanel();
  readonly #failure = new FailurePanel();
  readonly #account: AccountDialog;
  readonly #walk: WalkPanel;
  #sample: Sample | undefined;
  #source: Source | undefined;
  #origin = 0;
  #ask: Ask | null = null;
  #answered: Answered | undefined;
  #asking: AbortController | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(service: Service, workerUrl: string) {
    this.#service = service;
    this.#settings = new SettingsPanel(() => this.#turnTo(this.#origin, REST_MS));
    this.#ticks = new TicksPanel(workerUrl, {
      onSource: (source) => this.#take(source),
      onSample: () => void this.start(),
      trained: async () => (await service.defaultModel())?.density ?? null,
    });
    this.#account = new AccountDialog(service, () => this.#keyChanged());
    this.#walk = new WalkPanel({ goTo: (origin) => this.#goTo(origin), hasKey: () => this.#hasKey() });
    byId('ask', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#hasKey()) void this.#send();
    });
    const open = (id: string, pane: 'signup' | 'signin'): void =>
      byId(id, HTMLButtonElement).addEventListener('click', () => this.#account.open(pane));
    open('welcome-signup', 'signup');
    open('welcome-signin', 'signin');
    byId('account-open', HTMLButtonElement).addEventListener('click', () =>
      this.#account.open(this.#account.key === null ? 'signin' : 'signed'),
    );
    this.#account.restore();
  }

  recolour(): void {
    this.#answer.recolour();
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
    this.#origin = source.series.timesUs.length - 1;
    this.#answered = { ask: { source, origin: this.#origin, count: source.series.timesUs.length, horizonMs, minMoveBps: null }, forecast };
    this.#ticks.show(source);
    this.#settings.fitTo(source);
    this.#turnTo(this.#origin);
    this.#showAnswer();
    this.#settings.markSilent((await this.#service.defaultModel())?.neverMarks ?? []);
  }

  #take(source: Source): void {
    this.#walk.stop();
    this.#source = source;
    this.#ticks.show(source);
    this.#settings.fitTo(source);
    this.#turnTo(source.series.timesUs.length - 1);
    byId('welcome', HTMLElement).hidden = true;
  }

  #keyChanged(): void {
    this.#failure.hide();
    this.#showWelcome();
    if (this.#source !== undefined) this.#turnTo(this.#origin);
  }

  #showWelcome(): void {
    byId('welcome', HTMLElement).hidden = this.#account.key !== null || this.#source?.kind !== 'sample';
    byId('send-hint', HTMLElement).textContent = this.#account.key === null ? 'Needs a key: sign up, it takes a minute.' : '';
  }

  #hasKey(): boolean {
    if (this.#account.key === null) this.#account.open('signup');
    return this.#account.key !== null;
  }

  /** Draws the current request. With a key, sends it after a delay if the answer belongs to another request. */
  #turnTo(origin: number, restMs = 0): void {
    if (this.#source === undefined) return;
    clearTimeout(this.#rest);
    this.#asking?.abort();
    this.#ask = this.#settings.read(this.#source, origin);
    byId('send', HTMLButtonElement).disabled = this.#ask === null;
    if (this.#ask === null) return;
    this.#origin = this.#ask.origin;
    this.#showWelcome();
    this.#answer.show(this.#ask, this.#answered);
    this.#walk.show(this.#ask);
    const isAnswered = this.#answered !== undefined && isSameAsk(this.#answered.ask, this.#ask);
    if (isAnswered) return;
    this.#call.show(this.#ask, false);
    if (this.#account.key !== null) this.#rest = setTimeout(() => void this.#send(), restMs);
    else if (this.#answered?.ask.source !== this.#source)
      this.#answer.invite('Ready to forecast', 'Sign up or sign in, and press Forecast: the window on the chart is sent, nothing else.');
  }

  /** For the walk: moves the window and requests its forecast at once. */
  async #goTo(origin: number): Promise<boolean> {
    this.#turnTo(origin);
    clearTimeout(this.#rest);
    return this.#send();
  }

  /** Whether the current request was answered. */
  async #send(): Promise<boolean> {
    clearTimeout(this.#rest);
    const { key } = this.#account;
    const ask = this.#ask;
    if (key === null || ask === null) return false;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#answer.setBusy(true);
    try {
      const body = buildBody(ask.source.series, ask.origin, ask.count, ask.horizonMs);
      const forecast = await this.#service.forecast(body, { key, minMoveBps: ask.minMoveBps, signal: asking.signal });
      if (asking.signal.aborted) return false;
      this.#answered = { ask, forecast };
      this.#failure.hide();
      this.#ticks.fault(null);
      this.#answer.show(ask, this.#answered);
      this.#showAnswer();
      this.#walk.count(this.#answered, this.#answer.outcomeOf(ask, this.#answered));
      return true;
    } catch (error) {
      if (!asking.signal.aborted) this.#fail(error, () => void this.#send());
      return false;
    } finally {
      if (this.#asking === asking) this.#answer.setBusy(false);
    }
  }

  #showAnswer(): void {
    if (this.#answered === undefined) return;
    const { ask, forecast } = this.#answered;
    this.#answer.showAnswer(this.#answered);
    this.#call.show(ask, ask.source.kind === 'sample' && forecast === this.#sample?.forecast);
    if (forecast.detail.opportunity.min_move_bps !== null) this.#settings.suggestMove(forecast.detail.opportunity.min_move_bps);
  }

  #fail(error: unknown, again: () => void): void {
    if (!(error instanceof Failure)) throw error;
    this.#walk.stop();
    if (error.code === 'auth.key_refused') {
      this.#failure.show(error, 'Use another key', () => this.#account.open('signin'));
      return;
    }
    const beside = error.fields.filter(({ pointer, detail, hint }) => {
      const field = pointer === '?min_move_bps' ? 'move' : null;
      if (field !== null) showFault(field, `${detail} ${hint}`);
      else if (pointer.startsWith('/Timestamp') || pointer.startsWith('/Price')) this.#ticks.fault(`${detail} ${hint}`);
      else return false;
      return true;
    });
    if (beside.length === 0 || beside.length < error.fields.length) this.#failure.show(error, 'Try again', again);
  }
}
