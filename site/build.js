/**
 * `npm run docs`: builds the Markdown into `dist.site`, with the static console in `demo`, and fails on a dead link. The tool is installed on the first run, in `site/`
 * alone: who runs the service never downloads it. DOCS_BASE is the path that the site will be served from (`/` by default).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const site = path.dirname(fileURLToPath(import.meta.url));
const tool = path.join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
if (!existsSync(tool)) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], site);
run(process.execPath, [tool, 'build', site], path.dirname(site));
run(process.execPath, [path.join('scripts', 'demoPage.js'), path.join('dist.site', 'demo')], path.dirname(site));

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error !== undefined) process.stderr.write(`${command}: ${error.message}\n`);
  if (status !== 0) process.exit(status ?? 1);
}
