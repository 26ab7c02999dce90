import { type BarOpenings, looksText, readText, type StampEvidence } from '../../BarOpenings.ts';
import type { BarWatch } from '../BarWatch.ts';
import type { Advice, Finding, ImportedBars, ImportSink } from '../ImportReport.ts';
import { command, source } from './words.ts';

/** The sink, whose bars are also looked at. */
export function watched(sink: ImportSink, openings: BarOpenings, bars: BarWatch): ImportSink {
  return {
    add: (timesUs, prices) => sink.add(timesUs, prices),
    addBars(endsUs, closes, ranges) {
      endsUs.forEach((endUs, i) => {
        openings.push(endUs, closes[i], ranges?.high[i], ranges?.low[i]);
        bars.push(endUs, closes[i], ranges?.open[i]);
      });
      sink.addBars?.(endsUs, closes, ranges);
    },
  };
}

/** Whether the timestamps of bars may be something else than they were read as. */
export function barTime({ barTime: read }: ImportedBars, looks: StampEvidence | null): Finding[] {
  const seems = looks === null ? '' : ` ${looksText(looks)}`;
  const advice: readonly Advice[] = [
    source('Ask the source: exchanges, ccxt, Freqtrade, MetaTrader and Yahoo stamp the beginning of a bar, some others its end.'),
    command(`Then say it: ${looks === null ? '--bar-time open or --bar-time close' : `--bar-time ${looks.barTime}`}.`),
  ];
  const rest = { severity: 'warning', advice, count: 1 } as const;
  if (read === null)
    return [
      {
        code: 'bars.time_unknown',
        text: `The file does not say whether its timestamps are the beginnings or the ends of the bars; they were read as the beginnings, so that no close counts too early.${seems}`,
        ...rest,
      },
    ];
  if (looks === null || looks.barTime === read) return [];
  return [{ code: 'bars.time_doubtful', text: `${readText(read)}${seems}`, ...rest }];
}
