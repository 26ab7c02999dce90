import type { Answered, Ask } from '../Ask.ts';
import { countText, percentText } from '../answer/describeAnswer.ts';
import { byId, element, NUMBER, tableOf } from '../dom/element.ts';
import { unitOf } from '../ticks/TickSeries.ts';
import { windowOf } from '../replay/ReplayedWindow.ts';
import { replayRecord, type ReplayRecord } from '../replay/replayRecord.ts';
import { WindowLog } from '../replay/WindowLog.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { nextOrigin, previousOrigin } from '../ticks/stepWindow.ts';
import { skillSentence } from '../../engine/scoring/brierSkill.ts';
import { RIVAL_NAMES, RIVALS } from '../../engine/scoring/conclusions.ts';
import type { Rate } from '../replay/curves.ts';

/** How long each window is shown during playback. */
const PLAY_PAUSE_MS = 900;

/** Steps through the ticks window by window, and keeps the running score. */
export class WalkPanel {
  readonly #goTo: (origin: number) => Promise<boolean>;
  readonly #log = new WindowLog();
  readonly #place = byId('walk-place', HTMLInputElement);
  readonly #play = byId('walk-play', HTMLButtonElement);
  readonly #buttons = {
    start: byId('walk-start', HTMLButtonElement),
    mark: byId('walk-mark', HTMLButtonElement),
    back: byId('walk-back', HTMLButtonElement),
    next: byId('walk-next', HTMLButtonElement),
  };
  #ask: Ask | undefined;
  #playing = 0;
  #marks: readonly number[] = [];

  /** `goTo`: moves the window; resolves to whether it was answered. */
  constructor(goTo: (origin: number) => Promise<boolean>) {
    this.#goTo = goTo;
    this.#buttons.start.addEventListener('click', () => this.#go(this.#first()));
    for (const way of ['back', 'next', 'mark'] as const) this.#buttons[way].addEventListener('click', () => this.step(way));
    this.#play.addEventListener('click', () => this.toggle());
    this.#place.addEventListener('change', () => this.#go(Number(this.#place.value)));
  }

  /** The marked windows of a replay: a button goes from one to the next. */
  showMarks(origins: readonly number[]): void {
    this.#marks = origins;
    this.#buttons.mark.hidden = origins.length === 0;
  }

  step(way: 'back' | 'next' | 'mark'): void {
    this.#go(way === 'back' ? this.#previous() : way === 'next' ? this.#next() : this.#nextMark());
  }

  /** Plays or pauses. */
  toggle(): void {
    if (this.#playing !== 0) this.stop();
    else if (!this.#play.disabled) void this.#run();
  }

  stop(): void {
    this.#playing = 0;
    this.#play.setAttribute('aria-pressed', 'false');
    this.#play.textContent = 'Play';
  }

  show(ask: Ask): void {
    this.#ask = ask;
    const { series } = ask.source;
    const unit = unitOf(series);
    this.#place.min = String(ask.count - 1);
    this.#place.max = String(series.timesUs.length - 1);
    this.#place.value = String(ask.origin);
    const ends = writeTimestamp(series.timesUs[ask.origin]);
    this.#place.setAttribute('aria-valuetext', `Window ends at ${ends}`);
    const isAlone = this.#first() === null || (this.#previous() === null && this.#next() === null && this.#first() === ask.origin);
    this.#buttons.start.disabled = this.#first() === null || this.#first() === ask.origin;
    this.#buttons.back.disabled = this.#previous() === null;
    this.#buttons.next.disabled = this.#next() === null;
    this.#play.disabled = this.#next() === null && this.#playing === 0;
    byId('stepper', HTMLElement).hidden = isAlone;
    byId('walk', HTMLElement).hidden = isAlone && ask.source.kind === 'sample';
    byId('walk-text', HTMLElement).textContent = isAlone
      ? `These ${countText(series.timesUs.length, unit)} hold one window of this length and horizon. Use fewer ${unit}s, or choose a longer file, to step through it.`
      : `The window ends at ${ends}, ${unit} ${(ask.origin + 1).toLocaleString('en')} of ${series.timesUs.length.toLocaleString('en')}.`;
    this.#log.turnTo(questionOf(ask));
    this.#render();
  }

  /** Counts an answered window whose outcome is known, and on whose ticks the version was not trained. */
  count({ ask, forecast }: Answered): void {
    this.#log.add(questionOf(ask), ask.horizonMs, windowOf(ask.source.series, ask.origin, ask.horizonMs, forecast));
    this.#render();
  }

  #render(): void {
    const box = byId('score', HTMLElement);
    const { windows } = this.#log;
    box.hidden = windows.length === 0;
    box.replaceChildren(...(box.hidden ? [] : renderScore(replayRecord(windows, this.#ask?.horizonMs ?? 0))));
  }

  /** The first window whose outcome the ticks tell, and of which there is one before the end. */
  #first(): number | null {
    if (this.#ask === undefined) return null;
    const { source, count } = this.#ask;
    return source.series.timesUs.length > count ? count - 1 : null;
  }

  #next(): number | null {
    return this.#ask === undefined ? null : nextOrigin(this.#ask.source.series.timesUs, this.#ask.origin, this.#ask.horizonMs);
  }

  /** The first marked window after the present one; after the last one, the first of the file. */
  #nextMark(): number | null {
    const { origin = -1, count = 0 } = this.#ask ?? {};
    return this.#marks.find((mark) => mark > origin && mark >= count - 1) ?? this.#marks[0] ?? null;
  }

  #previous(): number | null {
    if (this.#ask === undefined) return null;
    const { source, origin, horizonMs, count } = this.#ask;
    return previousOrigin(source.series.timesUs, origin, horizonMs, count);
  }

  #go(origin: number | null): void {
    this.stop();
    if (origin !== null) void this.#goTo(origin);
  }

  async #run(): Promise<void> {
    const run = performance.now();
    this.#playing = run;
    this.#play.setAttribute('aria-pressed', 'true');
    this.#play.textContent = 'Pause';
    while (this.#playing === run) {
      const next = this.#next();
      if (next === null || !(await this.#goTo(next))) break;
      await new Promise((resolve) => setTimeout(resolve, PLAY_PAUSE_MS));
    }
    if (this.#playing === run) this.stop();
  }
}

/** All windows of one score agree in these values, and those of one replay. */
export function questionOf({ source, count, horizonMs, options, model }: Omit<Ask, 'origin'>): string {
  return JSON.stringify([
    source.kind,
    source.name,
    source.series.timesUs.length,
    source.series.timesUs[0],
    count,
    horizonMs,
    options,
    model,
  ]);
}

/** Below this many windows a fraction says next to nothing. */
const FEW_WINDOWS = 30;

/** The running score; every figure of the model is shown next to that of its baseline. */
function renderScore({ counted, marked, hits, baseRate, skill }: ReplayRecord): readonly HTMLElement[] {
  const fraction = ({ of, share }: Rate): string => (of === 0 ? '–' : percentText(share));
  const marks = `${marked.count} ${marked.count === 1 ? 'was' : 'were'} marked, ${hits.count} of them correctly`;
  const words = `${countText(counted, 'window')} with a known outcome: ${baseRate.count} moved over the threshold, ${marks}.`;
  const few = `Only ${countText(counted, 'window')} so far: too few to be meaningful.`;
  const more = counted < FEW_WINDOWS ? few : skill === null ? '' : skillSentence(skill);
  const scores = RIVALS.map((rival) => [
    `Brier score, smaller is better (baseline: ${RIVAL_NAMES[rival]})`,
    ...(skill === null ? [] : [skill[rival].model.toFixed(4), skill[rival].rival.toFixed(4)]),
  ]);
  return [
    element('p', {}, `${words} ${more}`.trim()),
    tableOf(
      'Running score and its baselines',
      [['Score'], ['tickmark', NUMBER], ['baseline', NUMBER]],
      [
        ['Marks that came true (baseline: fraction of all windows that moved)', fraction(hits), fraction(baseRate)],
        ...(skill === null ? [] : scores),
      ],
    ),
  ];
}
