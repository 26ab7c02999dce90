// Part of `npm run lint`: fails on words that the texts of this project do not use (CONTRIBUTING.md, "Commits and pull requests").
// `node scripts/lintProse.js PATH…` checks other files and folders than those of CLEAN.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';

/** Files and folders that must stay free of these words. Add a folder as soon as it has no findings. */
const CLEAN = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'docs', 'deploy', 'scripts', 'site'],
  ...['src', 'bin', 'test', 'clients', 'training', 'bench', '.ci/run'],
];

/** Regular expressions of words that are not used, whatever their case, and what to write instead. A blank stands for any white space. */
const WORDS = [
  ['whoever|whosoever|whomever', 'the name of who does it'],
  ['nobody', 'the name of who does not, "nothing" or "no client"'],
  ['anew', 'again'],
  ['beside', 'next to, alongside, as well as'],
  ['mend(?:s|ed|ing)?', 'fix'],
  ['under way', 'in flight, running'],
  ['at hand', 'available'],
  ['in hand|at work|waiting places?', 'in flight, running, queued'],
  ['parcels?', 'payload'],
  ['what (?:it|this|that|they) (?:is|are) about', 'what it concerns'],
  ['verdicts?', 'result, decision'],
  ['judge?ments?', 'score, result, decision'],
  ['shall|thus|hereby', 'nothing, or must, so, by this'],
  ['process of the network|network process', 'inference process'],
  ['slow lane', 'serial executor'],
  ['body room', 'memory budget'],
  ['stray (?:errors?|rejections?|exceptions?)', 'unhandled error'],
];

/** Parts of names that are not used, in code and file contents alike. Released fields and values keep theirs: `gate.verdict`, `not_judged`. */
const NAMES = /\b(?!not_judged\b)\w*(?:[jJ]udg|[sS]tray|[pP]arcel|[sS]lowLane|[bB]odyRoom)\w*/g;

/** Where such a word has to stand, and why. */
const EXCEPTIONS = [
  { file: 'scripts/lintProse.js', words: /./, why: 'the table above' },
  { file: 'src/contract/answerExamples.ts', words: /^beside$/, why: 'a text of rules/base-2.json: a shipped rule set never changes' },
  { file: 'test/unit/engine/model/hostileFolders.test.ts', words: /^verdict$/, why: 'a field of manifest.json' },
  { file: 'clients/python/src/tickmark/_wire/catalog.py', words: /^verdict$/, why: 'a field of a catalog answer' },
  { file: 'training/report/reportStyle.ts', words: /^verdict$/, why: 'a class of the style sheet' },
];

const SPACE = '[\\s*/#>|]+';
const PATTERNS = WORDS.map(([words, use]) => ({ pattern: new RegExp(`\\b(?:${words.replaceAll(' ', SPACE)})\\b`, 'gi'), use }));
const TEXT_FILE = /\.(?:md|[cm]?[jt]s|py|sh|ya?ml|html)$|(?:^|\/)(?:Dockerfile[^/]*|run)$/;
const ELEMENT_NAME = /\b(?:class|id)="[^"]*"/g;
const TEXT_TOKEN = /String|Template|Comment/;
const NON_NULL_DIVIDED = /(?<=[\w\])])!(?=\s*\/[^/*])/g;
const NOT_OURS = /(?:^|\/)(?:node_modules|_engine|dist(?:\.[^/]+)?|__pycache__|\.vitepress\/(?:cache|dist|\.temp))\//;

/** The files of a path, itself where it is one. */
function filesOf(place) {
  if (!statSync(place).isDirectory()) return [place];
  const entries = readdirSync(place, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => path.join(entry.parentPath, entry.name));
  return files.filter((file) => TEXT_FILE.test(file) && !NOT_OURS.test(file)).sort();
}

/** The text with everything but line ends blanked, so that offsets stay. */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/** What a person reads of a file, at its offsets: no inline code and link targets of Markdown, no code of programs, no names of HTML elements. */
async function proseOf(file, text) {
  if (file.endsWith('.md')) return text.replace(/(?<!`)`[^`]+`(?!`)|(?<=\])\([^()\s]*\)/g, blank);
  if (!/\.[cm]?[jt]s$/.test(file)) return text.replace(ELEMENT_NAME, blank);
  const { default: tokensOf } = await import('js-tokens');
  let prose = '';
  // A "!" of TypeScript before a division would make the rest of the line a regular expression.
  for (const { type, value } of tokensOf(text.replace(NON_NULL_DIVIDED, ' '))) {
    const isPath = type === 'StringLiteral' && /(?:\bfrom|\bimport\(?)\s*$/.test(text.slice(Math.max(0, prose.length - 20), prose.length));
    prose += TEXT_TOKEN.test(type) && !isPath ? value : blank(value);
  }
  return prose.replace(ELEMENT_NAME, blank);
}

async function findingsOf(file) {
  const text = readFileSync(file, 'utf8');
  const isCode = /\.[cm]?[jt]s$/.test(file) && file !== 'scripts/lintProse.js';
  const names = isCode ? [...text.matchAll(NAMES)] : [];
  return [...(await wordsOf(file, text)), ...names.map(({ 0: word, index }) => ({ word, index, use: 'the term of the field' }))]
    .sort((a, b) => a.index - b.index)
    .map(({ word, index, use }) => `${file}:${text.slice(0, index).split('\n').length}: "${word.replace(/[\s*/#>|]+/g, ' ')}": use ${use}`);
}

async function wordsOf(file, text) {
  // Most files have none of the words at all: those are not parsed.
  if (!PATTERNS.some(({ pattern }) => text.search(pattern) >= 0)) return [];
  const prose = await proseOf(file, text);
  const exceptions = EXCEPTIONS.filter((exception) => file === exception.file);
  return PATTERNS.flatMap(({ pattern, use }) => [...prose.matchAll(pattern)].map(({ 0: word, index }) => ({ word, index, use }))).filter(
    ({ word }) => !exceptions.some(({ words }) => words.test(word)),
  );
}

const asked = process.argv.slice(2);
const files = (asked.length > 0 ? asked : CLEAN).flatMap(filesOf);
const findings = (await Promise.all(files.map(findingsOf))).flat();
for (const finding of findings) console.error(finding);
console.log(`${files.length} files, ${findings.length} words that the texts of this project do not use`);
process.exitCode = findings.length === 0 ? 0 : 1;
