/** Where the version of tickmark stands: each file, with what stands around the version there. `npm run release` changes all of them. */
export const VERSION_PLACES = {
  'package.json': [/^  "version": "(.*)",$/m],
  'package-lock.json': [/^  "version": "(.*)",$/m, /^      "name": "tickmark",\n      "version": "(.*)",$/m],
  'clients/typescript/package.json': [/^  "version": "(.*)",$/m],
  'clients/engine/package.json': [/^  "version": "(.*)",$/m],
  'clients/engine/README.md': [/tickmark-engine-([\d.]+)\.tgz/],
  'examples/engine/bot.js': [/tickmark-engine-([\d.]+)\.tgz/],
  'docs/how-to/engine.md': [/tickmark-engine-([\d.]+)\.tgz/],
  'clients/typescript/src/version.ts': [/^const VERSION = '(.*)';$/m],
  'clients/typescript/README.md': [/tickmark-client-([\d.]+)\.tgz/],
  'clients/python/src/tickmark/_version.py': [/^__version__ = "(.*)"$/m],
  Dockerfile: [/^ARG VERSION=(.*)$/m],
  'Dockerfile.gpu': [/^ARG VERSION=(.*)$/m],
  'deploy/helm/tickmark/Chart.yaml': [/^version: (.*)$/m, /^appVersion: '(.*)'$/m],
  'docs/how-to/clients.md': [/tickmark-client-([\d.]+)\.tgz/],
  'docs/how-to/kubernetes.md': [/\/tickmark:(\d[\d.]*)/g],
  'docs/tutorial/live-desk.md': [/tickmark-client-([\d.]+)\.tgz/],
};

/**
 * @param {string} text of a file
 * @param {readonly RegExp[]} patterns its places
 * @returns {string[]} the versions that are found
 */
export const versionsIn = (text, patterns) =>
  patterns.flatMap((pattern) =>
    (pattern.global ? [...text.matchAll(pattern)] : [pattern.exec(text) ?? ['']]).map(([, found]) => found ?? ''),
  );

/**
 * @param {string} text of a file
 * @param {readonly RegExp[]} patterns its places
 * @param {string} version
 * @returns {string} the text with this version
 */
export const withVersion = (text, patterns, version) =>
  patterns.reduce((changed, pattern) => changed.replace(pattern, (whole, found) => whole.replace(found, version)), text);
