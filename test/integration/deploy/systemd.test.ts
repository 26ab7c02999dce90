import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readSettings } from '../../../src/core/config/settings.ts';
import { SETTINGS } from '../../../src/core/config/settingTable.ts';
import { isSecretFile } from '../../../src/core/config/unknownSettings.ts';
import { onPath } from '../../support/buildGo.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const read = (...names: string[]): string => readFileSync(path.join(ROOT, ...names), 'utf8');
const unit = read('deploy', 'systemd', 'tickmark.service');
const page = read('docs', 'how-to', 'systemd.md');
const NODE = '/usr/bin/node';

/** Values of a directive, in order. */
const valuesOf = (name: string): string[] => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
const seconds = (text = ''): number => Number.parseInt(text, 10) * (text.endsWith('min') ? 60 : 1);

describe('the systemd unit', () => {
  it('passes systemd-analyze verify, and its security is rated at most 2 of 10', function () {
    const analyze = onPath('systemd-analyze');
    if (analyze === undefined) {
      process.stdout.write('    skipped: systemd-analyze is not on the PATH\n');
      this.skip();
    }
    const folder = temporaryFolder();
    const file = path.join(folder, 'tickmark.service');
    // The program must exist where it is tried.
    writeFileSync(file, unit.replaceAll(NODE, process.execPath));
    const run = (...args: readonly string[]) => spawnSync(analyze, [...args, file], { encoding: 'utf8' });
    const verified = run('verify', '--man=no');
    // A directive that it does not know is only a warning.
    expect(verified.stdout + verified.stderr).to.equal('');
    expect(verified.status).to.equal(0);
    const rated = run('security', '--offline=true');
    const rating = /Overall exposure level for \S+: ([\d.]+)/.exec(rated.stdout)?.[1];
    expect(Number(rating), rated.stdout + rated.stderr).to.be.at.most(2);
  });

  it('keeps its data in the folder that it may write to', () => {
    const { dataDir, modelsDir } = readSettings(parseEnv(read('deploy', 'systemd', 'tickmark.env')) as NodeJS.ProcessEnv);
    const folder = `/var/lib/${valuesOf('StateDirectory')[0]}`;
    expect(dataDir).to.equal(folder);
    expect(modelsDir.startsWith(`${folder}/`)).to.equal(true);
    expect(valuesOf('ProtectSystem')).to.deep.equal(['strict']);
  });

  it('has its settings where the backup and the commands have theirs, and none of its own', () => {
    const [backup, command] = [read('deploy', 'systemd', 'tickmark-backup.service'), read('deploy', 'systemd', 'tickmark')];
    for (const text of [unit, backup]) {
      expect(text.match(/^EnvironmentFile=.*$/gm)).to.deep.equal(['EnvironmentFile=/etc/tickmark/tickmark.env']);
      const own = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' ').map((pair) => pair.split('=')[0]));
      expect(own.filter((name) => name in SETTINGS || isSecretFile(name))).to.deep.equal([]);
      expect(text).to.not.include('LoadCredential');
    }
    expect(command)
      .to.include(' --env-file=/etc/tickmark/tickmark.env ')
      .and.include(`/opt/tickmark/node_modules/tickmark/bin/tickmark.js "$@"`);
    expect(page)
      .to.not.include('LoadCredential')
      .and.not.match(/env DATA_DIR=/);
  });

  it('lets a command have the settings of the file and nothing of its caller', () => {
    const folder = temporaryFolder();
    const [file, secret] = [path.join(folder, 'tickmark.env'), path.join(folder, 'mongodb-uri')];
    writeFileSync(secret, 'mongodb://user:pass@db.example.com/desk\n');
    const settings = read('deploy', 'systemd', 'tickmark.env').replace('/var/lib/tickmark', `${folder}/data`);
    writeFileSync(file, settings.replace(/^#(MONGODB_URI_FILE=).*$/m, `$1${secret}`));
    const script = read('deploy', 'systemd', 'tickmark')
      .replace('runuser --user tickmark -- ', '')
      .replace(NODE, process.execPath)
      .replace('/etc/tickmark/tickmark.env', file)
      .replace('/opt/tickmark/node_modules/tickmark', ROOT);
    const env = { ...process.env, DATA_DIR: '/elsewhere', LOG_LEVEL: 'debug', MONGODB_URI: 'mongodb://other.example.com' };
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script, 'tickmark', 'config', '--json'], { encoding: 'utf8', env });
    type Shown = { readonly settings: { name: string; value: string; source: string }[] };
    const shown = (JSON.parse(stdout) as Shown).settings.filter(({ source }) => source !== 'default');
    expect(Object.fromEntries(shown.map(({ name, value }) => [name, value])), stderr).to.deep.equal({
      DATA_DIR: `${folder}/data`,
      MONGODB_URI: '********',
    });
  });

  it('waits longer than the service takes to stop, and starts what the package contains', () => {
    const { shutdownGraceMs, shutdownDelayMs } = readSettings({});
    expect(seconds(valuesOf('TimeoutStopSec')[0])).to.be.above((shutdownGraceMs + shutdownDelayMs) / 1000 + 5);
    const { files, bin } = JSON.parse(read('package.json')) as { files: string[]; bin: { tickmark: string } };
    expect(files).to.include('bin');
    const base = '/opt/tickmark/node_modules/tickmark';
    expect(valuesOf('ExecStart')).to.deep.equal([`${NODE} ${base}/${bin.tickmark} serve`]);
    expect(valuesOf('ExecStartPost')[0]).to.include(`${NODE} ${base}/bin/healthCheck.js `);
    expect(read('bin', 'healthCheck.js')).to.include('/health/ready');
  });

  it('waits until the service is ready, and no longer than it runs', async () => {
    const command = /^\/bin\/sh -c '(.*)'$/.exec(valuesOf('ExecStartPost')[0] ?? '')?.[1] ?? '';
    // systemd reads $$ as $.
    const here = command.replaceAll('$$', '$').replaceAll(NODE, process.execPath).replace('/opt/tickmark/node_modules/tickmark', ROOT);
    const wait = (port: number, pid: number): Promise<number | null> =>
      new Promise((resolve) => {
        const child = spawn('/bin/sh', ['-c', here], { env: { PORT: String(port), MAINPID: String(pid) }, stdio: 'ignore' });
        child.once('close', resolve);
      });
    let asked = 0;
    // Ready at the second question.
    const server = createServer((_request, response) => response.writeHead(asked++ === 0 ? 503 : 200).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect([await wait(port, process.pid), asked]).to.deep.equal([0, 2]);
    await new Promise((resolve) => server.close(resolve));
    const { pid } = spawnSync(process.execPath, ['--version']);
    expect(await wait(port, pid)).to.equal(1);
  });
});

