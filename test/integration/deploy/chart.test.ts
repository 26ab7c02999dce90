import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, helmTools, KUBE_VERSION, type Manifest, renderText } from '../../support/helmTools.ts';
import { blocksOf } from '../../support/pageBlocks.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

type Pod = {
  volumes: { name: string }[];
  terminationGracePeriodSeconds: number;
  containers: [{ env: { name: string; value?: string }[]; startupProbe: { periodSeconds: number; failureThreshold: number } }];
};

/** Settings that ports, probes, volumes and the time to stop depend on; the URI contains a password. */
const SET_BY_CHART = ['DATA_DIR', 'HOST', 'METRICS_HOST', 'METRICS_PORT', 'MONGODB_URI', 'PORT', 'SHUTDOWN_GRACE_MS', 'WORKERS'];
/** Those of the peers of a NetworkPolicy. */
const FROM_INGRESS = 'networkPolicy.ingressFrom[0].namespaceSelector.matchLabels.name=ingress-nginx';
const FROM_MONITORING = 'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name=monitoring';

/** Options of `helm template`, the kinds that appear, and what else must be true of the text. */
const MATRIX: readonly {
  readonly title: string;
  readonly args: readonly string[];
  readonly kinds?: readonly string[];
  readonly has?: RegExp;
}[] = [
  { title: 'defaults', args: [], kinds: ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service', 'ServiceAccount'] },
  {
    title: 'a GPU in each pod',
    args: ['--set', 'runtimeClassName=nvidia,settings.RUNTIME_BACKEND=cuda,resources.limits.nvidia\\.com/gpu=1'],
    has: /runtimeClassName: nvidia[^]*name: RUNTIME_BACKEND\n\s+value: "cuda"[^]*limits:[^]*nvidia.com\/gpu: 1/,
  },
  {
    title: 'an ingress with TLS',
    args: [
      ...['--set', 'ingress.enabled=true,ingress.className=nginx,ingress.tls[0].secretName=t,ingress.tls[0].hosts[0]=a.example.com'],
      ...['--set', FROM_INGRESS],
    ],
    has: /port: http \}\n\s+from:\n\s+- namespaceSelector:[^]*name: SIGNUP\n\s+value: "closed"[^]*ingressClassName: nginx/,
  },
  {
    title: 'rules, versions and a private certificate authority in volumes',
    args: [
      ...['--set-json', 'extraVolumes=[{"name":"rules","configMap":{"name":"r"}},{"name":"ca","secret":{"secretName":"c"}}]'],
      ...['--set-json', 'extraVolumeMounts=[{"name":"rules","mountPath":"/rules"},{"name":"ca","mountPath":"/ca","readOnly":true}]'],
      ...['--set-json', 'extraEnv=[{"name":"NODE_EXTRA_CA_CERTS","value":"/ca/ca.crt"}]'],
      ...['--set', 'settings.RULES_FILE=/rules/mine.json,settings.MODELS_DIR=/models'],
    ],
    has: /volumeMounts:[^]*mountPath: \/rules\n[^]*volumes:[^]*configMap:\n\s+name: r\n/,
  },
  {
    title: 'the Prometheus Operator and Grafana',
    args: [
      '--set',
      'metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true,metrics.dashboard.enabled=true,metrics.serviceMonitor.labels.release=p',
      ...['--set', FROM_MONITORING],
    ],
    has: /kind: ConfigMap[^]*kind: PrometheusRule[^]*kind: ServiceMonitor/,
  },
  {
    title: 'no metrics',
    args: ['--set', 'metrics.enabled=false,metrics.serviceMonitor.enabled=true'],
    has: /name: METRICS_PORT\n\s+value: "0"/,
  },
  {
    title: 'fewer parts',
    args: ['--set', 'networkPolicy.enabled=false,podDisruptionBudget.enabled=false,serviceAccount.create=false,topologySpread.keys=null'],
    kinds: ['Deployment', 'Service', 'Service'],
  },
  {
    title: 'settings, scheduling and an image by digest',
    args: [
      ...['--set', 'settings.KEY_CACHE_MS=1000,settings.LOG_LEVEL=warn,workers=2,image.digest=sha256:abc,priorityClassName=high'],
      ...[
        '--set',
        'nodeSelector.pool=tick,podAnnotations.a=b,podLabels.c=d,imagePullSecrets[0].name=s,networkPolicy.mongodbPorts={27017,27018},networkPolicy.otherPorts={443,4318}',
      ],
      ...['--set-json', 'networkPolicy.ingressFrom=[{"namespaceSelector":{"matchLabels":{"a":"b"}}}]'],
      ...['--set-json', 'affinity={"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}'],
      ...['--set-json', 'extraEnv=[{"name":"MODEL","valueFrom":{"configMapKeyRef":{"name":"m","key":"k"}}}]'],
      ...['--set-json', 'networkPolicy.mongodbTo=[{"ipBlock":{"cidr":"10.0.0.0/8"}}]'],
    ],
    has: /image: "tickmark@sha256:abc"[^]*name: KEY_CACHE_MS\n\s+value: "1000"[^]*name: WORKERS\n\s+value: "2"/,
  },
  {
    title: 'a backup each night',
    args: ['--set', `backup.enabled=true,backup.existingClaim=backups,backup.keepDays=7,fullnameOverride=${'long-'.repeat(12)}x`],
    has: /kind: CronJob[^]*schedule: "17 3 \* \* \*"[^]*backup --verify "\$new"[^]*-mtime "\+7"[^]*claimName: backups/,
  },
  { title: 'a short and a long name', args: ['--set', `nameOverride=t,fullnameOverride=${'long-'.repeat(12)}x`] },
];

