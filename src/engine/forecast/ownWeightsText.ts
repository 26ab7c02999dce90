import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { logitText } from '../scoring/logOdds.ts';

type Own = Pick<NonNullable<NonNullable<ForecastDetail['memory']>['own']>, 'outcomes' | 'weights'>;

/** Smaller weights are not named. */
const LEAST = 0.05;

/** By the names of `detail.memory.own.weights`. */
const WORDS: Readonly<Record<string, string>> = {
  slope: 'the probability of the model',
  prof: 'the time of day ahead, compared with the last hour',
  prof_day: 'the time of day ahead, compared with the whole day',
  hours: 'the volatility of the last four hours',
  week: 'the volatility of the last five trading days',
  utc_6h: 'the hours around 06:00 UTC, compared with those around 18:00 UTC',
  utc_0h: 'the hours around 00:00 UTC, compared with those around 12:00 UTC',
};

/** What a series has learned to weigh, as sentences. */
export function ownWeightsText({ outcomes, weights }: Own): string {
  const named = Object.entries(WORDS).flatMap(([name, words]) => {
    const weight = weights[name] ?? 0;
    return Math.abs(weight) < LEAST ? [] : [{ weight, words: `${words} (${logitText(weight)})` }];
  });
  const list = (how: string, ofSign: (weight: number) => boolean): string[] => {
    const words = named.filter(({ weight }) => ofSign(weight)).map((one) => one.words);
    return words.length === 0 ? [] : [`${how}: ${words.join('; ')}.`];
  };
  const { intercept = 0 } = weights;
  const often =
    Math.abs(intercept) < LEAST
      ? []
      : [`Moves are ${intercept > 0 ? 'more' : 'less'} frequent than the model expects (${logitText(intercept)}).`];
  return [
    outcomes === 0
      ? 'The weights with which a series begins.'
      : `Weights that this series has learned from ${outcomes} of its own outcomes.`,
    ...list('More weight on', (weight) => weight > 0),
    ...list('Less weight on', (weight) => weight < 0),
    ...often,
  ].join(' ');
}
