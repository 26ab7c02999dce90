import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { ModelSlots } from '../../../../src/engine/inference/ModelSlots.ts';
import type { ModelFolder } from '../../../../src/engine/model/modelFiles.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { smallManifest } from '../../../support/smallModel.ts';

describe('ModelSlots', () => {
  /** What is on the backend, by the names it has there. */
  let open: Set<string>;
  let slots: ModelSlots;
  const version = (id: string, card = ''): ModelFolder =>
    ({ manifest: { ...smallManifest(id), files: {} }, card, weights: {}, golden: { rows: [] } }) as unknown as ModelFolder;

  beforeEach(async () => {
    open = new Set();
    slots = new ModelSlots({
      open: async (networkId, { manifest }) => {
        if (manifest.id === 'bad') throw new ServiceError('model.refused', 'bad');
        open.add(networkId);
      },
      drop: (networkId) => void open.delete(networkId),
    });
    slots.swap([await slots.prepare(version('a')), await slots.prepare(version('b'))], [], 'a');
  });
  const on = (id: string): string => slots.find(id)?.networkId ?? '';

  it('shows nothing of a prepared version until it is swapped in', async () => {
    const prepared = await slots.prepare(version('c'));
    expect([open.size, slots.find('c'), slots.list().length]).to.deep.equal([3, undefined, 2]);
    slots.swap([prepared], [], 'c');
    expect([slots.defaultId, slots.list().map(({ id }) => id)]).to.deep.equal(['c', ['a', 'b', 'c']]);
  });

  it('keeps a version that is held on the backend until its last holder lets go, once each', async () => {
    const [first, second] = [slots.hold('a'), slots.hold('a')];
    const network = on('a');
    slots.swap([], ['a'], 'b');
    expect([slots.find('a'), slots.hold('a'), open.has(network)]).to.deep.equal([undefined, undefined, true]);
    first?.release();
    first?.release();
    expect(open.has(network)).to.equal(true);
    second?.release();
    expect([...open]).to.deep.equal([on('b')]);
  });

  it('drops a version without holders at once, and replaces one under its own name', async () => {
    const held = slots.hold('a');
    slots.swap([await slots.prepare(version('a', 'new'))], ['b'], 'a');
    expect(slots.find('a')?.card).to.equal('new');
    expect([open.size, held?.model.networkId === on('a')]).to.deep.equal([2, false]);
    held?.release();
    expect([...open]).to.deep.equal([on('a')]);
  });

  it('frees a prepared version that is discarded', async () => {
    slots.discard(await slots.prepare(version('c')));
    expect([...open]).to.deep.equal([on('a'), on('b')]);
  });

  it('finds the newest version of a market by its name, whatever the order in which they came', async () => {
    const ids = ['eu-2026-11-20', 'eu-2026-11-27', 'eu-2025-12-31', 'eu-2026-13', 'eurusd-2026-12-04'];
    for (const id of ids) slots.swap([await slots.prepare(version(id))], [], 'a');
    expect(['eu', 'eu-2026-11-20', 'eurusd', 'eu-', 'e', 'a', ''].map((id) => slots.find(id)?.id)).to.deep.equal([
      ...['eu-2026-11-27', 'eu-2026-11-20', 'eurusd-2026-12-04', undefined, undefined, 'a', undefined],
    ]);
    const held = slots.hold('eu');
    slots.swap([], ['eu-2026-11-27'], 'a');
    expect([held?.model.id, slots.find('eu')?.id, slots.hold('eu')?.model.id]).to.deep.equal([
      ...['eu-2026-11-27', 'eu-2026-11-20', 'eu-2026-11-20'],
    ]);
    // An id is itself before it is a name.
    slots.swap([await slots.prepare(version('eu'))], [], 'a');
    expect(slots.find('eu')?.id).to.equal('eu');
  });

  it('withdraws a version that could not be opened again; the fallback answers in place of a default', () => {
    const network = on('a');
    slots.withdraw(network, 'b');
    expect([slots.defaultId, slots.find('a'), open.has(network)]).to.deep.equal(['b', undefined, true]);
    slots.withdraw('unknown#1', null);
    expect(() => slots.withdraw(on('b'), null)).to.throw('the default version b was refused, and no other can take its place');
    expect(() => slots.withdraw(on('b'), 'b')).to.throw('the default version b was refused');
    expect(slots.defaultId).to.equal('b');
  });

  it('stays as it is when a version is refused, or the default would be missing', async () => {
    expect((await serviceErrorOf(slots.prepare(version('bad')))).code).to.equal('model.refused');
    expect(() => slots.swap([], ['a'], 'a')).to.throw('not among the versions');
    expect([slots.defaultId, slots.list().length, open.size]).to.deep.equal(['a', 2, 2]);
  });
});
