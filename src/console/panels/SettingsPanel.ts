import type { Ask, Source } from '../Ask.ts';
import type { FormOptions } from '../FormOptions.ts';
import { coveringCount, suitableCount, type WindowTicks } from '../ticks/suitableCount.ts';
import { significant, bpsText } from '../answer/describeAnswer.ts';
import { byId, element, showFault, showText } from '../dom/element.ts';
import { BUCKET_NAMES, bucketOf } from '../../engine/features/horizonBuckets.ts';
import { LEAST_BAR_PERIODS } from '../../engine/model/BarModel.ts';
import { horizonsFor } from '../live/livePlan.ts';
import { type KeptSettings, TYPED } from './keptSettings.ts';
import { MAX_TICKS, MIN_TICKS, MS_PER_S, unitOf, US_PER_MS, USUAL_TICKS } from '../ticks/TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { formatSpan, parseTimestamp } from '../ticks/timeText.ts';
import { readDecimal, readFuture, scoredFuture } from '../ticks/readFuture.ts';
import { typicalMoveBps } from '../ticks/labelOutcome.ts';

const MAX_MOVE_BPS = 10_000;
const SILENT = 'The model never gives a mark at this horizon, only a probability.';

/** Settings of a request: length of the window, future time, threshold. */
export class SettingsPanel {
  readonly #onChange: () => void;
  readonly #count = byId('count', HTMLInputElement);
  readonly #horizon = byId('horizon', HTMLInputElement);
  readonly #own = byId('own', HTMLInputElement);
  readonly #move = byId('move', HTMLInputElement);
  readonly #least = byId('least', HTMLInputElement);
  readonly #moveCost = byId('move-cost', HTMLButtonElement);
  #volatility: number | null = null;
  #windowTicks: WindowTicks = [];
  /** Whether the user chose the number of ticks; otherwise it follows the horizon. */
  #isOwnCount = false;
  #source: Source | null = null;
  readonly #presets = byId('presets', HTMLElement);
  /** Heads that never mark. */
  #silent: readonly string[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#listen();
    this.#showOwn();
  }

  #listen(): void {
    this.#count.addEventListener('input', () => {
      this.#isOwnCount = true;
      this.#onChange();
    });
    this.#presets.addEventListener('change', ({ target }) => {
      this.#horizon.value = (target as HTMLInputElement).value;
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
    this.#moveCost.addEventListener('click', () => {
      this.#move.value = 'cost';
      this.#takeOwn({ isOfCost: false });
    });
    this.#move.addEventListener('input', () => this.#takeOwn({ isOfCost: false }));
    listenToCost((bps) => {
      this.#move.value = bps;
      this.#takeOwn({ isOfCost: true });
    });
  }

  /** As typed, to be kept for the next visit. */
  get kept(): KeptSettings {
    const typed = Object.fromEntries(TYPED.map((id) => [id, byId(id, HTMLInputElement).value])) as Omit<KeptSettings, 'isOwn'>;
    return { ...typed, count: this.#isOwnCount ? typed.count : '', isOwn: this.#own.checked };
  }

  /** Does not ask: the ticks that follow do. */
  restore(kept: KeptSettings): void {
    for (const id of TYPED) byId(id, HTMLInputElement).value = kept[id];
    this.#isOwnCount = kept.count !== '';
    this.#own.checked = kept.isOwn;
    this.#checkPreset();
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
    if (!this.#own.checked) this.#move.value = '';
  }

  #checkPreset(): void {
    for (const preset of this.#presets.querySelectorAll('input')) preset.checked = preset.value === this.#horizon.value.trim();
  }

  /** The horizons that suit the data; one of them is chosen where the one before is none for these bars. */
  #offerPresets({ series }: Source): void {
    const horizons = horizonsFor(series);
    this.#presets.replaceChildren(
      ...horizons.map(({ ms, name }) =>
        element(
          'label',
          {},
          element('input', { type: 'radio', name: 'horizon', value: name, 'data-head': BUCKET_NAMES[bucketOf(ms / MS_PER_S)] }),
          name,
        ),
      ),
    );
    const { bars } = series;
    const future = readFuture(this.#horizon.value, 0);
    const isTrained = bars === undefined || !('horizonMs' in future) || future.horizonMs >= LEAST_BAR_PERIODS * bars.periodMs;
    if (!isTrained && horizons.length > 0) this.#horizon.value = horizons[0].name;
    this.#checkPreset();
    this.#showSilent();
  }

  /** Moving the threshold selects the user's own one. `isOfCost`: it is the sum of the fields of the cost, which are empty otherwise. */
  #takeOwn({ isOfCost }: { readonly isOfCost: boolean }): void {
    if (!isOfCost) for (const id of ['spread', 'fees']) byId(id, HTMLInputElement).value = '';
    this.#own.checked = true;
    this.#showOwn();
    this.#onChange();
  }

  #showOwn(): void {
    byId('own-fields', HTMLElement).toggleAttribute('data-off', !this.#own.checked);
    byId('move-hint', HTMLElement).textContent = this.#own.checked
      ? 'Your spread and fees for entry and exit: a smaller move would not cover them.'
      : 'Computed from the volatility of your prices and the horizon.';
  }

  /** Shows the threshold that was derived from the window, unless the user has one or is about to type it. */
  suggestMove(bps: number): void {
    if (this.#own.checked || document.activeElement === this.#move) return;
    this.#move.value = significant(bps, 3);
  }

  /** New ticks: the number that suits the horizon, or all if there are too few. A number that the user chose stays. */
  fitTo(source: Source): void {
    const isOther = source !== this.#source;
    if (isOther) this.#forgetVolatility();
    this.#source = source;
    if (isOther) this.#offerPresets(source);
    for (const name of document.querySelectorAll('[data-unit]')) name.textContent = `${unitOf(source.series)}s`;
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
    const suited =
      bars === undefined ? coveringCount(suitableCount(this.#windowTicks, horizonMs, timesUs.length), timesUs, horizonMs) : USUAL_TICKS;
    this.#count.max = String(most);
    const wanted = (this.#isOwnCount && Math.round(Number(this.#count.value))) || suited;
    this.#count.value = String(Math.min(Math.max(wanted, MIN_TICKS), most));
    const few = most < suited ? ', there are no more' : `; ${suited} suits this horizon`;
    byId('count-hint', HTMLElement).textContent = `${MIN_TICKS} to ${most}${few}.`;
  }

  /** Sets the number of ticks and the horizon. */
  use({ ticks, horizonMs }: { readonly ticks: number; readonly horizonMs: number }): void {
    this.#isOwnCount = true;
    this.#count.value = String(ticks);
    this.#horizon.value = formatSpan(horizonMs);
    this.#checkPreset();
    this.#onChange();
  }

  /** Says at the buttons of these heads that the model never gives a mark there. */
  markSilent(heads: readonly string[]): void {
    this.#silent = heads;
    this.#showSilent();
  }

  #showSilent(): void {
    const presets = [...this.#presets.querySelectorAll('input')];
    const isSilent = ({ dataset }: HTMLInputElement): boolean =>
      this.#source?.series.bars === undefined && this.#silent.includes(dataset['head'] ?? '');
    for (const preset of presets) {
      const label = preset.closest('label')!;
      label.toggleAttribute('data-silent', isSilent(preset));
      label.title = isSilent(preset) ? SILENT : '';
    }
    byId('presets-hint', HTMLElement).hidden = !presets.some(isSilent);
  }

  /** The request as the fields describe it; null if a field is invalid. Its error is then shown next to it. */
  read(source: Source, origin: number): Omit<Ask, 'model' | 'level'> | null {
    const most = Math.min(MAX_TICKS, source.series.timesUs.length);
    const count = Number(this.#count.value);
    const hasCount = Number.isInteger(count) && count >= MIN_TICKS && count <= most;
    showFault('count', hasCount ? null : `Send a whole number of ${unitOf(source.series)}s from ${MIN_TICKS} to ${most}.`);
    const at = Math.max(origin, hasCount ? count - 1 : 0);
    const lastUs = source.series.timesUs[at];
    const future = scoredFuture(this.#horizon.value, source.series, at);
    showFault('horizon', 'fault' in future ? future.fault : null);
    const after = unitOf(source.series);
    byId('horizon-hint', HTMLElement).textContent = 'fault' in future ? '' : this.#otherWay(lastUs, future.horizonMs, after);
    if (!hasCount) byId('advanced', HTMLDetailsElement).open = true;
    const options = this.readOptions(source.series.quotes !== undefined);
    if (!hasCount || 'fault' in future || options === undefined) return null;
    showTypicalMove(this.#volatility, future.horizonMs, options.minMoveBps);
    return { source, origin: at, count, horizonMs: future.horizonMs, options };
  }

  /** Shows a typed length as a time, and a typed time as a length. */
  #otherWay(lastUs: number, horizonMs: number, unit: string): string {
    if (parseTimestamp(this.#horizon.value) !== null) return `${formatSpan(horizonMs)} after the last ${unit}`;
    return `Until ${writeTimestamp(Math.round(lastUs + horizonMs * US_PER_MS))} UTC`;
  }

  /** What the user asks of each window; undefined: a field is invalid, and says so. `hasQuotes`: the ticks have bid and ask. */
  readOptions(hasQuotes: boolean): FormOptions | undefined {
    const move = this.#readMove(hasQuotes);
    const percent = readDecimal(this.#least.value);
    const isGood = percent === null || (percent >= 1 && percent <= 99);
    if (!isGood) byId('advanced', HTMLDetailsElement).open = true;
    showFault('least', isGood ? null : 'Write a number from 1 to 99, in percent, or leave it empty.');
    if (move === undefined || !isGood) return undefined;
    // Without the rounding error of the division: 0.07, not 0.07000000000000001.
    return { ...move, ...(percent !== null && { minProbability: Number((percent / 100).toFixed(12)) }) };
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
      showFault('move', hasQuotes ? null : 'These prices have no bid and ask: write your cost in basis points.');
      return hasQuotes ? { minMoveBps: 'cost' } : undefined;
    }
    const move = readDecimal(text) ?? 0;
    const isGood = move > 0 && move <= MAX_MOVE_BPS;
    showFault('move', isGood ? null : 'Write a number above 0 and at most 10000, in basis points, or cost: the spread of your quotes.');
    return isGood ? { minMoveBps: move } : undefined;
  }
}

/** The cost of a trade: the spread once, and the fees of both sides. Its sum is the smallest move that pays. `onCost`: the sum, above 0, as text. */
function listenToCost(onCost: (bps: string) => void): void {
  const fields = ['spread', 'fees'].map((id) => byId(id, HTMLInputElement));
  for (const field of fields)
    field.addEventListener('input', () => {
      const values = fields.map(({ value }) => readDecimal(value) ?? 0);
      fields.forEach((each, at) => each.setAttribute('aria-invalid', String(Number.isNaN(values[at]))));
      const sum = values[0] + values[1];
      if (sum > 0) onCost(significant(sum, 6));
    });
}

/** Says how large moves usually are at this horizon, and how the cost compares. */
function showTypicalMove(volatility: number | null, horizonMs: number, minMoveBps: FormOptions['minMoveBps']): void {
  const typical = typicalMoveBps(volatility ?? 0, horizonMs);
  const own = typeof minMoveBps !== 'number' ? '' : `; yours is ${significant(minMoveBps / typical, 2)} times that`;
  const words = `Mean move in ${formatSpan(horizonMs)}: about ${bpsText(Number(typical.toPrecision(2)))}, by recent volatility${own}.`;
  showText('typical', typical === 0 ? null : words);
}
