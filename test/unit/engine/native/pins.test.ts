import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../../src/core/packageRoot.ts';
import { TENSORFLOW_VERSION, TFJS_NODE_VERSION, WHEELS } from '../../../../src/engine/native/pins.ts';

describe('the pins', () => {
  it('name the same TensorFlow.js as package.json', () => {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
      optionalDependencies: Record<string, string>;
    };
    expect(dependencies['@tensorflow/tfjs-core']).to.equal(TFJS_NODE_VERSION);
    expect(optionalDependencies['@tensorflow/tfjs-node-gpu']).to.equal(TFJS_NODE_VERSION);
  });

  for (const [variant, wheels] of Object.entries(WHEELS))
    it(`of ${variant} are complete: a hash, sizes, and paths that no other wheel has`, () => {
      expect(wheels[0]?.version).to.equal(TENSORFLOW_VERSION);
      for (const { file, sha256, bytes, unpackedBytes, needed } of wheels) {
        expect(sha256, file).to.match(/^[0-9a-f]{64}$/);
        expect(Math.min(bytes, unpackedBytes, needed.length), file).to.be.greaterThan(0);
        expect(file).to.match(/x86_64\.whl$/);
      }
      const beginnings = wheels.flatMap(({ needed }) => needed);
      expect(new Set(beginnings).size).to.equal(beginnings.length);
    });
});
