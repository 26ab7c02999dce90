import type { AlertRule } from '../../contract/alertRule.ts';
import { bpsText, percentText, priceText } from '../answer/describeAnswer.ts';
import { readDecimal } from '../ticks/readFuture.ts';
import { horizonName } from '../live/livePlan.ts';

/** The fields of an alert rule as a person writes them; empty: not named. */
export type RuleTexts = {
  readonly horizon: string;
  /** Percent. */
  readonly chance: string;
  /** Basis points. */
  readonly move: string;
  /** Minutes. */
  readonly pause: string;
  /** `22:00`, UTC. */
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly touch: string;
};

const NUMBERS = { chance: 'the chance', move: 'the least move', pause: 'the minutes', touch: 'the price' } as const;

/** A cost as typed, basis points; null: none; a text: what is wrong with it. */
export function readCost(text: string): number | null | string {
  const bps = readDecimal(text.replace(/ *bps *$/i, ''));
  const isGood = bps === null || (bps > 0 && bps <= 10_000);
  return isGood ? bps : 'Write a number above 0 and at most 10,000, such as 8.1, or leave it empty.';
}

/** An alert rule as written; a text: what is wrong with it. */
export function readRule(texts: RuleTexts): AlertRule | string {
  const numbers: Partial<Record<keyof typeof NUMBERS, number>> = {};
  for (const [name, what] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, string][]) {
    const value = readDecimal(texts[name]);
    if (value === null) continue;
    if (!(value > 0)) return `Write ${what} as a number above 0, or leave it empty.`;
    numbers[name] = value;
  }
  const { chance, move, pause, touch } = numbers;
  if (chance !== undefined && (chance < 1 || chance > 99)) return 'Write the chance as a percentage from 1 to 99, or leave it empty.';
  if (pause !== undefined && (!Number.isInteger(pause) || pause > 1440)) return 'Write whole minutes from 1 to 1440, or leave them empty.';
  const { horizon, quietFrom, quietTo } = texts;
  if ((quietFrom === '') !== (quietTo === '')) return 'Name both ends of the quiet hours, or none.';
  return {
    ...(horizon !== '' && { horizon }),
    ...(chance !== undefined && { min_probability: Math.round(1e6 * chance) / 1e8 }),
    ...(move !== undefined && { min_move_bps: move }),
    ...(touch !== undefined && { touch }),
    ...(pause !== undefined && { pause_minutes: pause }),
    ...(quietFrom !== '' && { quiet_hours: `${quietFrom}-${quietTo}` }),
  };
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** What `readRule` reads. */
export function ruleTexts({ horizon = '', quiet_hours: quiet = '-', ...rule }: AlertRule): RuleTexts {
  const [quietFrom, quietTo] = quiet.split('-') as [string, string];
  const chance = rule.min_probability === undefined ? '' : textOf(Math.round(1e8 * rule.min_probability) / 1e6);
  return {
    horizon,
    chance,
    move: textOf(rule.min_move_bps),
    pause: textOf(rule.pause_minutes),
    quietFrom,
    quietTo,
    touch: textOf(rule.touch),
  };
}

/** Which forecasts of a market are told, in words; null: no rule of its own. */
export function ruleWords(rule: AlertRule | null): string {
  if (rule === null) return 'Alerts: marks.';
  const { horizon, min_probability: least, min_move_bps: move, touch, pause_minutes: pause, quiet_hours: quiet } = rule;
  const from = least === undefined ? '' : ` from ${percentText(least)}`;
  const parts = [
    touch === undefined ? (least === undefined ? 'marks' : `chances${from}`) : `${priceText(touch)} is reached${from}`,
    ...(horizon === undefined ? [] : [`${horizonName(horizon)} ahead`]),
    ...(move === undefined ? [] : [`moves of at least ${bpsText(move)}`]),
    ...(pause === undefined ? [] : [`at most one in ${pause} min`]),
    ...(quiet === undefined ? [] : [`not ${quiet} UTC`]),
  ];
  return `Alerts: ${parts.join(', ')}.`;
}
