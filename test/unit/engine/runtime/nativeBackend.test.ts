import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import { missingParts } from '../../../../src/engine/runtime/nativeBackend.ts';
import { installedParts, nativeParts } from '../../../../src/engine/runtime/nativeParts.ts';

describe('missingParts', () => {
  const installed = (variant: 'cpu' | 'cuda', tfjsNode: string) => ({
    parts: nativeParts('/somewhere', variant),
    record: { variant, tensorflow: '2.21.0', tfjsNode, wheels: {} },
  });

  it('accepts parts for the installed TensorFlow.js', () => {
    expect(missingParts(installed('cpu', tf.version_core))).to.equal(undefined);
  });

  it('names the command that installs missing parts', () => {
    expect(missingParts(undefined)).to.deep.equal({ reason: 'its libraries are not set up', remedy: 'run npm run setup:native' });
  });

  it('refuses parts for another TensorFlow.js before loading them, with the command of their variant', () => {
    const reason = `its parts are for TensorFlow.js 4.0.0, but tickmark uses ${tf.version_core}`;
    expect(missingParts(installed('cpu', '4.0.0'))).to.deep.equal({ reason, remedy: 'run npm run setup:native' });
    expect(missingParts(installed('cuda', '4.0.0'))).to.deep.equal({ reason, remedy: 'run npm run setup:native -- --cuda' });
  });
});

describe('installedParts', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'tickmark-parts-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const record = (variant: 'cpu' | 'cuda', text: string): void => {
    const parts = nativeParts(root, variant);
    mkdirSync(parts.folder, { recursive: true });
    writeFileSync(parts.record, text);
  };

  it('prefers CUDA to CPU, and skips a truncated record', () => {
    expect(installedParts(root)).to.equal(undefined);
    record('cpu', '{"tfjsNode":"4.22.0"}');
    record('cuda', '{"tfjsNode":');
    expect(installedParts(root)?.parts.variant).to.equal('cpu');
    record('cuda', '{"tfjsNode":"4.22.0"}');
    expect(installedParts(root)?.parts.variant).to.equal('cuda');
  });
});
