import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../../../src/core/Clock.ts';
import type { Wheel } from '../../../../src/engine/native/pins.ts';
import { runProgram } from '../../../../src/engine/native/runProgram.ts';
import type { SetupContext } from '../../../../src/engine/native/SetupStep.ts';
import { unpackWheel } from '../../../../src/engine/native/downloadWheel.ts';
import { nativeParts } from '../../../../src/engine/runtime/nativeParts.ts';

const MAKE = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as wheel:
    def put(name, text, mode):
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (0o100000 | mode) << 16
        wheel.writestr(entry, text)
    put('tensorflow/libtensorflow_cc.so.2', 'library' * 10000, 0o644)
    put('tensorflow/bin/ptxas', 'program', 0o755)
    put('tensorflow/python/ops.py', 'not needed', 0o644)
`;
const WHEEL: Wheel = {
  project: 'tensorflow-cpu',
  version: '1.0',
  file: 'made_up-1.0.whl',
  sha256: '',
  bytes: 0,
  needed: ['tensorflow/libtensorflow_', 'tensorflow/bin/'],
  unpackedBytes: 0,
};

describe('unpacking a wheel with Python', () => {
  let root: string;
  let context: SetupContext;
  let file: string;
  before(function () {
    if (spawnSync('python3', ['--version']).status === 0) return;
    process.stdout.write('    skipped: there is no python3 on this machine\n');
    this.skip();
  });
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'tickmark unpack-'));
    const parts = nativeParts(root, 'cpu');
    file = path.join(parts.folder, 'wheels', WHEEL.file);
    mkdirSync(path.dirname(file), { recursive: true });
    spawnSync('python3', ['-c', MAKE, file]);
    context = {
      ...{ root, parts, wheels: [WHEEL], environment: process.env, run: runProgram, clock: systemClock, signal: undefined },
      tools: { python: 'python3', pipVersion: 0, nodeGyp: '', npm: '', headers: undefined },
      progress: () => {},
    };
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('unpacks the needed files, keeps execute permissions, and does not change a mapped file', async () => {
    const library = path.join(context.parts.tensorflow, 'libtensorflow_cc.so.2');
    mkdirSync(path.dirname(library), { recursive: true });
    writeFileSync(library, 'in use by a running service');
    const { ino } = statSync(library);
    expect(await unpackWheel(context, WHEEL)).to.deep.equal({ 'tensorflow/libtensorflow_cc.so.2': 70_000, 'tensorflow/bin/ptxas': 7 });
    expect(readdirSync(context.parts.tensorflow).sort()).to.deep.equal(['bin', 'libtensorflow_cc.so.2']);
    expect(readFileSync(library, 'utf8').length).to.equal(70_000);
    expect(statSync(library).ino).to.not.equal(ino);
    const rights = (name: string): number => statSync(path.join(context.parts.tensorflow, name)).mode & 0o777;
    expect([rights('bin/ptxas'), rights('libtensorflow_cc.so.2')]).to.deep.equal([0o755, 0o644]);
  });

  it('reports in one line a truncated wheel, and one without any needed file', async () => {
    const reason = async (wheel: Wheel): Promise<string> => unpackWheel(context, wheel).then(String, (error: Error) => error.message);
    expect(await reason({ ...WHEEL, needed: ['nvidia/'] })).to.equal(
      'made_up-1.0.whl could not be unpacked: ValueError: no file in it begins with nvidia/',
    );
    truncateSync(file, 100);
    expect(await reason(WHEEL)).to.equal('made_up-1.0.whl could not be unpacked: BadZipFile: File is not a zip file');
  });
});
