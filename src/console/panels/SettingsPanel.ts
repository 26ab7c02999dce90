import type { Ask, Source } from '../Ask.ts';
import { bpsText, significant } from '../answer/describeAnswer.ts';
import { byId, showFault, element } from '../dom/element.ts';
import { MAX_TICKS, MIN_TICKS, US_PER_MS, USUAL_TICKS } from '../ticks/TickSeries.ts';
import { formatSpan, formatTimestamp, parseTimestamp, zoneChoices } from '../ticks/formatTimestamp.ts';
import { readFuture } from '../ticks/readFuture.ts';

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
  readonly #moveRange = byId('move-range', HTMLInputElement);

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#listen();
    this.#showOwn();
  }

  #listen(): void {
    this.#countRange.addEventListener('input', () => {
      this.#count.value = this.#countRange.value;
      this.#onChange();
    });
    this.#count.addEventListener('input', () => {
      this.#countRange.value = this.#count.value;
      this.#onChange();
    });
    for (const preset of this.#presets())
      preset.addEventListener('change', () => {
        this.#horizon.value = preset.value;
        this.#onChange();
      });
    this.#horizon.addEventListener('input', () => {
      for (const preset of this.#presets()) preset.checked = preset.value === this.#horizon.value.trim();
      this.#onChange();
    });
    this.#own.addEventListener('change', () => {
      this.#showOwn();
      this.#onChange();
    });
    this.#moveRange.addEventListener('input', () => {
      this.#move.value = significant(10 ** Number(this.#moveRange.value), 3);
      this.#takeOwn();
    });
    this.#move.addEventListener('input', () => {
      const move = Number(this.#move.value.replace(',', '.'));
      if (move > 0) this.#moveRange.value = String(Math.log10(move));
      this.#takeOwn();
    });
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

  /** Sets the slider to the threshold that was derived from the window. */
  suggestMove(bps: number): void {
    if (this.#own.checked) return;
    this.#move.value = significant(bps, 3);
    this.#moveRange.value = String(Math.log10(bps));
    this.#moveRange.setAttribute('aria-valuetext', bpsText(bps));
  }

  /** New ticks: selects the recommended number, or all if there are fewer. */
  fitTo({ series }: Source): void {
    const most = Math.min(MAX_TICKS, series.timesUs.length);
    this.#countRange.max = this.#count.max = String(most);
    const wanted = Math.min(Math.max(Math.round(Number(this.#count.value)) || USUAL_TICKS, MIN_TICKS), most);
    this.#count.value = this.#countRange.value = String(wanted);
    const few = most < USUAL_TICKS ? ', there are no more' : `; ${USUAL_TICKS} is recommended`;
    byId('count-hint', HTMLElement).textContent = `${MIN_TICKS} to ${most}${few}.`;
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
  read(source: Source, origin: number): Ask | null {
    const most = Math.min(MAX_TICKS, source.series.timesUs.length);
    const count = Number(this.#count.value);
    const hasCount = Number.isInteger(count) && count >= MIN_TICKS && count <= most;
    showFault('count', hasCount ? null : `Send a whole number of ticks from ${MIN_TICKS} to ${most}.`);
    const at = Math.max(origin, hasCount ? count - 1 : 0);
    const lastUs = source.series.timesUs[at]!;
    const future = readFuture(this.#horizon.value, lastUs);
    showFault('horizon', 'fault' in future ? future.fault : null);
    byId('horizon-hint', HTMLElement).textContent = 'fault' in future ? '' : this.#otherWay(lastUs, future.horizonMs);
    const minMoveBps = this.#readMove();
    if (!hasCount || 'fault' in future || minMoveBps === undefined) return null;
    return { source, origin: at, count, horizonMs: future.horizonMs, minMoveBps };
  }

  /** Shows a typed length as a time, and a typed time as a length. */
  #otherWay(lastUs: number, horizonMs: number): string {
    if (parseTimestamp(this.#horizon.value) !== null) return `${formatSpan(horizonMs)} after the last tick`;
    return `Until ${formatTimestamp(Math.round(lastUs + horizonMs * US_PER_MS))} UTC`;
  }

  #readMove(): number | null | undefined {
    if (!this.#own.checked) {
      showFault('move', null);
      return null;
    }
    const text = this.#move.value.trim();
    const move = Number(text.replace(',', '.'));
    const isGood = DECIMAL.test(text) && move > 0 && move <= MAX_MOVE_BPS;
    showFault('move', isGood ? null : 'Write a number above 0 and at most 10000, in basis points.');
    if (isGood) this.#moveRange.setAttribute('aria-valuetext', bpsText(move));
    return isGood ? move : undefined;
  }
}

/** Selects the zone of stamps that carry none. Shown only for such files. */
export class ZoneChoice {
  readonly #box = byId('zone-choice', HTMLElement);
  readonly #select = byId('zone', HTMLSelectElement);
  /** The zone in which the displayed ticks were read. */
  #zone = '';

  constructor(onChoice: (zone: string) => void) {
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.#select.append(...zoneChoices(own).map(({ zone, label }) => element('option', { value: zone }, label)));
    this.#select.addEventListener('change', () => onChoice(this.#select.value));
  }

  /** `zone`: the zone in which the stamps were read; null: they carry one. */
  show(zone: string | null): void {
    this.#box.hidden = zone === null;
    this.#zone = zone ?? '';
    this.takeBack();
  }

  /** The file was not read in the chosen zone: resets the field to the zone of the displayed ticks. */
  takeBack(): void {
    this.#select.value = this.#zone;
  }
}
