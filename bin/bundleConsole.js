import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { shippedVersion } from './shippedVersion.js';

/** What the page loads, by its placeholder in index.html. */
const ENTRIES = {
  THEME: 'theme.ts',
  MAIN: 'main.ts',
  WORKER: 'worker/tickWorker.ts',
  REPLAY: 'worker/replayWorker.ts',
  // Loaded by the worker that forecasts: the engine with the shipped version.
  ENGINE: 'worker/openPageEngine.ts',
  STYLE: 'styles/console.css',
  // Not in index.html: src/service/http/docs finds them by their names.
  DOCS: 'api/docs.ts',
  DOCSSTYLE: 'styles/docs.css',
};
/** Parts of hyparquet that only a query uses, or columns of mixed types and shapes on maps: the page reads whole files of numbers and texts. */
const UNUSED_PARQUET = {
  bloom: `export const bloomEligibleColumns = () => new Set();
export const readBloomFilter = () => undefined, hashParquetValue = () => undefined, sbbfContains = () => true;`,
  filter: `export const canSkipRowGroup = () => false, matchFilter = () => true, filterPageRanges = () => undefined;
export const pathsNeededForFilter = () => [], columnsNeededForFilter = () => [];`,
  geoparquet: 'export const markGeoColumns = () => {};',
  wkb: 'export const wkbToGeojson = (bytes) => bytes;',
  variant: 'export const decodeVariantColumn = (values) => values;',
};
/** Errors that only a service throws: a page gets their words in an answer. */
const OF_SERVICE = /^(?:account|audit|auth|cors|key|limit|market|route|session|store|webhook)\./;
/** An image within a style, which the policy of the pages refuses: it becomes a file. */
const STYLE_IMAGE = /url\("data:image\/svg\+xml;charset=utf-8,((?:\\.|[^"\\])*)"\)/g;
/** Beyond this size, the best compression takes seconds of a start and gains a tenth. */
const MOST_BEST_BYTES = 1_200_000;
/** Browsers of the last years: nothing is rewritten for older ones. */
const TARGET = 'es2022';

/** The exchanges that the page connects to, as options of a list. */
async function exchangeOptions(esbuild, root) {
  const file = path.join(root, 'src', 'ticks', 'exchange', 'exchanges.ts');
  const { outputFiles } = await esbuild.build({ entryPoints: [file], bundle: true, write: false, format: 'esm', absWorkingDir: root });
  const { EXCHANGES } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return Object.entries(EXCHANGES)
    .map(([name, { title }]) => `<option value="${name}">${title}</option>`)
    .join('\n');
}

/**
 * Bundles src/console for the browser into OUT: scripts and styles under content-hashed names, index.html that names them, and each once more
 * compressed by gzip and brotli. A project without src/console gets none.
 *
 * @param {string} root folder of package.json
 * @param {string} out a folder that is made
 * @returns {Promise<string[]>} faults that keep it from being made, as lines of text
 * @throws ERR_MODULE_NOT_FOUND where esbuild is not installed
 */
export async function bundleConsole(root, out) {
  const from = path.join(root, 'src', 'console');
  if (!existsSync(from)) return [];
  const esbuild = await import('esbuild');
  const shipped = {
    name: 'shipped',
    setup: (build) => {
      build.onResolve({ filter: /^\.\/shipped\.js$/ }, () => ({ path: 'shipped', namespace: 'shipped' }));
      build.onLoad({ filter: /hyparquet[\\/]src[\\/](?:bloom|filter|geoparquet|variant|wkb)\.js$/ }, ({ path: file }) => ({
        contents: UNUSED_PARQUET[path.basename(file, '.js')],
      }));
      build.onLoad({ filter: /core[\\/]errorTable\.ts$/ }, async ({ path: file }) => {
        const { code } = await esbuild.transform(readFileSync(file, 'utf8'), { loader: 'ts' });
        const { ERROR_TABLE, ...others } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
        const rows = Object.entries(ERROR_TABLE).map(([name, row]) => [
          name,
          OF_SERVICE.test(name) ? { ...row, title: '', remedy: '' } : row,
        ]);
        const texts = Object.entries({ ERROR_TABLE: Object.fromEntries(rows), ...others });
        return { contents: texts.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join('') };
      });
      build.onLoad({ filter: /swagger-ui\.css$/ }, ({ path: file }) => ({
        loader: 'css',
        contents: readFileSync(file, 'utf8').replace(STYLE_IMAGE, (_, text) => {
          const image = Buffer.from(decodeURIComponent(text.replace(/\\(.)/g, '$1')));
          return `url("/console/${writeHashed(out, 'image.svg', image)}")`;
        }),
      }));
      build.onLoad({ filter: /^shipped$/, namespace: 'shipped' }, () => ({ contents: shippedVersion(root) }));
    },
  };
  mkdirSync(out, { recursive: true });
  const names = { ICON: writeHashed(out, 'icon.svg', readFileSync(path.join(from, 'icon.svg'))) };
  for (const [placeholder, entry] of Object.entries(ENTRIES)) {
    const built = await esbuild
      .build({
        entryPoints: [path.join(from, entry)],
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        // Parts of the page that most visits do not need are loaded when they are, and share files with it.
        ...(placeholder === 'MAIN' ? { splitting: true, outdir: out, entryNames: '[name].[hash]', chunkNames: 'part.[hash]' } : {}),
        target: TARGET,
        legalComments: 'none',
        logLevel: 'silent',
        absWorkingDir: root,
        plugins: [shipped],
        external: ['/console/*'],
      })
      .catch((error) => error);
    if (!('outputFiles' in built)) {
      const lines = await esbuild.formatMessages(built.errors ?? [{ text: String(built) }], { kind: 'error' });
      await esbuild.stop();
      return lines;
    }
    if (placeholder === 'MAIN') {
      for (const { path: file, contents } of built.outputFiles) writeAll(out, path.basename(file), contents);
      names.MAIN = path.basename(built.outputFiles.find(({ path: file }) => path.basename(file).startsWith('main.')).path);
      continue;
    }
    const extension = path.extname(entry) === '.css' ? '.css' : '.js';
    const name = placeholder === 'ENGINE' ? 'engine' : path.basename(entry, path.extname(entry));
    names[placeholder] = writeHashed(out, name + extension, built.outputFiles[0].contents);
  }
  const page = readPage(from);
  const options = page.includes('%EXCHANGES%') ? await exchangeOptions(esbuild, root) : '';
  await esbuild.stop();
  const named = page.replace('%EXCHANGES%', options).replace(/%([A-Z]+)%/g, (_, name) => `/console/${names[name]}`);
  writeAll(out, 'index.html', Buffer.from(named));
  return [];
}

/**
 * The page of the console; each view is a file of the folder page, for which `%NAME.html%` stands. Other placeholders stay.
 *
 * @param {string} from src/console
 * @returns {string}
 */
export function readPage(from) {
  const read = (...names) => readFileSync(path.join(from, ...names), 'utf8');
  return read('index.html').replace(/%(\w+\.html)%/g, (_, name) => read('page', name).trim());
}

/** `name.ext` becomes `name.<hash>.ext`: what a name stands for never changes, so that it may be kept for ever. */
function writeHashed(out, name, bytes) {
  const { name: stem, ext } = path.parse(name);
  const hashed = `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}${ext}`;
  writeAll(out, hashed, bytes);
  return hashed;
}

function writeAll(out, name, bytes) {
  writeFileSync(path.join(out, name), bytes);
  writeFileSync(path.join(out, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(
    path.join(out, `${name}.br`),
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > MOST_BEST_BYTES ? 9 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  );
}
