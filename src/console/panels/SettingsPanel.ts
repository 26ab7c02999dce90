import type { Ask, Source } from '../Ask.ts';
import type { FormOptions } from '../FormOptions.ts';
import { suitableCount, type WindowTicks } from '../ticks/suitableCount.ts';
import { bpsText, significant } from '../answer/describeAnswer.ts';
import { byId, showFault } from '../dom/element.ts';
import { CostFields, showTypicalMove } from './CostFields.ts';
import type { KeptSettings } from './keptSettings.ts';
import { MAX_TICKS, MIN_TICKS, US_PER_MS, USUAL_TICKS } from '../ticks/TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { formatSpan, parseTimestamp } from '../ticks/timeText.ts';
import { scoredFuture } from '../ticks/readFuture.ts';

const MAX_MOVE_BPS = 10_000;
const SILENT = 'The model never gives a mark at this horizon, only a probability.';
const DECIMAL = /^\d{1,5}(?:[.,]\d{1,10})?$/;

/** Settings of a request: length of the window, future time, threshold. */
export class SettingsPanel {
  readonly #onChange: () => void;
  readonly #count = byId('count', HTMLInputElement);
  readonly #countRange = byId('count-range', HTMLInputElement);
  readonly #horizon = byId('horizon', HTMLInputElement);
  readonly #own = byId('own', HTMLInputElement);
  readonly #move = byId('move', HTMLInputElement);
  readonly #least = byId('least', HTMLInputElement);
  readonly #moveRange = byId('move-range', HTMLInputElement);
  readonly #moveCost = byId('move-cost', HTMLButtonElement);
  readonly #cost = new CostFields((bps) => this.#setMove(bps));
  #volatility: number | null = null;
  #windowTicks: WindowTicks = [];
  /** Whether the user chose the number of ticks; otherwise it follows the horizon. */
  #isOwnCount = false;
  #source: Source | null = null;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#listen();
    this.#showOwn();
  }

  #listen(): void {
    this.#countRange.addEventListener('input', () => {
      this.#count.value = this.#countRange.value;
      this.#isOwnCount = true;
      this.#onChange();
    });
    this.#count.addEventListener('input', () => {
      this.#countRange.value = this.#count.value;
      this.#isOwnCount = true;
      this.#onChange();
    });
    for (const preset of this.#presets())
      preset.addEventListener('change', () => {
        this.#horizon.value = preset.value;
        this.#fitCount();
        this.#onChange();
      });
    this.#horizon.addEventListener('input', () => {
      this.#checkPreset();
      this.#fitCount();
      this.#onChange();
    });
    this.#own.addEventListener('change', () => {
      this.#showOwn();
      this.#onChange();
    });
    this.#least.addEventListener('input', () => this.#onChange());
    this.#moveRange.addEventListener('input', () => {
      this.#move.value = significant(10 ** Number(this.#moveRange.value), 3);
      this.#cost.values = ['', ''];
      this.#takeOwn();
    });
    this.#moveCost.addEventListener('click', () => {
      this.#move.value = 'cost';
      this.#cost.values = ['', ''];
      this.#takeOwn();
    });
    this.#move.addEventListener('input', () => {
      const move = Number(this.#move.value.replace(',', '.'));
      if (move > 0) this.#moveRange.value = String(Math.log10(move));
      this.#cost.values = ['', ''];
      this.#takeOwn();
    });
  }

  #setMove(bps: string): void {
    this.#move.value = bps;
    this.#moveRange.value = String(Math.log10(Number(bps)));
    this.#takeOwn();
  }

  /** As typed, to be kept for the next visit. */
  get kept(): KeptSettings {
    const [spread, fees] = this.#cost.values;
    return {
      count: this.#isOwnCount ? this.#count.value : '',
      horizon: this.#horizon.value,
      isOwn: this.#own.checked,
      move: this.#move.value,
      spread,
      fees,
      least: this.#least.value,
    };
  }

  /** Does not ask: the ticks that follow do. */
  restore({ count, horizon, isOwn, move, spread, fees, least }: KeptSettings): void {
    this.#isOwnCount = count !== '';
    this.#count.value = this.#countRange.value = count;
    this.#horizon.value = horizon;
    this.#checkPreset();
    this.#own.checked = isOwn;
    this.#move.value = move;
    this.#least.value = least;
    this.#cost.values = [spread, fees];
    if (Number(move) > 0) this.#moveRange.value = String(Math.log10(Number(move)));
    this.#showOwn();
  }

  /** Volatility of the last answer, basis points per √s; null: not known. */
  showVolatility(volatility: number | null, { horizonMs, options }: Ask): void {
    this.#volatility = volatility;
    showTypicalMove(volatility, horizonMs, options.minMoveBps);
  }

  /** Volatility and default threshold are those of the ticks before. */
  #forgetVolatility(): void {
    this.#volatility = null;
    byId('typical', HTMLElement).hidden = true;
    if (this.#own.checked) return;
    this.#move.value = '';
    this.#moveRange.removeAttribute('aria-valuetext');
  }

  #checkPreset(): void {
    for (const preset of this.#presets()) preset.checked = preset.value === this.#horizon.value.trim();
  }

  #presets(): readonly HTMLInputElement[] {
    return [...byId('presets', HTMLElement).querySelectorAll('input')];
  }

  /** Moving the threshold selects the user's own one. */
  #takeOwn(): void {
    this.#own.checked = true;
    this.#showOwn();
    this.#onChange();
  }

  #showOwn(): void {
    byId('own-fields', HTMLElement).toggleAttribute('data-off', !this.#own.checked);
    byId('move-hint', HTMLElement).textContent = this.#own.checked
      ? 'Your spread and fees for entry and exit: a smaller move would not cover them.'
      : 'Computed from the volatility of your ticks and the horizon.';
  }

  /** Sets the slider to the threshold that was derived from the window, unless the user has one or is about to type it. */
  suggestMove(bps: number): void {
    if (this.#own.checked || document.activeElement === this.#move) return;
    this.#move.value = significant(bps, 3);
    this.#moveRange.value = String(Math.log10(bps));
    this.#moveRange.setAttribute('aria-valuetext', bpsText(bps));
  }

  /** New ticks: the number that suits the horizon, or all if there are too few. A number that the user chose stays. */
  fitTo(source: Source): void {
    if (source !== this.#source) this.#forgetVolatility();
    this.#source = source;
    this.#fitCount();
  }

  /** The numbers of ticks that suit the horizons of the default model. Asks again if that changes the request. */
  suit(windowTicks: WindowTicks): void {
    const before = this.#count.value;
    this.#windowTicks = windowTicks;
    this.#fitCount();
    if (this.#count.value !== before) this.#onChange();
  }

  #fitCount(): void {
    if (this.#source === null) return;
    const { timesUs, bars } = this.#source.series;
    const most = Math.min(MAX_TICKS, timesUs.length);
    const future = scoredFuture(this.#horizon.value, this.#source.series, timesUs.length - 1);
    const horizonMs = 'fault' in future ? null : future.horizonMs;
    const suited = bars === undefined ? suitableCount(this.#windowTicks, horizonMs, timesUs.length) : USUAL_TICKS;
    this.#countRange.max = this.#count.max = String(most);
    const wanted = (this.#isOwnCount && Math.round(Number(this.#count.value))) || suited;
    this.#count.value = this.#countRange.value = String(Math.min(Math.max(wanted, MIN_TICKS), most));
    const few = most < suited ? ', there are no more' : `; ${suited} suits this horizon`;
    byId('count-hint', HTMLElement).textContent = `${MIN_TICKS} to ${most}${few}.`;
  }

  /** Sets the number of ticks and the horizon. */
  use({ ticks, horizonMs }: { readonly ticks: number; readonly horizonMs: number }): void {
    this.#isOwnCount = true;
    this.#count.value = this.#countRange.value = String(ticks);
    this.#horizon.value = formatSpan(horizonMs);
    this.#checkPreset();
    this.#onChange();
  }

  /** Says at the buttons of these heads that the model never gives a mark there. */
  markSilent(heads: readonly string[]): void {
    for (const preset of this.#presets()) {
      const isSilent = heads.includes(preset.dataset['head'] ?? '');
      const label = preset.closest('label')!;
      label.toggleAttribute('data-silent', isSilent);
      label.title = isSilent ? SILENT : '';
    }
    byId('presets-hint', HTMLElement).hidden = heads.length === 0;
  }

  /** The request as the fields describe it; null if a field is invalid. Its error is then shown next to it. */
  read(source: Source, origin: number): Omit<Ask, 'model'> | null {
    const most = Math.min(MAX_TICKS, source.series.timesUs.length);
    const count = Number(this.#count.value);
    const hasCount = Number.isInteger(count) && count >= MIN_TICKS && count <= most;
    showFault('count', hasCount ? null : `Send a whole number of ticks from ${MIN_TICKS} to ${most}.`);
    const at = Math.max(origin, hasCount ? count - 1 : 0);
    const lastUs = source.series.timesUs[at];
    const future = scoredFuture(this.#horizon.value, source.series, at);
    showFault('horizon', 'fault' in future ? future.fault : null);
    byId('horizon-hint', HTMLElement).textContent = 'fault' in future ? '' : this.#otherWay(lastUs, future.horizonMs);
    const options = this.readOptions(source.series.quotes !== undefined);
    if (!hasCount || 'fault' in future || options === undefined) return null;
    showTypicalMove(this.#volatility, future.horizonMs, options.minMoveBps);
    return { source, origin: at, count, horizonMs: future.horizonMs, options };
  }

  /** Shows a typed length as a time, and a typed time as a length. */
  #otherWay(lastUs: number, horizonMs: number): string {
    if (parseTimestamp(this.#horizon.value) !== null) return `${formatSpan(horizonMs)} after the last tick`;
    return `Until ${writeTimestamp(Math.round(lastUs + horizonMs * US_PER_MS))} UTC`;
  }

  /** What the user asks of each window; undefined: a field is invalid, and says so. `hasQuotes`: the ticks have bid and ask. */
  readOptions(hasQuotes: boolean): FormOptions | undefined {
    const move = this.#readMove(hasQuotes);
    const text = this.#least.value.trim();
    const percent = Number(text.replace(',', '.'));
    const isGood = text === '' || (DECIMAL.test(text) && percent >= 1 && percent <= 99);
    showFault('least', isGood ? null : 'Write a number from 1 to 99, in percent, or leave it empty.');
    if (move === undefined || !isGood) return undefined;
    // Without the rounding error of the division: 0.07, not 0.07000000000000001.
    return { ...move, ...(text === '' ? {} : { minProbability: Number((percent / 100).toFixed(12)) }) };
  }

  /** The user's own threshold, or the spread of each window; empty: that of each window; undefined: the field is invalid, and says so. */
  #readMove(hasQuotes: boolean): FormOptions | undefined {
    this.#moveCost.hidden = !hasQuotes;
    if (!this.#own.checked) {
      showFault('move', null);
      return {};
    }
    const text = this.#move.value.trim();
    if (text.toLowerCase() === 'cost') {
      showFault('move', hasQuotes ? null : 'These ticks have no bid and ask: write your cost in basis points.');
      this.#moveRange.removeAttribute('aria-valuetext');
      return hasQuotes ? { minMoveBps: 'cost' } : undefined;
    }
    const move = Number(text.replace(',', '.'));
    const isGood = DECIMAL.test(text) && move > 0 && move <= MAX_MOVE_BPS;
    showFault('move', isGood ? null : 'Write a number above 0 and at most 10000, in basis points, or cost: the spread of your quotes.');
    if (isGood) this.#moveRange.setAttribute('aria-valuetext', bpsText(move));
    return isGood ? { minMoveBps: move } : undefined;
  }
}
