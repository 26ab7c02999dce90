import { cellSection, driftSection, probabilitySection, trainingSection } from './chartSections.ts';
import { escapeHtml } from './escapeHtml.ts';
import { renderTable } from './renderTable.ts';
import type { ReportData } from './ReportData.ts';
import { REPORT_STYLE } from './reportStyle.ts';

const KINDS: Readonly<Record<ReportData['kind'], string>> = {
  base: 'base, trunk and all heads trained',
  fine_tune: 'fine-tune of one head',
  evaluation: 'evaluation',
};

/** Blocks all loading, scripts and sending, whatever the data contain. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The report of one run as one HTML file: no scripts, no network access, light and dark, for phones and paper. The decision comes first, in
 * words. Pure: the same data give the same text. Values that are not finite are shown as such and left out of charts.
 */
export function renderReport(data: ReportData): string {
  const title = `${data.id}: ${data.kind === 'evaluation' ? 'evaluation' : 'training report'}`;
  const parts = [
    `<header><h1>${escapeHtml(data.id)}</h1><p class="facts">${escapeHtml(`${KINDS[data.kind]} · ${readableTime(data.createdAt)}`)}</p></header>`,
    decisionSection(data),
    data.tables.length === 0 ? '' : `<section><h2>Result</h2>${data.tables.map((table) => renderTable(table)).join('\n')}</section>`,
    probabilitySection(data),
    cellSection(data),
    trainingSection(data),
    driftSection(data),
    listSection('Setting', data.setting),
    listSection('Notes', data.notes),
    data.command === '' ? '' : `<section><h2>Command</h2><pre class="lines"><code>${escapeHtml(data.command)}</code></pre></section>`,
    '<footer>Made by tickmark. This file is self-contained: it loads nothing from the network.</footer>',
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
${parts.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`;
}

/** 2026-11-24T09:12:44.120Z as 2026-11-24 09:12:44 UTC; other texts unchanged. */
function readableTime(text: string): string {
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}

function listSection(title: string, sentences: readonly string[]): string {
  if (sentences.length === 0) return '';
  return `<section><h2>${title}</h2><ul>${sentences.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join('')}</ul></section>`;
}

/** The first section: passed or not in words and with a sign, checks, suggestions, next commands. */
function decisionSection({ verdict, nextSteps, synthetic }: ReportData): string {
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
