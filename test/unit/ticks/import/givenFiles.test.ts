import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { NODE_DECODERS } from '../../../../src/ticks/import/bytes/nodeDecoders.ts';
import type { ImportOptions } from '../../../../src/ticks/import/ImportReport.ts';
import { formatTimestamp } from '../../../../src/ticks/timestamps.ts';
import { GIVEN_FILES } from '../../../support/givenFiles.ts';
import { importBytes } from '../../../support/importBytes.ts';
import { optionsIn } from '../../../support/optionsIn.ts';
import { GIVEN_FILES_DIR, GIVEN_FILES_SKIPPED, hasGivenFiles } from '../../../support/realTicks.ts';

const FIX = 'doctor FILE --fix';

async function reading(name: string, options: Partial<ImportOptions> = {}): Promise<string> {
  const bytes = new Uint8Array(readFileSync(path.join(GIVEN_FILES_DIR, name)));
  const { timesUs, prices } = await importBytes(bytes, { name, nowMs: Date.UTC(2026, 10, 1), ...NODE_DECODERS, ...options });
  const tick = (at: number): string => `${formatTimestamp(timesUs.at(at)!)} ${prices.at(at)!}`;
  return `${prices.length} ${tick(0)} .. ${tick(-1)}`;
}

function skipWithoutFiles(this: Mocha.Context): void {
  if (hasGivenFiles) return;
  process.stderr.write(`${GIVEN_FILES_SKIPPED}\n`);
  this.skip();
}

describe('the files of vendors and of bug reports', () => {
  before(skipWithoutFiles);

  it('are all in the table', () => {
    expect(Object.keys(GIVEN_FILES)).to.have.members(readdirSync(GIVEN_FILES_DIR).filter((name) => name !== 'README.md'));
  });

  for (const [name, row] of Object.entries(GIVEN_FILES)) {
    const [expected = '', command] = row.split(/ with (?=--|doctor)/);
    it(`${name}: ${row}`, async () => {
      if (!row.startsWith('refused: ') && command === undefined) {
        expect(await reading(name)).to.equal(expected);
        return;
      }
      const error = await reading(name).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(ServiceError);
      const { message, remedy = '' } = error as ServiceError;
      if (command === undefined) {
        expect(message).to.include(row.slice('refused: '.length));
        return;
      }
      expect(remedy).to.include(command);
      const options = command === FIX ? { order: 'sort' as const, dropsMalformed: true } : optionsIn(command)[0];
      expect(await reading(name, options)).to.equal(expected);
    });
  }
});
