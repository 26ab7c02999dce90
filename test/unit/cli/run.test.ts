import { expect } from 'chai';
import { cliRun } from '../../support/cliRun.ts';

const runCli = (...argv: string[]) => cliRun({}, ...argv);

describe('the command line', () => {
  it('explains a failed start in JSON lines where LOG_FORMAT is json', async () => {
    const env = { LOG_FORMAT: 'json', PORT: 'many' };
    const [{ err }, wrong] = [await cliRun(env, 'serve'), await cliRun(env, 'serve', '--nope')];
    expect(JSON.parse(err)).to.include({ code: 'settings.invalid' });
    expect(wrong.code).to.equal(2);
    const lines = wrong.err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    expect(lines[0]).to.deep.equal({ level: 'error', msg: "error: unknown option '--nope'" });
  });

  it('prints help with examples on request, exit code 0', async () => {
    /** Every command below one, by the list in its help. */
    const commandsOf = async (path: readonly string[]): Promise<string[][]> => {
      const { code, out } = await runCli(...path, '--help');
      const name = path.join(' ') || 'tickmark';
      expect([code, out.includes('Examples:'), out.includes('--json')], name).to.deep.equal([0, true, true]);
      const list = /\nCommands:\n((?: .*\n)+)/.exec(out)?.[1] ?? '';
      const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, found]) => found!).filter((found) => found !== 'help');
      const below = await Promise.all(names.map((found) => commandsOf([...path, found])));
      return [...names.map((found) => [...path, found]), ...below.flat()];
    };
    const all = (await commandsOf([])).map((path) => path.join(' '));
    expect(all).to.include.members(['serve', 'replay', 'models promote', 'accounts delete', 'keys issue', 'rules diff', 'demo']);
  });

  it('prints the version', async () => {
    expect(await runCli('--version')).to.deep.include({ code: 0, err: '' });
  });

  it('takes no command at all as wrong usage and shows the help', async () => {
    const { code, err } = await runCli();
    expect([code, err.includes('Usage: tickmark')]).to.deep.equal([2, true]);
  });

  it('suggests the nearest command and option', async () => {
    expect(await runCli('serv')).to.deep.include({ code: 2 });
    expect((await runCli('serv')).err).to.include('Did you mean serve?');
    expect((await runCli('predict', 'x.csv', '--horizn', '60s')).err).to.include('Did you mean --horizon?');
  });

  it('ends with 2 on wrong usage, naming the option', async () => {
    const wrong: [string[], string][] = [
      [['predict'], "missing required argument 'file'"],
      [['predict', 'x.csv'], '--horizon <duration>'],
      [['predict', 'x.csv', '--horizon', '10'], 'Did you mean 10s or 10min?'],
      [['predict', 'x.csv', '--horizon', '60s', '--columns', 'tme=When'], 'did you mean time?'],
      [['doctor', '-', '--fix'], '--fix reads the file twice'],
      [['predict', 'x.csv', '--horizon', '60s', '--ticks', '198'], 'whole number from 199 to 3000'],
      [['predict', 'x.csv', 'y.csv', '--horizon', '60s'], 'too many arguments'],
      [['models', 'show'], "missing required argument 'id'"],
      [['train', '--synthetic', '--name', '../evil'], '--name'],
      [['train', '--horizon', '60s', '--preset', 'scalp'], '--horizon, --preset and --base exclude each other'],
      [['train', '--horizon', '60'], '10s, 60s, 5m, 1h or 1d'],
      [['train', '--until', 'tomorrow'], '2024-01-31'],
      [['evaluate', 'base-1'], '--data'],
      [['evaluate', 'base-1', '--data', 'x.csv', '--horizons', '10s,soon'], 'soon'],
      [['rules', 'diff', 'x.json'], "missing required argument 'b'"],
    ];
    for (const [argv, text] of wrong) {
      const { code, err } = await runCli(...argv);
      expect([code, err.includes(text)], `${argv.join(' ')}: ${err}`).to.deep.equal([2, true]);
    }
  });

  it('ends with 1 on a failure, saying what, why and what to do, without a stack', async () => {
    const { code, out, err } = await runCli('predict', '/nowhere/ticks.csv', '--horizon', '60s');
    expect([code, out]).to.deep.equal([1, '']);
    expect(err).to.match(/^tickmark: A file cannot be read\.\n {2}.*\/nowhere\/ticks\.csv.*\n {2}What to do: .+\n$/);
    expect(err).to.not.match(/\n\s+at /);
  });

  it('shows the stack of a failure with --debug', async () => {
    expect((await runCli('predict', '/nowhere/ticks.csv', '--horizon', '60s', '--debug')).err).to.match(/\n\s+at /);
  });

  it('gives a failure as one JSON value with --json', async () => {
    const { code, err } = await runCli('predict', '/nowhere/ticks.csv', '--horizon', '60s', '--json');
    expect(code).to.equal(1);
    expect(JSON.parse(err)).to.include({ code: 'file.unreadable' });
  });
});
