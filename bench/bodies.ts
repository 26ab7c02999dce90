import { compileBodyChecks } from '../src/contract/compileBodyChecks.ts';
import { ServiceError } from '../src/core/ServiceError.ts';
import { parseJsonBody } from '../src/service/http/parseJsonBody.ts';
import { hostileBodies } from '../test/support/hostileBodies.ts';
import type { Bench } from './Bench.ts';
import { measure } from './measure.ts';

const MEGABYTE_OF_NUMBERS = `[${'1,'.repeat(500_000)}1]`;

export const bench: Bench = {
  name: 'bodies',
  about: 'Event-loop time of hostile bodies of up to a megabyte until they are rejected.',
  async run() {
    const { tickRequest } = compileBodyChecks();
    const refuse = (bytes: Buffer): void => {
      try {
        tickRequest(parseJsonBody(bytes));
      } catch (error) {
        if (error instanceof ServiceError) return;
        throw error;
      }
      throw new Error('a hostile body was accepted');
    };
    const bodies = Object.entries(hostileBodies()).map(([what, text]) => ({ what, bytes: Buffer.from(text) }));
    const sides = [
      () => JSON.parse(MEGABYTE_OF_NUMBERS) as unknown,
      ...bodies.map(
        ({ bytes }) =>
          () =>
            refuse(bytes),
      ),
    ];
    const [peerUs = NaN, ...oursUs] = await measure(sides, { rounds: 15 });
    return bodies.map(({ what }, i) => ({
      what: `refuse "${what}"`,
      value: oursUs[i] / 1000,
      unit: 'ms',
      peer: 'JSON.parse of a megabyte of numbers',
      peerValue: peerUs / 1000,
      ratio: peerUs / oursUs[i],
      target: '<= 50 ms',
    }));
  },
};
