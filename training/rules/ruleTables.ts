import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import { signed } from '../metrics/formatComparison.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import type { ReportTable } from '../report/ReportData.ts';
import type { HeadWorth } from './ruleWorth.ts';

/** What the rules add to the network, beside both placebos, and what each of them weighs. */
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
        'AUC and Brier skill of network and rules over the network alone; weights learned on other rows, each held to its sign. Shifted: the same levels moved at random. Reversed: the same windows backwards in time. A set should weigh a rule only where the real ones are better, beyond both.',
      head: ['head', 'origins', 'AUC', 'Brier skill', 'shifted: AUC', 'Brier skill', 'reversed: AUC', 'Brier skill', 'the rules are'],
      rows: worth.map(({ head, origins, comparisons, better }) => [
        BUCKET_NAMES[head] ?? String(head),
        String(origins),
        ...added(comparisons.real),
        ...added(comparisons.shifted),
        ...added(comparisons.reversed),
        better ? 'better' : 'no better',
      ]),
    },
    {
      title: 'What each rule would weigh',
      about:
        'Log-odds between false and true, with its 95 % interval over (instrument, hour); a weight whose interval holds 0 is put to 0.',
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
