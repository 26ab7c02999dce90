import type { Advice, Finding, Severity } from '../ImportReport.ts';

export const finding = (code: string, severity: Severity, text: string, advice: readonly Advice[], count = 1): Finding => ({
  ...{ code, severity, text, advice, count },
});

export const source = (text: string): Advice => ({ code: 'source', text });
export const command = (text: string): Advice => ({ code: 'command', text });
export const nothing = (text: string): Advice => ({ code: 'nothing_to_do', text });
/** About rows that cannot be read. */
export const SO_MANY = 'So many are no slips: correct them, or export the file again.';
export const percent = (fraction: number): string => `${Number((100 * fraction).toPrecision(2))} %`;

export function duration(us: number): string {
  const s = us / 1e6;
  if (s < 1) return `${Number((s * 1000).toPrecision(2))} ms`;
  if (s < 120) return `${Number(s.toPrecision(2))} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  return s < 172_800 ? `${Number((s / 3600).toFixed(1))} h` : `${Number((s / 86_400).toFixed(1))} days`;
}
