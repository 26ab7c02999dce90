import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { copyContext } from '../support/dockerContext.ts';
import { ImageBuilder, type BuiltStage } from '../support/ImageBuilder.ts';
import { flagsOf, parseDockerfile, type DockerStep } from '../support/parseDockerfile.ts';
import { keepOutput } from '../support/serviceLogs.ts';
import { ROOT } from '../support/tickmarkProcess.ts';

/** The user of the image; a checkout that does not belong to root is tested as its owner, with read-only folders. */
const UID = 10001;
const isRoot = process.getuid?.() === 0;
const hasNative = existsSync(path.join(ROOT, '.native', 'cpu', 'installed.json'));

describe('the steps of Dockerfile, without Docker', function () {
  this.timeout(300_000);
  let folder: string;
  let builder: ImageBuilder;
  let image: BuiltStage;
  let app: string;
  let data: string;

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tickmark-image-'));
    // Other users need access to the path.
    chmodSync(folder, 0o711);
    const [context, workspace] = [path.join(folder, 'context'), path.join(folder, 'stages')];
    data = path.join(folder, 'data');
    for (const made of [context, workspace, data]) mkdirSync(made);
    if (isRoot) chownSync(data, UID, UID);
    copyContext(ROOT, context);
    if (!hasNative) process.stderr.write('Native TensorFlow is not set up (npm run setup:native): the image is tried with NATIVE=none.\n');
    const stages = parseDockerfile(path.join(ROOT, 'Dockerfile'), { NATIVE: hasNative ? 'cpu' : 'none' });
    builder = new ImageBuilder({ stages, context, workspace, checkout: ROOT });
    image = builder.build(stages.at(-1)!.name);
    app = path.join(image.root, image.workdir);
    if (!isRoot) changeFolders('u-w');
  });
  after(() => {
    if (!isRoot) changeFolders('u+w');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Only folders: the modes of the files are those of the checkout. */
  const changeFolders = (mode: string) => spawnSync('find', [app, '-type', 'd', '-exec', 'chmod', mode, '{}', '+']);

  const argv = (keyword: DockerStep['keyword']): readonly string[] =>
    image.steps.flatMap((step) => (step.keyword === keyword && 'argv' in step ? [step.argv ?? []] : [])).at(-1) ?? [];

  /** A program of the image as its user, with the environment of the image and nothing of this machine. */
  const inImage = (words: readonly string[], env: Record<string, string> = {}) => {
    const [program = '', ...args] = words.map((word) => (word.startsWith('/app') ? path.join(image.root, word) : word));
    const child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd: app,
      env: { PATH: process.env['PATH'], HOME: data, ...image.env, DATA_DIR: data, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot ? { uid: UID, gid: UID } : {}),
    });
    keepOutput(words.join(' '), child);
    return child;
  };

  const ended = (child: ReturnType<typeof inImage>): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk) => (stdout += chunk));
      child.stderr.on('data', (chunk) => (stderr += chunk));
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });

  it('leave the content of an installed package: no sources, no compiler, no test tools', () => {
    const [modules, shipped] = [readdirSync(path.join(app, 'node_modules')), readdirSync(app).sort()];
    expect(shipped).to.deep.equal(['.native', 'LICENSE', 'bin', 'dist', 'models', 'node_modules', 'package.json', 'rules']);
    expect(modules).to.include('koa');
    for (const tool of ['typescript', 'mocha', 'oxlint', 'tsx', 'assemblyscript']) expect(modules).to.not.include(tool);
    expect(existsSync(path.join(app, 'node_modules', '@tensorflow', 'tfjs-node-gpu'))).to.equal(hasNative);
    // A new command in the Dockerfile fails here until the test runs it.
    expect(new Set(builder.leftOut.map((line) => line.split(' ', 1)[0]))).to.deep.equal(
      new Set([...(hasNative ? ['apt-get', 'rm'] : []), 'groupadd', 'useradd', 'install']),
    );
  });

  it('set up native TensorFlow from the sources that their stage copies', () => {
    builder.build('native-cpu');
    const states = builder.nativeReport?.steps.map(({ state }) => state);
    if (hasNative) expect(builder.nativeReport?.probe).to.include({ works: true });
    else expect(new Set(states)).to.deep.equal(new Set(['missing']));
  });

  it('serve as a user who cannot write into the package: healthy, then 0 on SIGTERM', async () => {
    const retries = Number(flagsOf(path.join(ROOT, 'Dockerfile'), 'HEALTHCHECK')['retries']);
    const write = "require('node:fs').writeFileSync('/app/new', '')".replace('/app', app);
    expect((await ended(inImage(['node', '-e', write]))).stderr).to.include('EACCES');

    const service = inImage([...argv('ENTRYPOINT'), ...argv('CMD')], { PORT: '0' });
    const end = ended(service);
    const ready = new Promise<string>((resolve) => {
      let text = '';
      service.stdout.on('data', (chunk) => {
        const port = /is ready on http:\S+:(\d+)\n/.exec((text += chunk))?.[1];
        if (port !== undefined) resolve(port);
      });
    });
    const failed = end.then(({ code, stderr }): never => {
      throw new Error(`ended with ${code} before it was ready:\n${stderr}`);
    });
    const port = await Promise.race([ready, failed]);
    failed.catch(() => {});
    try {
      let healthy = await ended(inImage(argv('HEALTHCHECK'), { PORT: port }));
      // Retries like Docker: a machine that is busy for a while does not make a container unhealthy.
      for (let retry = 1; retry < retries && healthy.code !== 0; retry++)
        healthy = await ended(inImage(argv('HEALTHCHECK'), { PORT: port }));
      expect(healthy).to.deep.equal({ code: 0, stdout: '', stderr: '' });
      expect((await fetch(`http://127.0.0.1:${port}/sample/forecast`)).status).to.equal(200);
      const { backend } = (await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()) as { backend: string };
      // Native TensorFlow is for training: a service chooses it only by name.
      expect(backend).to.equal('wasm');
    } finally {
      service.kill('SIGTERM');
    }
    expect((await end).code).to.equal(0);
    const down = await ended(inImage(argv('HEALTHCHECK'), { PORT: port }));
    expect(down.code).to.equal(1);
    expect(down.stdout).to.match(/^tickmark: http:\/\/127\.0\.0\.1:\d+\/health\/ready: .*ECONNREFUSED.*\n$/);
    expect(readdirSync(data)).to.not.deep.equal([]);
  });

  it('contain what training needs', async () => {
    const load = `import(${JSON.stringify(path.join(app, 'dist/training/train.js'))}).then(({ train }) => process.stdout.write(typeof train))`;
    expect(await ended(inImage(['node', '-e', load]))).to.include({ code: 0, stdout: 'function' });
  });
});
