import { expect } from 'chai';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { NODE_DECODERS } from '../../../../src/ticks/import/bytes/nodeDecoders.ts';
import type { ImportOptions } from '../../../../src/ticks/import/ImportReport.ts';
import { caseTicks, type FileCase } from '../../../support/fileCase.ts';
import { FILE_CASES } from '../../../support/fileCases.ts';
import { importBytes, type Imported } from '../../../support/importBytes.ts';
import { optionsIn } from '../../../support/optionsIn.ts';

const NOW = { nowMs: Date.UTC(2026, 10, 1), ...NODE_DECODERS };
const read = (content: string | Uint8Array, options: Partial<ImportOptions> = {}): Promise<Imported> =>
  importBytes(content, { ...NOW, ...options });

function holdsTicks(imported: Imported, each: FileCase): boolean {
  try {
    expectTicks(imported, each);
    return true;
  } catch {
    return false;
  }
}

function expectTicks({ timesUs, prices }: Imported, { ticks }: FileCase): void {
  const source = caseTicks();
  const expected = ticks?.(source) ?? source;
  expect(timesUs).to.deep.equal(expected.map(({ us }) => us));
  expect(prices).to.deep.equal(expected.map(({ price }) => price));
}

describe('files as people have them', () => {
  for (const each of FILE_CASES) {
    const { name, write, refused, then, finding, plan } = each;
    if (refused === undefined)
      it(`are read: ${name}`, async () => {
        const imported = await read(write(caseTicks()));
        expectTicks(imported, each);
        if (finding !== undefined) expect(imported.report.notes.map(({ code }) => code)).to.include(finding);
        if (plan !== undefined) expect(imported.report.plan.join('\n')).to.include(plan);
      });
    else
      it(`are refused with a way on: ${name}`, async () => {
        const error = await read(write(caseTicks())).then(
          () => undefined,
          (thrown: unknown) => thrown as ServiceError,
        );
        expect(`${error?.message} ${error?.remedy}`).to.include(refused);
        if (then === undefined) return;
        expectTicks(await read(write(caseTicks()), then), each);
        // What `doctor --fix` does is no option.
        if ('order' in then || 'dropsMalformed' in then) return;
        const proposed = optionsIn(error!.remedy ?? '');
        const given = await Promise.all(proposed.map((options) => read(write(caseTicks()), options).catch(() => undefined)));
        expect(
          given.some((imported) => imported !== undefined && holdsTicks(imported, each)),
          error!.remedy,
        ).to.equal(true);
      });
  }
});
