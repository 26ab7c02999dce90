import { expect } from 'chai';
import { createApiKey } from '../../src/service/accounts/accountKeys.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { type AccountRig, startAccountService, suiteService } from '../support/accountService.ts';

const STEP_MS = 50;
const SECOND_MS = 1000;

describe('bad keys from the address of a valid key', () => {
  const clock = new SteppedClock();
  const rig = suiteService('sqlite', { LIMIT_FAILED_KEYS_PER_MINUTE: '60' }, { clock });

  const statusOf = async (key: unknown): Promise<number> => (await rig.withKey(key, '/auth/me')).status;
  const statusesOfBad = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, () => statusOf(createApiKey())));

  it('never cause the valid key to be refused: 20 requests a second for a minute, with 61 bad keys and then 2 a second', async function () {
    this.timeout(120_000);
    const key = (await rig.signUp('owner@example.com')).json['api_key'];
    const owner: number[] = [];
    const stranger: number[] = [];
    for (let atMs = 0; atMs < 60 * SECOND_MS; atMs += STEP_MS) {
      if (atMs === SECOND_MS) stranger.push(...(await statusesOfBad(61)));
      else if (atMs > SECOND_MS && atMs % 500 === 0) stranger.push(...(await statusesOfBad(1)));
      owner.push(await statusOf(key));
      clock.advance(STEP_MS);
    }
    const refused = owner.filter((status) => status !== 200).length;
    expect(refused, `refusals among ${owner.length} requests of the owner`).to.equal(0);
    const first = stranger.slice(0, 61);
    expect(first.filter((status) => status === 401)).to.have.length(60);
    expect(first.filter((status) => status === 429)).to.have.length(1);
    expect(stranger.slice(61)).to.deep.equal(Array(117).fill(429));
  });

  const warnings = ({ logged }: AccountRig): string[] => logged.filter((line) => line.includes('all callers share its address'));

  it('cause one warning that all callers share an address, if a proxy is in front and TRUST_PROXY is off', async () => {
    const before = warnings(rig).length;
    await rig.ask('/health/live');
    expect(before).to.equal(0);
    for (const field of ['X-Forwarded-For', 'Forwarded']) await rig.ask('/health/live', { headers: { [field]: '203.0.113.1' } });
    expect(warnings(rig)).to.have.length(1);
    expect(JSON.parse(warnings(rig)[0] ?? '')).to.have.property('level', 'warn');
    expect(warnings(rig)[0]).to.include('TRUST_PROXY=true');
  });

  it('cause the warning at the start too if HOST is public, and none if TRUST_PROXY is on', async () => {
    for (const [trusted, count] of [
      ['false', 1],
      ['true', 0],
    ] as const) {
      const other = await startAccountService(rig.place, { HOST: '0.0.0.0', TRUST_PROXY: trusted });
      try {
        await other.ask('/health/live', { headers: trusted === 'true' ? { 'X-Forwarded-For': '203.0.113.1' } : {} });
        expect(warnings(other), trusted).to.have.length(count);
      } finally {
        await other.close();
      }
    }
  });
});