describe('the page without containers', () => {
  it('names settings that the service accepts, and the account store of the lock file', () => {
    const block = /```ini\n(DATA_DIR=[^`]*)```/.exec(page)?.[1] ?? '';
    const values = Object.fromEntries(
      block
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
    const settings = readSettings(values);
    expect([settings.trustProxy, settings.signup, settings.hostNames]).to.deep.equal([true, 'closed', ['ticks.example.com']]);
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version: string }> };
    const [, name = '', version] = /\.tgz (@libsql\/[\w-]+)@([\d.]+)/.exec(page) ?? [];
    expect(packages[`node_modules/${name}`]?.version).to.equal(version);
  });

  it('has proxies that ask whether the service is ready, and replace what callers may not choose', () => {
    const texts = [read('deploy', 'proxy', 'Caddyfile'), read('deploy', 'proxy', 'haproxy.cfg')];
    for (const text of texts) {
      expect(text)
        .to.include('127.0.0.1:8080')
        .and.include('/health/ready')
        .and.include('X-Request-Id')
        .and.match(/(del-header |-)traceparent/);
      expect(text).to.include('TRUST_PROXY=true and HOST_NAMES=ticks.example.com');
    }
  });

  for (const { program, file, args } of [
    { program: 'caddy', file: 'Caddyfile', args: ['validate', '--adapter', 'caddyfile', '--config'] },
    { program: 'haproxy', file: 'haproxy.cfg', args: ['-c', '-f'] },
  ])
    it(`has a ${file} that ${program} accepts`, function () {
      const found = onPath(program);
      if (found === undefined) {
        process.stdout.write(`    skipped: ${program} is not on the PATH\n`);
        this.skip();
      }
      const folder = temporaryFolder();
      const copy = path.join(folder, file);
      // Without a certificate and without rights to a log, which only the machine of the operator has.
      const text = read('deploy', 'proxy', file)
        .replace(/ ssl crt \S+ alpn \S+/, '')
        .replace('/var/log/caddy', folder);
      writeFileSync(copy, text);
      const { status, stdout, stderr } = spawnSync(found, [...args, copy], { encoding: 'utf8', env: { ...process.env, HOME: folder } });
      expect(status, stdout + stderr).to.equal(0);
    });
});
