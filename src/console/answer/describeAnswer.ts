import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { formatSpan } from '../ticks/formatSpan.ts';
import { bpsText, percentText } from './numberText.ts';

export type AnswerWords = {
  readonly headline: string;
  /** Whole sentences, in the order of reading. */
  readonly sentences: readonly string[];
};

/** What is asked: the move and the time. */
function question({ opportunity, horizon_ms: horizonMs }: ForecastDetail): string {
  const move =
    opportunity.min_move_bps === null
      ? 'a move over the threshold'
      : `a move of more than ${bpsText(opportunity.min_move_bps)}, up or down,`;
  return `${move} from 1 s after the last tick to ${formatSpan(horizonMs)} after it`;
}

function probabilitySentence(mark: 1 | null, detail: ForecastDetail): string[] {
  const { probability, decision_threshold: threshold } = detail.opportunity;
  if (probability === null) return [`No probability can be given for ${question(detail)}.`];
  const given = `The model gives ${percentText(probability)} to ${question(detail)}.`;
  if (threshold === null) return [given];
  if (probability >= threshold) {
    const from = `Windows are marked from ${percentText(threshold)} on`;
    return [given, mark === 1 ? `${from}, so this one is.` : `${from}, but this one is not, for the reason below.`];
  }
  return [given, `Windows are marked from ${percentText(threshold)} on, so this one is not.`];
}

function directionSentence({ direction }: ForecastDetail): string[] {
  if (direction.called !== null) return [`Direction called: ${direction.called}.`];
  return direction.probability_up === null ? [] : ['No direction is called: from prices alone it is near chance.'];
}

function counterfactualSentence(mark: 1 | null, { counterfactual, opportunity }: ForecastDetail): string[] {
  if (counterfactual === null) return [];
  const { min_move_bps: turned } = counterfactual;
  const side =
    opportunity.min_move_bps === null || turned === opportunity.min_move_bps
      ? 'of'
      : turned > opportunity.min_move_bps
        ? 'raised to'
        : 'lowered to';
  return [`With a threshold ${side} about ${bpsText(turned)} the answer would change to ${mark === 1 ? 'no mark' : 'a mark'}.`];
}

/** The answer in plain sentences. Promises no accuracy and no profit. */
export function describeAnswer(mark: 1 | null, detail: ForecastDetail): AnswerWords {
  return {
    headline: mark === 1 ? 'Opportunity identified' : 'No opportunity identified',
    sentences: [...probabilitySentence(mark, detail), ...directionSentence(detail), ...counterfactualSentence(mark, detail)],
  };
}
