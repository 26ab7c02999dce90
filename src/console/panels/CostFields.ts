import { bpsText, significant } from '../answer/describeAnswer.ts';
import { byId } from '../dom/element.ts';
import { typicalMoveBps } from '../ticks/typicalMoveBps.ts';
import type { FormOptions } from '../FormOptions.ts';
import { formatSpan } from '../ticks/timeText.ts';

/** A number of basis points as people write it; 0 for an empty field, null for anything else. */
export function readBps(text: string): number | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return 0;
  return /^\d{1,5}(?:\.\d{1,10})?$/.test(trimmed) ? Number(trimmed) : null;
}

/** The cost of a trade: the spread once, and the fees of both sides. Its sum is the smallest move that pays. */
export class CostFields {
  readonly #spread = byId('spread', HTMLInputElement);
  readonly #fees = byId('fees', HTMLInputElement);

  /** `onCost`: the sum, above 0, as text. */
  constructor(onCost: (bps: string) => void) {
    for (const field of [this.#spread, this.#fees])
      field.addEventListener('input', () => {
        const sum = (readBps(this.#spread.value) ?? NaN) + (readBps(this.#fees.value) ?? NaN);
        for (const each of [this.#spread, this.#fees])
          if (readBps(each.value) === null) each.setAttribute('aria-invalid', 'true');
          else each.removeAttribute('aria-invalid');
        if (sum > 0) onCost(significant(sum, 6));
      });
  }

  get values(): readonly [spread: string, fees: string] {
    return [this.#spread.value, this.#fees.value];
  }

  set values([spread, fees]: readonly [spread: string, fees: string]) {
    this.#spread.value = spread;
    this.#fees.value = fees;
  }
}

/** Says how large moves usually are at this horizon, and how the cost compares. */
export function showTypicalMove(volatility: number | null, horizonMs: number, minMoveBps: FormOptions['minMoveBps']): void {
  const told = byId('typical', HTMLElement);
  const typical = volatility === null ? null : typicalMoveBps(volatility, horizonMs);
  told.hidden = typical === null || typical === 0;
  if (typical === null || typical === 0) return;
  const own = typeof minMoveBps !== 'number' ? '' : `; yours is ${significant(minMoveBps / typical, 2)} times that`;
  told.textContent = `Mean move in ${formatSpan(horizonMs)}: about ${bpsText(Number(typical.toPrecision(2)))}, by recent volatility${own}.`;
}
