import type { ModelAnswer } from '../../contract/catalog.ts';

/** What a version knows of the time of day of its market. */
export type Market = NonNullable<ModelAnswer['market']>;

const STEP_MINUTES = 10;
const MINUTES_PER_DAY = 1440;

/** Mean of the profile in each ten minutes of the day. */
export function profileSteps({ profile }: Pick<Market, 'profile'>): number[] {
  return Array.from({ length: MINUTES_PER_DAY / STEP_MINUTES }, (_, step) => {
    const minutes = profile.slice(step * STEP_MINUTES, (step + 1) * STEP_MINUTES);
    return minutes.reduce((sum, value) => sum + value, 0) / minutes.length;
  });
}

const timeOf = (step: number): string => {
  const minute = step * STEP_MINUTES;
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
};

const CLOCKS = { none: 'UTC', us: 'UTC in winter, following the clock changes of the US', eu: 'UTC in winter, following those of the EU' };

/** The picture in words. */
export function profileWords(market: Pick<Market, 'profile' | 'daylight'>): string {
  const steps = profileSteps(market);
  const [low, high] = [Math.min(...steps), Math.max(...steps)];
  return (
    `Usual size of a one-minute move by time of day (${CLOCKS[market.daylight]}); 1 is the mean. ` +
    `Quietest at ${timeOf(steps.indexOf(low))} (${low.toFixed(2)}), liveliest at ${timeOf(steps.indexOf(high))} (${high.toFixed(2)}).`
  );
}

/** Where it was learned and until when it is used, at a time of a forecast. `atMs`: the last tick. */
export function marketWords({ from, to, heads, level_until: levelUntil, clock_until: clockUntil }: Market, atMs: number): string {
  const day = (iso: string): string => iso.slice(0, 10);
  const learned = `Learned from ${day(from)} to ${day(to)}; used by ${heads.length === 0 ? 'no head' : heads.join(', ')}.`;
  if (atMs >= Date.parse(clockUntil)) return `${learned} Too old for this window since ${day(clockUntil)}: the base answers.`;
  const level =
    atMs >= Date.parse(levelUntil) ? `Its level is too old since ${day(levelUntil)}` : `Its level is used until ${day(levelUntil)}`;
  return `${learned} ${level}, the time of day until ${day(clockUntil)}.`;
}

/** Points of the line in a box of 1440 by `height`; the highest value touches the top. */
export function profileLine(market: Pick<Market, 'profile'>, height: number): { readonly points: string; readonly top: number } {
  const steps = profileSteps(market);
  const top = Math.max(...steps);
  const x = (step: number): number => (step + 0.5) * STEP_MINUTES;
  return { top, points: steps.map((value, step) => `${x(step)},${(height * (1 - value / top)).toFixed(1)}`).join(' ') };
}
