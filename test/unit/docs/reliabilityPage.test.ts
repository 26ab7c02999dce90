import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../support/tickmarkProcess.ts';

const PAGE = 'docs/explanation/reliability.md';
/** Folders whose comments and test titles cite rows. */
const FOLDERS = ['src', 'test', 'training', 'bench'];

type Title = { readonly kind: string; readonly text: string; readonly at: number };
type Cited = { readonly file: string; readonly titles: readonly string[] };
type Row = { readonly number: number; readonly cited: readonly Cited[] };

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** The rows of all tables that begin with a number, with the tests of their fourth cell; the fifth says what they do not prove. */
function rowsOf(page: string): Row[] {
  return [...page.matchAll(/^\| (\d+) \| [^|]* \| [^|]* \| ([^|]*) \| [^|]{10,} \|$/gm)].map(([, number, tests = '']) => ({
    number: Number(number),
    cited: [...tests.matchAll(/`(test\/[^`]+)`: `([^`]+)`/g)].map(([, file = '', titles = '']) => ({ file, titles: titles.split(' › ') })),
  }));
}

/** Titles of `describe` and `it`, in the order of the file. A template keeps its `${…}`. */
function titlesOf(source: string): Title[] {
  return [...source.matchAll(/\b(describe|it)\(\s*(['"`])((?:\\.|(?!\2).)*)\2/gs)].map(({ 1: kind = '', 3: text = '', index }) => ({
    kind,
    text: text.replace(/\\(['"`])/g, '$1'),
    at: index,
  }));
}

/** Whether a title is this text, or a template whose `${…}` stand for texts of the file. */
function isTitle(title: string, wanted: string, source: string): boolean {
  if (title === wanted) return true;
  const parts = title.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const [, ...holes] = new RegExp(`^${parts.join('(.+)')}$`, 's').exec(wanted) ?? [];
  return holes.length > 0 && holes.every((hole) => source.includes(hole));
}

/** Whether the titles of "describe › it" stand in the file, in that order. */
function hasTest({ file, titles }: Cited): boolean {
  const source = read(file);
  const all = titlesOf(source);
  let from = -1;
  for (const [i, wanted] of titles.entries()) {
    const kind = i === titles.length - 1 ? 'it' : 'describe';
    const found = all.find((title) => title.at > from && title.kind === kind && isTitle(title.text, wanted, source));
    if (found === undefined) return false;
    from = found.at;
  }
  return true;
}

/** Numbers in "(row 29)", "(rows 20 and 23)", "reliability.md, row 33" and "rows 1 to 7, 10 of docs/explanation/reliability.md". */
function rowsCited(source: string): number[] {
  const list = '(\\d+(?:(?:, | and | to )\\d+)*)';
  const forms = [`\\(rows? ${list}\\)`, `reliability(?:\\.md,)? rows? ${list}`, `rows? ${list} of \\S*reliability\\.md`];
  return forms.flatMap((form) =>
    [...source.matchAll(new RegExp(form, 'gi'))].flatMap(([, numbers = '']) =>
      numbers.split(/, | and /).flatMap((span) => {
        const [first = 0, last = first] = span.split(' to ').map(Number);
        return Array.from({ length: last - first + 1 }, (_, i) => first + i);
      }),
    ),
  );
}

describe(PAGE, () => {
  const page = read(PAGE);
  const rows = rowsOf(page);

  it('has five cells in each row, and gives it a number of its own', () => {
    expect(rows).to.have.length.of.at.least(50);
    expect(page.match(/^\| *\d/gm)).to.have.length(rows.length);
    expect(new Set(rows.map(({ number }) => number)).size).to.equal(rows.length);
    expect(page.match(/`test\//g), 'a file without a title').to.have.length(rows.flatMap(({ cited }) => cited).length);
  });

  for (const { number, cited } of rows)
    it(`row ${number} names tests that exist`, () => {
      expect(cited).to.have.length.above(0);
      for (const each of cited) {
        expect(existsSync(path.join(ROOT, each.file)), each.file).to.equal(true);
        expect(hasTest(each), `${each.file}: ${each.titles.join(' › ')}`).to.equal(true);
      }
    });

  it('has every row that a comment or a test title cites', () => {
    const known = new Set(rows.map(({ number }) => number));
    let count = 0;
    for (const folder of FOLDERS)
      for (const name of readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(ts|tsx|mjs)$/.test(name)) continue;
        for (const number of rowsCited(read(path.join(folder, name)))) {
          count++;
          expect(known.has(number), `${folder}/${name}: row ${number}`).to.equal(true);
        }
      }
    expect(count).to.be.above(40);
  });
});
