import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** Files of a version that a forecast needs, next to its manifest and the list of its weights. */
const TEXTS = ['golden.json', 'rules.json', 'market.json'];
const NO_HASH = '0'.repeat(64);

/**
 * The module `shipped.js` of tickmark-engine: the version that answers by default, the newest that was not trained on generated ticks, with the
 * short form of the sample of its training ticks, and of its training data only the times; and the rules of all versions.
 *
 * @param {string} root folder of package.json
 * @returns {string} JavaScript
 */
export function shippedVersion(root) {
  const models = path.join(root, 'models');
  const folders = readdirSync(models, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const manifests = folders.map(({ name }) => JSON.parse(readFileSync(path.join(models, name, 'manifest.json'), 'utf8')));
  const [manifest] = manifests.filter(({ synthetic }) => !synthetic).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  const file = (name) => path.join(models, manifest.id, name);
  const texts = TEXTS.filter((name) => existsSync(file(name))).map((name) => [name, readFileSync(file(name), 'utf8')]);
  const { weightsManifest, userDefinedMetadata: { memory, bars, seenTicks } = {} } = JSON.parse(readFileSync(file('model.json'), 'utf8'));
  const data = manifest.lineage.data.map((span) => ({ ...span, fileSha256: NO_HASH, days: [] }));
  const files = {
    'manifest.json': JSON.stringify({ ...manifest, lineage: { ...manifest.lineage, data } }),
    'model.json': JSON.stringify({
      weightsManifest,
      userDefinedMetadata: { memory, bars, seenTicks: seenTicks && shortSample(seenTicks) },
    }),
    'weights.bin': readFileSync(file('weights.bin')).toString('base64'),
    'card.md': '',
    ...Object.fromEntries(texts),
  };
  const rules = JSON.parse(readFileSync(path.join(root, 'rules', 'base-2.json'), 'utf8'));
  return Object.entries({ id: manifest.id, files, rules })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}

/** The form `tickmark-seen/2` of a sample, which src/engine/model/SeenTicks.ts reads: a sixth of the bytes after gzip. */
function shortSample({ hashes: base64 }) {
  const hashes = new Uint32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer);
  let [text, last] = ['', 0];
  for (const hash of hashes) {
    let gap = (hash >>> 10) - last;
    if (gap === 0 && text !== '') continue;
    last += gap;
    for (; gap >= 56; gap -= 56) text += String.fromCharCode(35 + 56);
    text += String.fromCharCode(35 + gap);
  }
  return { format: 'tickmark-seen/2', hashes: text };
}
