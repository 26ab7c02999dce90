import { expect } from 'chai';
import { plain, ProgressLine, visibleOutput } from '../../../src/cli/CliContext.ts';
import { cliRun } from '../../support/cliRun.ts';

/** What passes through each output. */
function written(): { texts: string[]; output: ReturnType<typeof visibleOutput> } {
  const texts: string[] = [];
  const write = (text: string): void => void texts.push(text);
  return { texts, output: visibleOutput({ out: write, err: write }) };
}

const HOSTILE: Readonly<Record<string, string>> = {
  'a title': '\x1b]0;owned\x07',
  'a clipboard write': '\x1b]52;c;cm0gLXJm\x1b\\',
  'an erased screen': '\x1b[2J\x1b[H',
  'an erased line': '\r\x1b[2K',
  'a hidden text': '\x1b[8mhidden\x1b[0m',
  'a one-byte CSI': '\x9b31m',
  'a backspace': 'a\bb',
  'a delete': 'a\x7fb',
  'a reversed text': '\u202egnp.exe',
  'a line separator': 'a\u2028b',
  'a NUL': '\0',
};

describe('output of a command (row 92)', () => {
  for (const [what, text] of Object.entries(HOSTILE))
    it(`shows ${what} as its code, and JSON keeps its meaning`, () => {
      const { texts, output } = written();
      for (const write of [output.out, output.err, output.announce]) write(`x ${text} y\n`);
      for (const each of texts)
        expect(each)
          .to.match(/^x [\x20-\x7e]* y\n$/)
          .and.include('\\u');
      output.out(JSON.stringify({ text }));
      expect(JSON.parse(texts[3])).to.deep.equal({ text });
      expect(texts[3]).to.match(/^[\x20-\x7e]*$/);
      expect(plain(`${text}\n`)).to.match(/^[\x20-\x7e]*\\u000a$/);
    });

  it('passes on colours of the command, progress, other letters, line ends and tabs', () => {
    const { texts, output } = written();
    const good = '\x1b[32mgood\x1b[39m \x1b[2mfaint\x1b[22m\té 日本 עברית 🙂\n';
    output.out(good);
    new ProgressLine(output.err, true, () => 0).show('half \x1b[2J', true);
    expect(texts).to.deep.equal([good, '\r\x1b[2Khalf \\u001b[2J']);
  });

  it('is that of every command', async () => {
    const { err } = await cliRun({}, 'import', '\x1b]0;owned\x07');
    expect(err).to.include('owned').and.not.include('\x1b');
  });
});
