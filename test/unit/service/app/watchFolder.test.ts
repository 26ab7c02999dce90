import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { silentLogger, type LogFields, type Logger } from '../../../../src/core/Logger.ts';
import { LOOK_MS, watchFolder } from '../../../../src/service/app/watchFolder.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

describe('watchFolder', () => {
  let folder: string;
  let clock: FakeClock;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-users-'));
    clock = new FakeClock(Date.now());
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A service on the folder, and what it was told. */
  function service(on = folder) {
    const told: LogFields[] = [];
    const logger: Logger = { ...silentLogger, warn: (message, fields = {}) => void told.push({ message, ...fields }) };
    return { users: watchFolder(on, { clock, logger }), told };
  }
  const pass = (looks: number): void => {
    for (let look = 0; look < looks; look++) clock.advance(LOOK_MS);
  };

  it('tells each of two services of the other, once', () => {
    const [first, second] = [service(), service()];
    pass(5);
    for (const { told } of [first, second]) {
      expect(told).to.have.length(1);
      expect(told[0]?.['message']).to.include('DATA_DIR');
      expect(told[0]).to.include({ dataDir: folder, other: `process ${process.pid} on ${hostname()}` });
    }
  });

  it('tells nothing of a service that has stopped, was killed, or uses another folder', () => {
    const stopped = service();
    pass(2);
    stopped.users.close();
    expect(readdirSync(folder)).to.deep.equal([]);
    // Killed: its file is there, and its counter stands still.
    const left = path.join(folder, `running-${'0'.repeat(16)}.json`);
    writeFileSync(left, JSON.stringify({ pid: process.pid, host: hostname(), count: 7 }));
    const other = mkdtempSync(path.join(tmpdir(), 'tickmark-users-'));
    try {
      const [here, elsewhere] = [service(), service(other)];
      pass(5);
      expect([stopped.told, here.told, elsewhere.told]).to.deep.equal([[], [], []]);
      // A day later the file is removed.
      expect(readdirSync(folder)).to.have.length(2);
      utimesSync(left, 1, 1);
      pass(1);
      expect(readdirSync(folder)).to.have.length(1);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('goes on if the folder cannot be read or written', () => {
    const { users, told } = service();
    rmSync(folder, { recursive: true });
    pass(2);
    expect(told).to.deep.equal([]);
    users.close();
  });
});
