import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';

// Written in two parts, so that the file itself stays free of the words.
const [WHO, AGAIN, FLIGHT] = ['who' + 'ever', 'a' + 'new', ['under', 'way']] as const;

describe('lintProse', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'tickmark-prose-'))));
  after(() => rmSync(folder, { recursive: true }));

  function lint(name: string, text: string): { code: number | null; findings: string[] } {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    const { status, stderr } = spawnSync(process.execPath, ['scripts/lintProse.js', file], { encoding: 'utf8' });
    return {
      code: status,
      findings: stderr
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('npm warn'))
        .map((line) => line.slice(file.length + 1)),
    };
  }

  it('names line, word and replacement in Markdown, whatever the case and across lines', () => {
    const text = `# Page\n\n${WHO[0].toUpperCase()}${WHO.slice(1)} asks is told ${AGAIN}.\nRequests ${FLIGHT[0]}\n${FLIGHT[1]} count.\n`;
    expect(lint('page.md', text)).to.deep.equal({
      code: 1,
      findings: [
        `3: "W${WHO.slice(1)}": use the name of who does it`,
        `3: "${AGAIN}": use again`,
        `4: "${FLIGHT.join(' ')}": use in flight, running`,
      ],
    });
  });

  it('leaves inline code and link targets of Markdown alone', () => {
    expect(lint('good.md', `The [page](0020-${WHO}-asks.md) and \`${WHO}\`.\n`)).to.deep.equal({ code: 0, findings: [] });
  });

  it('reads comments, strings and templates of programs, and nothing else of them', () => {
    const text = [
      `import { a } from './${AGAIN}.ts';`,
      `/** Requests ${FLIGHT[0]}`,
      ` * ${FLIGHT[1]}. */`,
      `const ${WHO} = a('${AGAIN} once');`,
      'const text = `is ${' + WHO + "} '" + AGAIN + '`; // ' + WHO,
    ];
    expect(lint('program.ts', text.join('\n')).findings.map((finding) => finding.split('": ')[0])).to.deep.equal([
      `2: "${FLIGHT.join(' ')}`,
      `4: "${AGAIN}`,
      `5: "${AGAIN}`,
      `5: "${WHO}`,
    ]);
  });
});
