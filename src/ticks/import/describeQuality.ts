import { plural } from '../../core/plural.ts';
import type { Finding, Severity, TrainedDensity } from './ImportReport.ts';
import type { QualityMonitor } from './QualityMonitor.ts';
import { counted } from './findings/counted.ts';
import { flatStretch, notPositive, spikes, twoLevels } from './findings/prices.ts';
import { equalStamps, pauses, stampsInDoubt, summerTime, withoutStamp } from './findings/stamps.ts';
import type { QualityContext } from './findings/QualityContext.ts';
import { command, duration, finding, source } from './findings/words.ts';

/** A forecast needs so many ticks. */
const MIN_TICKS = 199;

/** All findings, what keeps the file from being used first. */
export function describeQuality(seen: QualityMonitor, context: QualityContext): Finding[] {
  const findings = [
    ...counted(seen, context),
    ...tooFew(seen),
    ...stampsInDoubt(seen, context),
    ...equalStamps(seen),
    ...pauses(seen),
    ...notPositive(seen, context),
    ...withoutStamp(seen, context),
    ...spikes(seen),
    ...twoLevels(seen),
    ...flatStretch(seen),
    ...summerTime(seen, context),
    ...density(seen, context),
  ];
  const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function tooFew({ ticks }: QualityMonitor): Finding[] {
  if (ticks >= MIN_TICKS) return [];
  const text = `The file holds ${plural(ticks, 'tick', 'ticks')}; a forecast needs ${MIN_TICKS} or more.`;
  return [finding('ticks.too_few', 'error', text, [source('Export a longer stretch of time.')], ticks)];
}

function density({ gaps, kind }: QualityMonitor, { trained, barPeriodUs }: QualityContext): Finding[] {
  if (kind === 'bars') return periods(barPeriodUs, trained);
  const medianMs = gaps.medianUs() / 1000;
  if (trained === undefined || Number.isNaN(medianMs)) return [];
  const [from, to] = trained.medianGapMs;
  if (medianMs >= from && medianMs <= to) return [];
  return [
    finding(
      'density.untrained',
      'warning',
      `The usual step between ticks is ${duration(medianMs * 1000)}; the model was trained on ${duration(from * 1000)} to ${duration(to * 1000)} and answers null outside of it.`,
      [
        ...(medianMs > to ? [source('Use ticks, or bars in place of their closes.')] : []),
        command('Or train on this file: tickmark train --base --data FILE.'),
      ],
    ),
  ];
}

function periods(periodUs: number, trained: TrainedDensity | undefined): Finding[] {
  if (trained?.barPeriodMs === undefined) return [];
  const [from, to] = trained.barPeriodMs ?? [NaN, NaN];
  if (periodUs >= from * 1000 && periodUs <= to * 1000) return [];
  const rule =
    trained.barPeriodMs === null
      ? 'the model cannot read bars'
      : `the model was trained on bars of ${duration(from * 1000)} to ${duration(to * 1000)}`;
  return [
    finding('density.untrained', 'warning', `These are bars of ${duration(periodUs)}; ${rule} and answers null.`, [
      source('Use ticks, or bars of another length.'),
    ]),
  ];
}
