import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readSettings, type Settings } from '../../../src/core/config/settings.ts';
import { SETTINGS } from '../../../src/core/config/settingTable.ts';
import { ROUTES } from '../../../src/contract/routes.ts';
import { onPath } from '../../support/buildGo.ts';
import { type Manifest, renderChart } from '../../support/helmTools.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

type Probe = { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold: number };
type Container = {
  env: { name: string; value?: string; valueFrom?: { secretKeyRef?: object } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  lifecycle: { preStop: { exec: { command: string[] } } };
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
  command?: unknown;
};
type Pod = {
  terminationGracePeriodSeconds: number;
  securityContext: Record<string, unknown>;
  containers: [Container];
  volumes: { name: string }[];
};

const read = (...names: string[]): string => readFileSync(path.join(ROOT, ...names), 'utf8');

/** What Helm makes of the chart's own values. */
describe('the manifests of the chart', () => {
  const image = read('Dockerfile');
  const valueOf = (keyword: string): string => new RegExp(`^${keyword} (.*)$`, 'm').exec(image)?.[1] ?? '';
  const imageEnv = Object.fromEntries([...image.matchAll(/^(?:ENV|   ) ([A-Z_]+)=(\S+)/gm)].map(([, name = '', value]) => [name, value]));
  let manifests: Manifest[];
  let pod: Pod;
  let container: Container;
  let settings: Settings;

  before(async function () {
    manifests = await renderChart(this);
    pod = (manifests.find(({ kind }) => kind === 'Deployment')!.spec as { template: { spec: Pod } }).template.spec;
    [container] = pod.containers;
    const env = Object.fromEntries(container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
    settings = readSettings({ ...imageEnv, ...env, MONGODB_URI: 'mongodb://a.example.com/tickmark' });
  });

  it('sets only settings of the table, with values that the service accepts, and no secret', () => {
    for (const { name } of container.env) expect(SETTINGS).to.have.property(name);
    expect(container.env.find(({ name }) => name === 'MONGODB_URI')?.valueFrom?.secretKeyRef).to.deep.equal({
      name: 'tickmark-mongodb',
      key: 'MONGODB_URI',
    });
    expect([settings.limits.areShared, settings.workers]).to.deep.equal([true, 1]);
    // No proxy is part of it.
    expect(settings.trustProxy).to.equal(false);
    expect(JSON.stringify(manifests)).to.not.match(/mongodb(\+srv)?:\/\//);
  });

  it('runs as the user of the image, without privileges, and writes only where volumes are', () => {
    const [user, group] = valueOf('USER').split(':').map(Number);
    expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, runAsUser: user, runAsGroup: group, fsGroup: group });
    expect(container.securityContext).to.deep.include({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(container.securityContext['capabilities']).to.deep.equal({ drop: ['ALL'] });
    expect(pod.securityContext['seccompProfile']).to.deep.equal({ type: 'RuntimeDefault' });
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounts).to.deep.equal([imageEnv['DATA_DIR'], '/tmp']);
    for (const folder of [settings.dataDir, settings.modelsDir])
      expect(
        mounts.some((mount) => folder.startsWith(mount)),
        folder,
      ).to.equal(true);
    expect(container.command).to.equal(undefined);
  });

  it('reaches the ports that the service listens on', () => {
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).to.deep.equal({ http: settings.port, metrics: settings.metricsPort });
    expect(settings.port).to.equal(Number(valueOf('EXPOSE')));
    expect([settings.host, settings.metricsHost]).to.deep.equal(['0.0.0.0', '0.0.0.0']);
    const services = manifests
      .filter(({ kind }) => kind === 'Service')
      .flatMap(({ spec }) => (spec as { ports: { targetPort: string }[] }).ports);
    expect(services.map(({ targetPort }) => targetPort).sort()).to.deep.equal(Object.keys(ports));
  });

  it('asks routes of the service, and allows the start as long as the service does', () => {
    const { startupProbe, readinessProbe, livenessProbe } = container;
    const paths: readonly string[] = Object.values(ROUTES).map((route) => route.path);
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
      expect(paths).to.include(probe.httpGet.path);
      expect(probe.httpGet.port).to.equal('http');
    }
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).to.deep.equal(['/health/ready', '/health/live']);
    expect(1000 * startupProbe.periodSeconds * startupProbe.failureThreshold).to.be.at.least(settings.startTimeoutMs);
  });

  it('is killed only after the wait of preStop and the time to finish requests', () => {
    expect(valueOf('STOPSIGNAL')).to.equal('SIGTERM');
    const { command } = container.lifecycle.preStop.exec;
    expect(command[0]).to.equal('sleep');
    const waitS = Number(command[1]);
    expect(waitS).to.be.at.least(container.readinessProbe.periodSeconds);
    // Half a second for the log, and what was counted is written.
    expect(pod.terminationGracePeriodSeconds).to.be.at.least(waitS + settings.shutdownGraceMs / 1000 + 5);
  });
});

describe('the values of the chart', () => {
  it('refuse settings of the service that the chart sets from other values, and the URI, which belongs in a Secret', () => {
    const schema = JSON.parse(read('deploy', 'helm', 'tickmark', 'values.schema.json')) as {
      properties: { settings: { properties: object } };
    };
    for (const name of Object.keys(schema.properties.settings.properties)) expect(SETTINGS).to.have.property(name);
  });

  it('have the version of tickmark', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect((parse(read('deploy', 'helm', 'tickmark', 'Chart.yaml')) as { appVersion: string }).appVersion).to.equal(version);
  });
});

describe('deploy/compose.replicas.yaml', () => {
  const { services } = parse(read('deploy', 'compose.replicas.yaml'), { logLevel: 'silent' }) as {
    services: Record<string, { environment?: Record<string, string>; deploy?: { replicas: number }; ports?: string[] }>;
  };
  const haproxy = read('deploy', 'haproxy.cfg');

  it('runs as many replicas as HAProxy looks for, with state that they share', () => {
    const { environment = {}, deploy } = services['tickmark'];
    expect(haproxy).to.include(`server-template tickmark- ${deploy?.replicas} tickmark:8080`);
    for (const name of Object.keys(environment)) expect(SETTINGS).to.have.property(name);
    const settings = readSettings({ ...environment, MONGODB_URI: 'mongodb://mongo/tickmark' });
    expect([settings.limits.areShared, settings.trustProxy]).to.deep.equal([true, true]);
  });

  it('is reached through HAProxy, from this machine only', () => {
    expect(services['haproxy']?.ports).to.deep.equal(['127.0.0.1:8080:8080']);
    expect(read('deploy', 'compose.replicas.yaml')).to.match(/ports: !reset \[\]/);
  });

  it('logs each request: its lines are of level info, and a lower limit would drop them', () => {
    expect(haproxy).to.match(/^\s*log stdout format raw \w+ info$/m);
    for (const line of ['log global', 'option httplog', 'http-request capture req.hdr(X-Request-Id) len 64'])
      expect(haproxy).to.match(new RegExp(`^\\s*${line.replace(/[().]/g, '\\$&')}$`, 'm'));
  });

  it('has a configuration that HAProxy accepts', function () {
    const program = onPath('haproxy');
    if (program === undefined) {
      process.stdout.write('    skipped: haproxy is not on the PATH\n');
      this.skip();
    }
    const { status, stderr } = spawnSync(program, ['-c', '-f', path.join(ROOT, 'deploy', 'haproxy.cfg')], { encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  });
});
