import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { buildEngineChild } from '../../../scripts/buildEngine.js';
import { replayOrigins } from '../../../src/engine/forecast/replayTicks.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

describe('the child of tickmark-engine', () => {
  const child = mkdtempSync(path.join(tmpdir(), 'tickmark-engine-child-'));
  after(() => rmSync(child, { recursive: true }));

  it('answers the calls of another program in a child, which ends with its input', () => {
    const { timesUs, prices } = syntheticTicks({ seed: 46, count: 500 });
    buildEngineChild(child);
    const call = (text: object, ...columns: Float64Array[]): Buffer => {
      const bytes = Buffer.from(JSON.stringify({ id: 0, options: {}, columns: {}, closed: [], ...text }));
      const head = Buffer.alloc(4);
      head.writeUInt32LE(bytes.length);
      return Buffer.concat([head, bytes, ...columns.map(({ buffer }) => Buffer.from(buffer))]);
    };
    const columns = { Timestamp: 500, Price: 500 };
    const input = Buffer.concat([
      call({ call: 'open' }),
      call({ call: 'forecast', options: { horizon: '60s', min_move_bps: 2 }, columns }, timesUs, prices),
      call({ call: 'forecast', options: { horizon: '60s', min_move_bps: 0 }, columns }, timesUs, prices),
      call({ call: 'replay', options: { horizon: '10s', ticks: 300, range: [0.9] }, columns }, timesUs, prices),
    ]);
    const { stdout, status, stderr } = spawnSync(process.execPath, [path.join(child, 'child.js')], { input });
    expect([status, String(stderr)]).to.deep.equal([0, '']);
    const answers: Record<string, unknown>[] = [];
    for (let at = 0; at < stdout.length;) {
      const end = at + 4 + stdout.readUInt32LE(at);
      const answer = JSON.parse(stdout.toString('utf8', at + 4, end)) as { columns: [string, number][] };
      const lists = answer.columns.map(([name, length], i) => {
        const from = end + 8 * answer.columns.slice(0, i).reduce((sum, [, before]) => sum + before, 0);
        return [name, new Float64Array(Uint8Array.from(stdout.subarray(from, from + 8 * length)).buffer)] as const;
      });
      answers.push({ ...answer, columns: Object.fromEntries(lists) });
      at = end + 8 * answer.columns.reduce((sum, [, length]) => sum + length, 0);
    }
    const [hello, opened, forecast, refused, replayed] = answers;
    expect([hello!['node'], opened!['version']]).to.deep.equal([process.versions.node, readdirSync(path.join(ROOT, 'models'))[0]]);
    expect(forecast).to.have.nested.property('answer.detail.opportunity.min_move_bps', 2);
    expect(refused).to.have.nested.property('problem.errors[0].pointer', '?min_move_bps');
    const names = ['timestamp', 'price', 'trend_identified', 'probability', 'baseline_probability', 'min_move_bps', 'move_bps', 'outcome'];
    const found = replayed!['columns'] as Record<string, Float64Array>;
    expect(Object.keys(found)).to.deep.equal([...names, 'outcome_missing', 'reasons', 'seen_in_training', 'low_90', 'high_90']);
    const origins = replayOrigins({ timesUs, prices }, { ticks: 300, horizonUs: 10e6, everyUs: 11e6 });
    expect([replayed!['independent'], found['timestamp'].length]).to.deep.equal([true, origins.length]);
  });
});
