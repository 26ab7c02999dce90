/**
 * `npm run demo:page [FOLDER]`: writes the console with the engine, the shipped version and the sample as a folder that any static web server serves
 * (default: dist.demo). After it is loaded, the page makes no request: its policy forbids all of them. Prints the folder.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, build } from 'esbuild';
import { readPage } from '../bin/bundleConsole.js';
import { shippedVersion } from '../bin/shippedVersion.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const from = path.join(root, 'src', 'console');
const out = path.resolve(process.argv[2] ?? path.join(root, 'dist.demo'));
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  // Browsers ask for the icon of a link again at each change of the fragment.
  'img-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const OPTIONS = { bundle: true, minify: true, write: false, format: 'esm', target: 'es2022', legalComments: 'none', logLevel: 'error' };

/** Modules that this page has in place of a file: by the end of their path, the code. */
const instead = (modules) => ({
  name: 'instead',
  setup: (building) => {
    for (const end of Object.keys(modules)) {
      const filter = new RegExp(`/${end.replaceAll('.', '\\.')}$`);
      building.onResolve({ filter }, () => ({ path: end, namespace: 'instead' }));
    }
    building.onLoad({ filter: /./, namespace: 'instead' }, (asked) => ({ contents: modules[asked.path], loader: 'ts', resolveDir: from }));
  },
});
const bundled = async (entry, modules = {}) => {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [path.join(from, entry)], plugins: [instead(modules)] });
  return outputFiles[0].text;
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const reader = await bundled('worker/tickWorker.ts');
const shipped = shippedVersion(root);
const engine = await bundled('worker/replayWorker.ts', {
  'shipped.js': shipped,
  // The engine is part of the worker here.
  'loadEngine.ts': "import * as engines from './worker/openPageEngine.ts'; export const loadEngine = async () => engines;",
});
const { files } = await import(`data:text/javascript,${encodeURIComponent(shipped)}`);
const texts = Object.entries({ reader, engine, manifest: JSON.parse(files['manifest.json']) })
  .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
  .join('\n');
const names = {
  MAIN: write('console.js', await bundled('demo/main.ts', { 'texts.js': texts })),
  THEME: write('theme.js', await bundled('theme.ts')),
  STYLE: write('console.css', buildSync({ ...OPTIONS, entryPoints: [path.join(from, 'styles/console.css')] }).outputFiles[0].text),
  // This page connects to none.
  EXCHANGES: '',
  ICON: `data:image/svg+xml;base64,${readFileSync(path.join(from, 'icon.svg'), 'base64')}`,
};
const page = readPage(from)
  .replace(/ data-\w+="%[A-Z]+%"/g, '')
  .replace(/%([A-Z]+)%/g, (_, name) => names[name])
  .replace('<meta charset="utf-8" />', `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />`);
writeFileSync(path.join(out, 'index.html'), page);
process.stdout.write(`${out}\n`);

/** Under a name with a hash of its content. */
function write(name, content) {
  const { name: stem, ext } = path.parse(name);
  const hashed = `${stem}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}${ext}`;
  writeFileSync(path.join(out, hashed), content);
  return `./${hashed}`;
}
