import { bpsText, significant } from '../answer/describeAnswer.ts';
import { byId, showText } from '../dom/element.ts';
import { readDecimal } from '../ticks/readDecimal.ts';
import { typicalMoveBps } from '../ticks/typicalMoveBps.ts';
import type { FormOptions } from '../FormOptions.ts';
import { formatSpan } from '../ticks/timeText.ts';

/** The cost of a trade: the spread once, and the fees of both sides. Its sum is the smallest move that pays. `onCost`: the sum, above 0, as text. */
export function listenToCost(onCost: (bps: string) => void): void {
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
export function showTypicalMove(volatility: number | null, horizonMs: number, minMoveBps: FormOptions['minMoveBps']): void {
  const typical = typicalMoveBps(volatility ?? 0, horizonMs);
  const own = typeof minMoveBps !== 'number' ? '' : `; yours is ${significant(minMoveBps / typical, 2)} times that`;
  const words = `Mean move in ${formatSpan(horizonMs)}: about ${bpsText(Number(typical.toPrecision(2)))}, by recent volatility${own}.`;
  showText('typical', typical === 0 ? null : words);
}
