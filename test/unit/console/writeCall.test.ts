import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { transformSync } from 'esbuild';
import { writeCall } from '../../../src/console/answer/writeCall.ts';

const body = {
  Timestamp: [
    '2024-01-02 09:32:00.001',
    '2024-01-02 09:32:00.002',
    '2024-01-02 09:32:00.003',
    '2024-01-02 09:32:00.004',
    '2024-01-02 09:33:00.000',
  ],
  Price: [1.5, 1.25, 1, 2, 0],
};
const PARTS = { url: 'http://127.0.0.1:8080', body, options: { minMoveBps: 2.5 }, model: null, isShort: false };

describe('the call as a program', () => {
  for (const language of ['curl', 'typescript', 'python'] as const) {
    it(`${language}: carries every tick and the threshold, and reads the key from the environment`, () => {
      const text = writeCall(language, PARTS);
      for (const stamp of body.Timestamp) expect(text).to.include(stamp);
      expect(text).to.include('[1.5, 1.25, 1, 2, 0]').and.include('2.5').and.include('TICKMARK_KEY');
      expect(text).to.not.include('tkm_live_');
    });

    it(`${language}: carries quotes, and their spread as the threshold`, () => {
      const text = writeCall(language, {
        ...PARTS,
        options: { minMoveBps: 'cost' },
        body: { Timestamp: body.Timestamp, Bid: body.Price, Ask: body.Price },
      });
      const cost = { curl: '&min_move_bps=cost&', typescript: ", minMoveBps: 'cost'", python: ', min_move_bps="cost"' };
      expect(text).to.include(cost[language]);
      expect(text).to.match(/"Timestamp": .*,\n +"Bid": \[1\.5, 1\.25, 1, 2, 0\],\n +"Ask": \[1\.5, 1\.25, 1, 2, 0\]/);
    });

    it(`${language}: says that bars are stamped at their ends`, () => {
      const text = writeCall(language, { ...PARTS, body: { Timestamp: body.Timestamp, Close: body.Price } });
      const said = { curl: "&bar_time=close'", typescript: ", barTime: 'close'", python: ', bar_time="close"' };
      expect(text).to.include(said[language]).and.include('"Close": [1.5, 1.25, 1, 2, 0]');
    });

    it(`${language}: names the version that was chosen`, () => {
      const named = { curl: '&model=mine&', typescript: ", model: 'mine'", python: ', model="mine"' };
      expect(writeCall(language, { ...PARTS, model: 'mine' })).to.include(named[language]);
      expect(writeCall(language, PARTS)).to.not.include('model');
    });

    it(`${language}: shows the ends of the lists on the screen`, () => {
      const long = { Timestamp: Array.from({ length: 500 }, (_, i) => `stamp ${i}`), Price: Array.from({ length: 500 }, (_, i) => i) };
      const text = writeCall(language, { ...PARTS, body: long, isShort: true });
      expect(text).to.include('"stamp 1", … 496 more …, "stamp 498"').and.include('[0, 1, … 496 more …, 498, 499]');
    });
  }

  it('is a program that Python reads', function () {
    for (const parts of [PARTS, { ...PARTS, body: null }]) {
      const read = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
        input: writeCall('python', parts),
        encoding: 'utf8',
      });
      if (read.error !== undefined) {
        process.stdout.write('  skipped: no python3 here\n');
        return this.skip();
      }
      expect([read.status, read.stderr]).to.deep.equal([0, '']);
    }
  });

  it('is a program that TypeScript reads', () => {
    for (const parts of [PARTS, { ...PARTS, body: null }]) {
      expect(() => transformSync(writeCall('typescript', parts), { loader: 'ts', logLevel: 'silent' })).not.to.throw();
    }
  });

  it('asks for the sample without a key', () => {
    expect(writeCall('curl', { ...PARTS, body: null })).to.equal("curl -s 'http://127.0.0.1:8080/sample/forecast'");
  });
});
