import { plural } from '../../core/plural.ts';
import type { Finding, Severity } from './ImportReport.ts';
import type { QualityMonitor } from './QualityMonitor.ts';
import { counted } from './findings/counted.ts';
import { flatStretch, notPositive, spikes, twoLevels } from './findings/prices.ts';
import { equalStamps, pauses, stampsInDoubt, summerTime, withoutStamp } from './findings/stamps.ts';
import { command, duration, finding, source, type QualityContext } from './findings/words.ts';

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
  const isBars = kind === 'bars';
  const known = isBars ? trained?.barPeriodMs : trained?.medianGapMs;
  const stepUs = isBars ? barPeriodUs : gaps.medianUs();
  if (known === undefined || Number.isNaN(stepUs)) return [];
  const [from, to] = (known ?? [NaN, NaN]).map((ms) => ms * 1000) as [number, number];
  if (stepUs >= from && stepUs <= to) return [];
  const range = `${duration(from)} to ${duration(to)}`;
  if (isBars) {
    const rule = known === null ? 'the model cannot read bars' : `the model was trained on bars of ${range}`;
    const text = `These are bars of ${duration(stepUs)}; ${rule} and answers null.`;
    return [finding('density.untrained', 'warning', text, [source('Use ticks, or bars of another length.')])];
  }
  const text = `The usual step between ticks is ${duration(stepUs)}; the model was trained on ${range} and answers null outside of it.`;
  return [
    finding('density.untrained', 'warning', text, [
      ...(stepUs > to ? [source('Use ticks, or bars in place of their closes.')] : []),
      command('Or train on this file: tickmark train --base --data FILE.'),
    ]),
  ];
}