describe('the Helm chart', () => {
  it('passes helm lint', async function () {
    const { code, out, err } = (await helmTools(this)).helm('lint', '--strict', '--kube-version', KUBE_VERSION, CHART);
    expect(code, out + err).to.equal(0);
  });

  for (const { title, args, kinds, has } of MATRIX)
    it(`renders manifests that Kubernetes accepts: ${title}`, async function () {
      const out = await renderText(this, args);
      const manifests = parseAllDocuments(out).map((document) => document.toJS() as Manifest);
      const { decode } = await helmTools(this);
      expect(decode(out)).to.have.length(manifests.length);
      if (kinds !== undefined) expect(manifests.map(({ kind }) => kind).sort()).to.deep.equal(kinds);
      if (has !== undefined) expect(out).to.match(has);
      for (const { kind, metadata } of manifests) expect(metadata.name, kind).to.match(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(new Set(names).size, names.join()).to.equal(names.length);
    });

  it('is checked by a decoder that refuses a misspelt field, a wrong type and an unknown kind', async function () {
    const { decode } = await helmTools(this);
    const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\nspec:\n  ports: [{ port: 80 }]\n';
    expect(decode(service)).to.deep.equal(['/v1, Kind=Service *v1.Service']);
    for (const [from, to] of [
      ['ports:', 'port:'],
      ['80', 'eighty'],
      ['kind: Service', 'kind: Servise'],
      ['name: a', 'name: a, name: b'],
    ])
      expect(() => decode(service.replace(from as string, to as string)), to).to.throw(/manifest 1: /);
    expect(() => decode('# nothing\n')).to.throw('no manifest');
  });

  it('refuses an ingress without TLS, no Secret, and values that it does not have or that have another type', async function () {
    const wrong: readonly [string, RegExp][] = [
      [`ingress.enabled=true,${FROM_INGRESS}`, /ingress\.tls is required: keys travel in a header/],
      ['ingress.enabled=true,ingress.tls[0].secretName=t', /networkPolicy\.ingressFrom is required/],
      ['service.type=LoadBalancer', /networkPolicy\.ingressFrom is required/],
      ['service.type=NodePort', /networkPolicy\.ingressFrom is required/],
      ['metrics.serviceMonitor.enabled=true', /networkPolicy\.metricsFrom is required/],
      ['data.sizeLimit=2 GB', /sizeLimit/],
      ['resources.limits.memory=1GB', /memory/],
      ['resources.limit.memory=1Gi', /limit/],
      ['extraVolumes[0].nam=a', /extraVolumes/],
      ['extraVolumeMounts[0].name=a,extraVolumeMounts[0].mountPath=rules', /mountPath/],
      ['extraEnv[0].name=1A', /extraEnv/],
      ['imagePullSecrets[0]=s', /imagePullSecrets/],
      ['ingress.hosts[0].host=https://a.example.com', /host/],
      ['ingress.hosts[0].host=a.example.com,ingress.hosts[0].path=api', /path/],
      ['networkPolicy.ingressFrom[0].namespace=a', /ingressFrom/],
      ['networkPolicy.ingressFrom[0]=null', /ingressFrom/],
      ['metrics.serviceMonitor.interval=15', /interval/],
      ['podDisruptionBudget.maxUnavailable=half', /maxUnavailable/],
      ['mongodb.existingSecret=', /existingSecret/],
      ['backup.enabled=true', /backup\.existingClaim is required/],
      ['backup.schedule=daily', /schedule/],
      ['backup.keepDays=0', /keepDays/],
      ['replicas=3', /replicas/],
      ['replicaCount=many', /replicaCount/],
      ['service.type=ExternalName', /type/],
      ['shutdownGraceMs=400000', /shutdownGraceMs/],
      ['settings.key_cache_ms=1', /key_cache_ms/],
      ['settings.MODEL[0]=a', /MODEL/],
      ...SET_BY_CHART.map((name): [string, RegExp] => [`settings.${name}=1`, new RegExp(name)]),
    ];
    const { helm } = await helmTools(this);
    for (const [set, message] of wrong) {
      const { code, err } = helm('template', CHART, '--kube-version', KUBE_VERSION, '--set', set);
      expect([code !== 0, message.test(err)], `${set}: ${err}`).to.deep.equal([true, true]);
    }
  });

  /** What Helm makes of a file of values, whose numbers it reads as float64. */
  const renderValues = (test: Mocha.Context, values: string, ...args: readonly string[]): Promise<string> => {
    const file = path.join(temporaryFolder(), 'values.yaml');
    writeFileSync(file, values);
    return renderText(test, ['--values', file, ...args]);
  };
  /** Environment and pod of the Deployment. */
  const deploymentOf = async (test: Mocha.Context, values: object): Promise<{ env: Record<string, string>; pod: Pod }> => {
    const text = await renderValues(test, JSON.stringify(values), '--show-only', 'templates/deployment.yaml');
    const pod = (parse(text) as { spec: { template: { spec: Pod } } }).spec.template.spec;
    return { env: Object.fromEntries(pod.containers[0].env.map(({ name, value = '' }) => [name, value])), pod };
  };

  it('writes numbers and booleans of settings as the service reads them', async function () {
    const settings = { BODY_LIMIT_BYTES: 2097152, OTEL_TRACES_SAMPLER_ARG: 0.25, LIMITS_SHARED: false, LOG_FORMAT: 'text' };
    const { env } = await deploymentOf(this, { settings });
    expect(env).to.deep.include({
      BODY_LIMIT_BYTES: '2097152',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      LIMITS_SHARED: 'false',
      LOG_FORMAT: 'text',
    });
  });

  const ingress = { enabled: true, tls: [{ secretName: 't' }] };
  const networkPolicy = { ingressFrom: [{ podSelector: { matchLabels: { app: 'proxy' } } }] };

  it('leaves sign-up open where no one outside the cluster reaches the service, and trusts X-Forwarded-For of an ingress, unless settings say otherwise', async function () {
    for (const [values, signup, trusted] of [
      [{}, undefined, 'false'],
      [{ ingress }, 'closed', 'true'],
      [{ service: { type: 'LoadBalancer' } }, 'closed', 'false'],
      [{ service: { type: 'NodePort' } }, 'closed', 'false'],
      [{ ingress, settings: { SIGNUP: 'open', TRUST_PROXY: false } }, 'open', 'false'],
      [{ settings: { SIGNUP: 'closed', TRUST_PROXY: true } }, 'closed', 'true'],
    ] as const) {
      const { env } = await deploymentOf(this, { networkPolicy, ...values });
      expect([env['SIGNUP'], env['TRUST_PROXY']], JSON.stringify(values)).to.deep.equal([signup, trusted]);
    }
  });

  it('lets no pod call the service or read the metrics that is not named', async function () {
    const policyOf = async (...args: readonly string[]): Promise<{ ingress: object[] }> =>
      (parse(await renderText(this, [...args, '--show-only', 'templates/networkpolicy.yaml'])) as { spec: { ingress: object[] } }).spec;
    const port = (name: string) => [{ protocol: 'TCP', port: name }];
    const from = (name: string) => [{ namespaceSelector: { matchLabels: { name } } }];
    expect((await policyOf()).ingress).to.deep.equal([]);
    expect((await policyOf('--set', FROM_MONITORING)).ingress).to.deep.equal([{ ports: port('metrics'), from: from('monitoring') }]);
    expect((await policyOf('--set', `${FROM_MONITORING},${FROM_INGRESS}`)).ingress).to.deep.equal([
      { ports: port('http'), from: from('ingress-nginx') },
      { ports: port('metrics'), from: from('monitoring') },
    ]);
    expect((await policyOf('--set', `${FROM_MONITORING},metrics.enabled=false`)).ingress).to.deep.equal([]);
  });

  it('limits the disk space of a pod to no less than its volumes may hold', async function () {
    const out = await renderText(this, ['--show-only', 'templates/deployment.yaml']);
    const limit = /limits:\n(?:\s+\S+: \S+\n)*?\s+ephemeral-storage: (\d+)Gi/.exec(out)?.[1];
    const data = /emptyDir:\n\s+sizeLimit: (\d+)Gi/.exec(out)?.[1];
    expect(Number(limit)).to.be.above(Number(data) + 0.25);
  });

  it('gives a pod the time that its settings allow, to start and to stop', async function () {
    const probed = ({ periodSeconds, failureThreshold }: Pod['containers'][0]['startupProbe']): number => periodSeconds * failureThreshold;
    const { pod: usual } = await deploymentOf(this, {});
    const { pod } = await deploymentOf(this, {
      settings: { START_TIMEOUT_MS: 3600000, SHUTDOWN_DELAY_MS: '15500' },
      shutdownGraceMs: 60000,
    });
    expect([usual, pod].map(({ containers }) => probed(containers[0].startupProbe))).to.deep.equal([500, 3620]);
    // preStop, SHUTDOWN_DELAY_MS and shutdownGraceMs, in whole seconds, and 10 s.
    expect([usual, pod].map((each) => each.terminationGracePeriodSeconds)).to.deep.equal([5 + 20 + 10, 5 + 76 + 10]);
  });

  it('accepts the values of the pages', async function () {
    const { decode } = await helmTools(this);
    const blocks = blocksOf('docs/how-to/kubernetes.md').filter(({ language }) => language === 'yaml');
    const rendered: string[] = [];
    for (const { code } of blocks) {
      rendered.push(await renderValues(this, code));
      expect(decode(rendered.at(-1)!)).to.not.be.empty;
    }
    expect(rendered[0]).to.match(/kind: Ingress[^]*kind: PrometheusRule[^]*kind: ServiceMonitor/);
    expect(rendered[1]).to.match(/mountPath: \/rules[^]*name: my-rules/);
  });

  it('has each value in a template, and no file that Helm would ignore', () => {
    const templates = readdirSync(path.join(CHART, 'templates')).map((name) => readFileSync(path.join(CHART, 'templates', name), 'utf8'));
    const text = templates.join('\n');
    const values = readFileSync(path.join(CHART, 'values.yaml'), 'utf8');
    for (const [, name = ''] of values.matchAll(/^([a-zA-Z]+):/gm)) expect(text, name).to.match(new RegExp(`\\.Values\\.${name}\\b`));
    for (const [, name = ''] of text.matchAll(/\.Files\.Get "([^"]*)"/g))
      expect(readdirSync(path.join(CHART, 'files'))).to.include(path.basename(name));
  });
});
