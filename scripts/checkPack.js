/**
 * `npm run test:pack`: packs service and client, installs both files into an empty project, and uses them like a user: `npx tickmark serve`, and
 * `import … from 'tickmark-client'` (its types: test/integration/clientPackage.test.ts). Also checks the size of the file, and
 * that it contains no tests and no paths of this machine. Needs the npm registry. Prints each check; exit code 1 if any fails.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.js';

const MAX_PACKED_MB = 3;
const TOPS = ['LICENSE', 'README.md', 'bin', 'dist', 'docs', 'models', 'package.json', 'rules', 'training'];
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const project = mkdtempSync(path.join(os.tmpdir(), 'tickmark-pack-'));
try {
  const file = run(root, process.execPath, 'scripts/pack.js', project).trim();
  const client = run(root, process.execPath, 'scripts/packClient.js', project).trim();
  const megabytes = statSync(file).size / 1e6;
  check(megabytes <= MAX_PACKED_MB, `the file has ${megabytes.toFixed(2)} MB; the limit is ${MAX_PACKED_MB}`);
  writeFileSync(path.join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  run(project, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', file, client);
  lookInside(path.join(project, 'node_modules', 'tickmark'));
  await serveAndAsk();
} finally {
  rmSync(project, { recursive: true, force: true });
}

function lookInside(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !name.startsWith(`node_modules${path.sep}`));
  const unexpected = names.filter((name) => !TOPS.includes(name.split(path.sep)[0]) || /\.test\.|(?<!\.d)\.ts$|\.log$/.test(name));
  check(unexpected.length === 0, `only ${TOPS.join(', ')}, and no tests or sources: ${unexpected.slice(0, 5).join(', ') || 'none'}`);
  // With a slash: `/root` alone stands in other texts too.
  const traces = [root, `${os.homedir()}/`, os.hostname()].filter((text) => text.length > 3);
  const marked = names.filter((name) => traces.some((text) => readFileSync(path.join(folder, name)).includes(text)));
  check(marked.length === 0, `no path or name of this machine in ${names.length} files: ${marked.slice(0, 5).join(', ') || 'none'}`);
}

async function serveAndAsk() {
  const server = spawn('npx', ['tickmark', 'serve'], {
    cwd: project,
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: path.join(project, 'data'), MONGODB_URI: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    const url = await new Promise((resolve, reject) => {
      let said = '';
      const hear = (chunk) => {
        said += chunk;
        const ready = /is ready on (http:\S+)/.exec(said);
        if (ready) resolve(ready[1]);
      };
      server.stdout.on('data', hear);
      server.stderr.on('data', hear);
      server.once('exit', () => reject(new Error(`npx tickmark serve exited:\n${said}`)));
    });
    writeFileSync(
      path.join(project, 'use.js'),
      `import { TickmarkClient } from 'tickmark-client';
const [baseUrl] = process.argv.slice(2);
const password = 'correct horse 42';
const { api_key: apiKey } = await new TickmarkClient({ baseUrl }).signUp({ email: 'a@example.com', password, confirm_password: password });
const client = new TickmarkClient({ baseUrl, apiKey });
const { trend_identified, detail } = await client.forecast(await client.sample(), { detail: true });
console.log(JSON.stringify({ trend_identified, probability: typeof detail.opportunity.probability }));
`,
    );
    const answer = JSON.parse(run(project, process.execPath, 'use.js', url));
    check(answer.probability === 'number', `npx tickmark serve answers the client in JavaScript: ${JSON.stringify(answer)}`);
  } finally {
    // npx and its children.
    process.kill(-server.pid, 'SIGTERM');
    await new Promise((resolve) => (server.exitCode === null && server.signalCode === null ? server.once('exit', resolve) : resolve()));
  }
}

function check(isSo, what) {
  process.stdout.write(`${isSo ? 'ok  ' : 'FAIL'} ${what}\n`);
  if (!isSo) process.exitCode = 1;
}
