import { escapeHtml } from './escapeHtml.ts';
import type { ReportData } from './ReportData.ts';

/** The first section: passed or not in words and with a sign, checks, suggestions, next commands. */
export function decisionSection({ verdict, nextSteps, synthetic }: ReportData): string {
  const status = verdict === null ? 'evaluation' : verdict.passed ? 'passed' : 'failed';
  const word = { evaluation: 'Evaluation', passed: '✓ Passed', failed: '✗ Not passed' }[status];
  const headline = verdict === null ? 'No decision: this run evaluates an existing version.' : verdict.headline;
  const checks = (verdict?.checks ?? []).map(
    ({ holds, text }) =>
      `<li class="${holds ? 'holds' : 'fails'}"><span class="sign" aria-hidden="true">${holds ? '✓' : '✗'}</span><span><span class="spoken">${holds ? 'passed: ' : 'failed: '}</span>${escapeHtml(text)}</span></li>`,
  );
  const advice = (verdict?.advice ?? []).map((text) => `<li>${escapeHtml(text)}</li>`);
  const lines = nextSteps.map((line) => `<code>${escapeHtml(line)}</code>`);
  return [
    synthetic
      ? '<p class="banner"><b>Generated ticks:</b> a demonstration, not a model of any market. Such a version cannot be promoted.</p>'
      : '',
    `<section class="verdict ${status}" aria-label="result"><p class="status">${word}</p><p class="headline">${escapeHtml(headline)}</p></section>`,
    checks.length === 0 ? '' : `<section><h2>Why</h2><ul class="checks">${checks.join('')}</ul></section>`,
    advice.length === 0 ? '' : `<section><h2>What would help</h2><ul>${advice.join('')}</ul></section>`,
    lines.length === 0 ? '' : `<section><h2>Next</h2><pre class="lines">${lines.join('\n')}</pre></section>`,
  ].join('\n');
}
