import type { ReportData } from '../../training/report/ReportData.ts';

/** A complete report of a rejected fine-tune: two instruments, two horizons, one network. Tests override the parts that they check. */
export function sampleReport(changes: Partial<ReportData> = {}): ReportData {
  const bins = [0.05, 0.15, 0.3].map((p) => ({ p, rate: p + 0.01, low: p - 0.02, high: p + 0.04, n: 400 }));
  const cell = { n: 900, baseRate: 0.18, ewma: 0.58, served: 0.6 };
  return {
    id: 'my-scalp',
    createdAt: '2026-11-24T09:12:44.120Z',
    kind: 'fine_tune',
    synthetic: false,
    command: "tickmark train --data 'ticks/*.csv.gz' --name my-scalp",
    verdict: {
      passed: false,
      headline: 'Not better than the base, kept the old one.',
      checks: [
        { holds: false, text: 'Pooled AUC against the base: lower bound −0.016, required above −0.002.' },
        { holds: true, text: 'Brier skill +0.012, required at least −0.003.' },
      ],
      advice: ['More days.'],
    },
    nextSteps: ['tickmark models list'],
    setting: ['Walk-forward over 3 days.'],
    tables: [
      { title: 'Against EWMA', about: 'On the same origins.', head: ['', 'EWMA', 'network'], rows: [['AUC, pooled', '0.591', '0.632']] },
    ],
    curves: [
      {
        name: 'all rows',
        training: [10, 20, 30].map((step) => ({ step, loss: 5 / step })),
        validation: [15, 30].map((step) => ({ step, loss: 6 / step })),
        bestStep: 30,
      },
    ],
    reliability: [
      { name: 'candidate', bins },
      { name: 'EWMA', bins },
    ],
    precision: [{ name: 'candidate', points: [0.01, 0.1, 1].map((coverage) => ({ coverage, precision: 0.4 - 0.2 * coverage })) }],
    baseRate: 0.18,
    cells: [
      { ...cell, instrument: 'eurusd', horizonS: 10, candidate: 0.64, counts: true },
      { ...cell, instrument: 'eurusd', horizonS: 60, candidate: 0.57, counts: true },
      { ...cell, instrument: 'thin-bond', horizonS: 10, candidate: 0.7, n: 12, counts: false },
    ],
    drift: [
      { column: 'log_h_over_gap', trainMean: 0.1, testMean: 0.3, trainStd: 1.1, psi: 0.31 },
      { column: 'zero_share', trainMean: 0.4, testMean: 0.41, trainStd: 0.2, psi: 0.02 },
    ],
    notes: ['No direction is called.'],
    ...changes,
  };
}
