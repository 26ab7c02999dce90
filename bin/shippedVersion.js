import { existsSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';

/** Files of a version that a forecast needs, next to its manifest and the list of its weights. */
const TEXTS = ['golden.json', 'rules.json', 'market.json'];

/**
 * The module `shipped.js` of tickmark-engine: the version that answers by default, the newest that was not trained on generated ticks, without the
 * sample and the list of its training data; and the rules of all versions.
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
  const { weightsManifest, userDefinedMetadata: { memory, bars } = {} } = JSON.parse(readFileSync(file('model.json'), 'utf8'));
  const files = {
    'manifest.json': JSON.stringify({ ...manifest, lineage: { ...manifest.lineage, data: [] } }),
    'model.json': JSON.stringify({ weightsManifest, userDefinedMetadata: { memory, bars } }),
    'weights.bin': readFileSync(file('weights.bin')).toString('base64'),
    'card.md': '',
    ...Object.fromEntries(texts),
  };
  const rules = JSON.parse(readFileSync(path.join(root, 'rules', 'base-2.json'), 'utf8'));
  return Object.entries({ id: manifest.id, files, rules })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}
