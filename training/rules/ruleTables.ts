import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { signed } from '../metrics/formatComparison.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import type { ReportTable } from '../report/ReportData.ts';
import type { HeadWorth } from './ruleWorth.ts';

/** The effect of the rules on top of the network, next to both placebos, and the weight of each rule. */
export function ruleTables(worth: readonly HeadWorth[]): ReportTable[] {
  const [first] = worth;
  if (first === undefined) return [];
  const added = ({ intervals: { aucDifference, brierSkill } }: PairedComparison): string[] => [
    signed(aucDifference.estimate, 4),
    `${signed(brierSkill.estimate, 4)} (≥ ${signed(brierSkill.lower90OneSided, 4)})`,
  ];
  return [
    {
      title: 'Rules on top of the network',
      about:
        'AUC and Brier skill of network plus rules, compared with only the network; the weights are learned on other rows, each with its allowed sign. Shifted: the same levels, randomly shifted. Reversed: the same windows with ticks in reversed order. A rule should have a weight only if the real windows are better than both placebos.',
      head: ['head', 'origins', 'AUC', 'Brier skill', 'shifted: AUC', 'Brier skill', 'reversed: AUC', 'Brier skill', 'with rules'],
      rows: worth.map(({ head, origins, comparisons, better }) => [
        BUCKET_NAMES[head] ?? String(head),
        String(origins),
        ...added(comparisons.real),
        ...added(comparisons.shifted),
        ...added(comparisons.reversed),
        better ? 'better' : 'not better',
      ]),
    },
    {
      title: 'Weights of the rules',
      about:
        'Log-odds between false and true, with its 95 % interval over (instrument, hour); a weight whose interval contains 0 is set to 0.',
      head: ['rule', ...worth.map(({ head }) => BUCKET_NAMES[head] ?? String(head))],
      rows: first.weights.map(({ id }, rule) => [
        id,
        ...worth.map(({ weights }) => {
          const of = weights[rule];
          return of === undefined ? '' : `${signed(of.weight, 3)} (${signed(of.interval.lower95, 3)} to ${signed(of.interval.upper95, 3)})`;
        }),
      ]),
    },
  ];
}
