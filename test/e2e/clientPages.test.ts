import { spawnSync, execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { readBlocks } from '../support/readBlocks.ts';
import { ROOT, serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';

const PYTHON = process.env['PYTHON'] ?? 'python3';

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd: ROOT, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

/** The output of the ten calls in each language: one line or more for each. */
function expectTenAnswers(stdout: string): void {
  expect(stdout)
    .to.include('displayed only once')
    .and.include('@example.com')
    .and.match(/^ready base-\S+ (wasm|native|cuda)/m);
  expect(stdout).to.include('request.invalid').and.include('/Price/0').and.include('laptop').and.include('revoked');
  expect(stdout).to.match(/^1 identified (null|None)$/m);
  expect(stdout.match(/^[012] [\d.]+ (1|null|None)$/gm), 'three windows of the stream').to.have.length(3);
  expect(stdout).to.match(/^forecast 2024-01-02 09:3\d:\d\d\.000 (1|null|None) 0\.\d+$/m);
  expect(stdout)
    .to.match(/^outcome \d+ (true|false|True|False) -?[\d.]+/m)
    .and.match(/^score \d+ (too_few|better|worse)$/m);
}

describe('the ten calls on the client pages', function () {
  this.timeout(120_000);
  let folder: string;
  let service: ServedProcess;
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-clients-'));
    // The pages import the package ws.
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    service = await serveTickmark(path.join(folder, 'data'));
  });
  after(async () => {
    service?.child.kill('SIGINT');
    await service?.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  const here = (code: string, email: string): string =>
    code.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('you@example.com', email);

  it('work in TypeScript, and pass its strict checks', async () => {
    const blocks = readBlocks(path.join(ROOT, 'docs', 'how-to', 'clients.md'), 'ts');
    expect(blocks).to.have.length(11);
    const client = path.join(ROOT, 'clients', 'typescript', 'src', 'index.ts');
    const file = path.join(folder, 'calls.ts');
    writeFileSync(file, here(blocks.join('\n'), 'ts@example.com').replaceAll("'tickmark-client'", `'${client}'`));
    const options = {
      extends: path.join(ROOT, 'tsconfig.test.json'),
      compilerOptions: {
        rootDir: '/',
        typeRoots: [path.join(ROOT, 'node_modules/@types')],
        types: ['node'],
        rewriteRelativeImportExtensions: false,
      },
      include: [file],
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(options));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    const checked = await run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    expect(checked.code, checked.stdout).to.equal(0);
    const ran = await run(process.execPath, ['--import', 'tsx', file]);
    expect(ran.code, ran.stderr).to.equal(0);
    expectTenAnswers(ran.stdout);
  });

  it('work in Python', async function () {
    if (spawnSync(PYTHON, ['-c', 'import httpx, websockets']).status !== 0) {
      process.stdout.write('    skipped: no python3 with httpx and websockets (PYTHON names another one)\n');
      this.skip();
    }
    const blocks = readBlocks(path.join(ROOT, 'clients', 'python', 'README.md'), 'python');
    expect(blocks).to.have.length(11);
    const file = path.join(folder, 'calls.py');
    writeFileSync(file, here(blocks.join('\n'), 'py@example.com'));
    const ran = await run(PYTHON, ['-B', file], { PYTHONPATH: path.join(ROOT, 'clients', 'python', 'src') });
    expect(ran.code, ran.stderr).to.equal(0);
    expectTenAnswers(ran.stdout);
  });
});
