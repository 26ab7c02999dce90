import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, mkdirSync, truncateSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { MADE_UP_WHEELS, madeUpWheel, NativeSetupRig } from '../../../support/nativeSetupRig.ts';

async function refusal(work: Promise<unknown>): Promise<ServiceError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(outcome).to.be.instanceOf(ServiceError);
  return outcome as ServiceError;
}

const DOWNLOADS = ['downloading tensorflow-cpu', 'downloading nvidia-cublas-cu12'];
const GYP_FAILS = 'gyp info spawn make\nx.cc:1:1: error: no such thing\ngyp ERR! not ok';
const isDownload = (line: string): boolean => line.startsWith('downloading');
const isBuild = (line: string): boolean => line.startsWith('node-gyp');

describe('setup of the native libraries', () => {
  let rig: NativeSetupRig;
  beforeEach(function () {
    if (process.platform !== 'linux') {
      process.stdout.write('    skipped: the setup is for Linux\n');
      this.skip();
    }
    rig = new NativeSetupRig();
  });
  afterEach(() => rig.close());

  it('installs everything from scratch, verifies it, and writes the record last', async () => {
    const report = await rig.setup();
    expect(report.steps.map(({ state }) => state)).to.deep.equal(Array(5).fill('made'));
    expect(report).to.deep.include({ isInUse: true, downloadBytes: rig.wheels[0].bytes + rig.wheels[1].bytes });
    expect(rig.probed).to.deep.equal([{ candidate: 'setup:cpu', hadRecord: false, hadAddon: true }]);
    expect(JSON.parse(readFileSync(rig.parts.record, 'utf8'))).to.deep.include({
      variant: 'cpu',
      wheels: { 'tensorflow-cpu': '1.0', 'nvidia-cublas-cu12': '1.0' },
    });
    expect(readdirSync(rig.parts.folder).sort()).to.deep.equal(['installed.json', 'node_modules', 'nvidia', 'tensorflow', 'unpacked']);
    expect(readFileSync(path.join(rig.parts.tfjsNode, 'deps/lib/libtensorflow_cc.so.2'), 'utf8')).to.equal('library');
    expect(readFileSync(path.join(rig.parts.tfjsNode, 'deps/include/tensorflow/c/c_api.h'), 'utf8')).to.equal('header');
    expect(path.isAbsolute(readlinkSync(path.join(rig.parts.tfjsNode, 'deps/lib')))).to.equal(false);
  });

  it('reports before it starts how much it will download', async () => {
    await rig.setup();
    expect(rig.progress[0]).to.match(/^will download \d+ MB into .*\.native\/cpu$/);
  });

  it('builds in a folder with a space in its name, because the build file has no absolute paths', async () => {
    await rig.setup();
    const build = readFileSync(path.join(rig.parts.tfjsNode, 'binding.gyp'), 'utf8');
    expect(build).to.include('"deps/include"').and.not.include(rig.root);
    // Only the generated folders at the top are left out of the copy.
    expect(existsSync(path.join(rig.parts.tfjsNode, 'dist/lib/index.js'))).to.equal(true);
  });

  it('repeats no step and requires no program when run again, but verifies again', async () => {
    await rig.setup();
    const before = rig.listing();
    rig.takeLog();
    rig.remove('tools');
    Object.assign(rig.has, { python3: false, 'g++': false, make: false });
    const report = await rig.setup();
    expect(report.steps.map(({ state }) => state)).to.deep.equal(Array(5).fill('was there'));
    expect([report.downloadBytes, rig.takeLog(), rig.probed.length]).to.deep.equal([0, [], 2]);
    expect(rig.progress).to.include('nothing to download');
    expect(rig.listing().filter((line) => line.includes('.native') && !/cpu \d/.test(line))).to.deep.equal(
      before.filter((line) => line.includes('.native') && !/cpu \d/.test(line)),
    );
  });

  it('changes nothing with check: in an empty, a partly finished and a finished folder', async () => {
    const looks = async (): Promise<string[]> => {
      const before = rig.listing();
      const { steps, isInUse } = await rig.setup({ check: true });
      expect(rig.listing()).to.deep.equal(before);
      expect(rig.takeLog()).to.deep.equal([]);
      return [...steps.map(({ state }) => state), String(isInUse)];
    };
    expect(await looks()).to.deep.equal([...Array(5).fill('missing'), 'false']);
    rig.fails.nodeGyp = GYP_FAILS;
    await refusal(rig.setup());
    delete rig.fails.nodeGyp;
    rig.takeLog();
    expect(await looks()).to.deep.equal([...Array(4).fill('was there'), 'missing', 'false']);
    expect(rig.probed).to.deep.equal([]);
    await rig.setup();
    rig.takeLog();
    expect(await looks()).to.deep.equal([...Array(5).fill('was there'), 'true']);
    expect(rig.probed.length).to.equal(2);
  });

  it('reports everything that is missing at once, each with a remedy, before it writes anything', async () => {
    Object.assign(rig.has, { python3: false, 'g++': false, make: false });
    rig.remove('tools/lib');
    rig.machine = { ...rig.machine, freeBytes: () => 1e6 };
    const { code, message } = await refusal(rig.setup());
    expect(code).to.equal('native.not_possible');
    expect(message).to.match(/Python: none\. Install Python 3\.8 or newer with pip: apt-get install python3 python3-pip/);
    expect(message).to.match(/compiler: no g\+\+, no make\. Install g\+\+ and make: apt-get install/);
    expect(message).to.match(/node-gyp: none\. Install npm/);
    expect(message).to.match(/disk: 1 MB free, \d+ MB needed\. Free \d+ MB more/);
    expect(existsSync(path.join(rig.root, '.native'))).to.equal(false);
  });

  const machines = [
    ['another platform', { platform: 'darwin' }, /darwin x64\. .*Linux on x64.*WebAssembly/],
    ['another processor', { arch: 'arm64' }, /linux arm64\. .*Linux on x64/],
    ['musl', { glibc: undefined }, /without the GNU C library\. .*glibc 2\.27 or newer/],
    ['an old glibc', { glibc: '2.17' }, /glibc 2\.17\. .*glibc 2\.27 or newer/],
    ['no AVX', { flags: ['sse2'] }, /without AVX\. .*need AVX/],
  ] as const;
  for (const [name, part, message] of machines)
    it(`refuses ${name} and names the alternative`, async () => {
      rig.machine = { ...rig.machine, ...part };
      expect((await refusal(rig.setup())).message).to.match(message);
    });

  const lacks = [
    ['pip', { pip: false }, /Python: 3\.12\.1 without pip\. Install pip/],
    ['C++ headers', { cxxHeaders: false }, /without the C\+\+ headers\. Install them/],
  ] as const;
  for (const [name, part, message] of lacks)
    it(`detects missing ${name}`, async () => {
      Object.assign(rig.has, part);
      expect((await refusal(rig.setup())).message).to.match(message);
    });

  it('refuses a folder that cannot be written', async () => {
    rig.write('tickmark/.native', 'a file');
    expect((await refusal(rig.setup())).message).to.match(/folder: .*\.native cannot be written\. Run the command as the owner/);
  });

  it('refuses a folder that is a link, because the packages could not be found from its target', async () => {
    mkdirSync(path.join(rig.folder, 'elsewhere'));
    symlinkSync(path.join(rig.folder, 'elsewhere'), path.join(rig.root, '.native'));
    expect((await refusal(rig.setup())).message).to.match(/is a link to .*elsewhere\. .*mount the disk/);
  });

  it('lets node-gyp download missing headers into the project, and says what to do if it cannot', async () => {
    rig.remove('tools/include');
    await rig.setup();
    expect(rig.takeLog().find(isBuild)).to.include(`--devdir=${path.join(rig.parts.folder, 'node-headers')}`);
    rig.remove('tickmark/.native');
    rig.fails.nodeGyp = 'gyp ERR! stack FetchError: getaddrinfo ENOTFOUND nodejs.org';
    const { message } = await refusal(rig.setup());
    expect(message).to.match(/could not get the headers of Node\.js\. .*npm_config_nodedir.*ENOTFOUND nodejs\.org/s);
  });

  it('uses the headers that npm’s nodedir names', async () => {
    rig.remove('tools/include');
    const nodedir = path.dirname(path.dirname(path.dirname(rig.write('headers/include/node/node_api.h', ''))));
    await rig.setup({ environment: { ...rig.environment, npm_config_nodedir: nodedir } });
    expect(rig.takeLog().find(isBuild)).to.include(`--nodedir=${nodedir}`);
  });

  it('installs nothing of a download with a wrong hash and reports both hashes', async () => {
    const wheel = rig.wheels[0];
    rig.write(`index/${wheel.project}/${wheel.file}`, 'something else');
    const { code, message } = await refusal(rig.setup());
    expect(code).to.equal('native.step_failed');
    expect(message).to.match(new RegExp(`DO NOT MATCH THE HASHES\nExpected sha256 ${wheel.sha256}\nGot [0-9a-f]{64}$`));
    expect(existsSync(rig.parts.tensorflow)).to.equal(false);
  });

  it('uses wheels that were copied by hand, without the index, and refuses a truncated one', async () => {
    rig.remove('index');
    const copies = rig.wheels.map((wheel, at) => rig.write(`tickmark/.native/cpu/wheels/${wheel.file}`, MADE_UP_WHEELS[at]!.text));
    truncateSync(copies[1]!, 10);
    expect((await refusal(rig.setup())).message).to.match(
      /could not install .*Remove it from .*wheels, or copy it again if its hash differs\. .*DO NOT MATCH/s,
    );
    rig.write(`tickmark/.native/cpu/wheels/${rig.wheels[1].file}`, MADE_UP_WHEELS[1].text);
    const report = await rig.setup();
    expect([report.downloadBytes, report.isInUse, rig.takeLog().filter(isDownload)]).to.deep.equal([0, true, []]);
    expect(existsSync(path.dirname(copies[0]!))).to.equal(false);
  });

  it('shows the output of pip if a download fails, and continues there the next time', async () => {
    rig.remove('index/nvidia-cublas-cu12');
    const { message } = await refusal(rig.setup());
    expect(message).to.match(/pip could not install nvidia-cublas-cu12-1\.0.*No matching distribution found/s);
    expect(rig.takeLog().filter(isDownload)).to.deep.equal(DOWNLOADS);
    rig.write(`index/nvidia-cublas-cu12/${rig.wheels[1].file}`, MADE_UP_WHEELS[1].text);
    await rig.setup();
    expect(rig.takeLog().filter(isDownload)).to.deep.equal(['downloading nvidia-cublas-cu12']);
  });

  it('ends when it is stopped, leaves no record, and continues there the next time', async () => {
    const stop = new AbortController();
    rig.onDownload = (project, signal) => {
      if (project === 'nvidia-cublas-cu12' && signal !== undefined) stop.abort('SIGINT');
    };
    expect((await refusal(rig.setup({ signal: stop.signal }))).message).to.match(/was stopped\. .*run the command again/);
    expect(existsSync(rig.parts.record)).to.equal(false);
    rig.takeLog();
    await rig.setup();
    expect(rig.takeLog().filter(isDownload)).to.deep.equal(['downloading nvidia-cublas-cu12']);
  });

  it('continues after a kill while files are moved, and during the build', async () => {
    rig.fails.nodeGyp = GYP_FAILS;
    await refusal(rig.setup());
    delete rig.fails.nodeGyp;
    // Killed while files were moved: without their record, half a file.
    rig.remove(path.join('tickmark/.native/cpu/unpacked', `${rig.wheels[0].sha256}.json`));
    rig.write('tickmark/.native/cpu/tmp/install/tensorflow/draft', 'libr');
    rig.write('tickmark/.native/cpu/tensorflow/libtensorflow_cc.so.2', 'libr');
    // Killed during the build: an addon without its record, partly copied sources.
    rig.write('tickmark/.native/cpu/tmp/sources/node_modules/@tensorflow/tfjs-node-gpu/package.json', '{"version":"4.22.0"}');
    rig.write('tickmark/.native/cpu/node_modules/@tensorflow/tfjs-node-gpu/lib/napi-v8/tfjs_binding.node', 'ad');
    rig.takeLog();
    await rig.setup();
    const log = rig.takeLog();
    expect([log.filter(isDownload), log.filter(isBuild).length]).to.deep.equal([['downloading tensorflow-cpu'], 1]);
    expect(readFileSync(rig.parts.addon, 'utf8')).to.equal('addon');
    expect(readFileSync(path.join(rig.parts.tensorflow, 'libtensorflow_cc.so.2'), 'utf8')).to.equal('library');
  });

  it('installs a library again that was truncated later, and builds an addon again', async () => {
    await rig.setup();
    truncateSync(path.join(rig.parts.tensorflow, 'libtensorflow_framework.so.2'), 3);
    truncateSync(rig.parts.addon, 3);
    rig.takeLog();
    expect((await rig.setup({ check: true })).steps.filter(({ state }) => state === 'missing').length).to.be.greaterThan(1);
    await rig.setup();
    const log = rig.takeLog();
    expect([log.filter(isDownload), log.filter(isBuild).length]).to.deep.equal([['downloading tensorflow-cpu'], 1]);
  });

  it('removes the libraries that an earlier version had pinned, and builds again', async () => {
    await rig.setup();
    const newer = madeUpWheel('nvidia-cublas-cu12', { 'nvidia/cublas/lib/libcublas.so.13': 'newer' });
    rig.write(`index/nvidia-cublas-cu12/${newer.wheel.file}`, newer.text);
    rig.takeLog();
    const wheels = [rig.wheels[0], newer.wheel];
    expect((await rig.setup({ wheels, check: true })).steps.map(({ state }) => state)).to.include('missing');
    await rig.setup({ wheels });
    const log = rig.takeLog();
    expect([log.filter(isDownload), log.filter(isBuild).length]).to.deep.equal([['downloading nvidia-cublas-cu12'], 1]);
    expect(readdirSync(path.join(rig.parts.folder, 'nvidia/cublas/lib'))).to.deep.equal(['libcublas.so.13']);
    expect(readdirSync(path.join(rig.parts.folder, 'unpacked')).length).to.equal(2);
  });

  it('downloads tfjs-node-gpu with npm if it was not installed, without second copies of the shared packages', async () => {
    rig.remove('tickmark/node_modules/@tensorflow/tfjs-node-gpu');
    rig.environment['npm_config_omit'] = 'optional';
    const { steps } = await rig.setup();
    expect(steps.find(({ name }) => name.includes('tfjs-node-gpu'))?.state).to.equal('made');
    expect(rig.takeLog()).to.include('npm @tensorflow/tfjs-node-gpu@4.22.0');
    expect(readdirSync(path.join(rig.parts.folder, 'node_modules/@tensorflow')).sort()).to.deep.equal(['tfjs', 'tfjs-node-gpu']);
    expect(rig.environments['npm']).to.not.have.property('npm_config_omit');
    await rig.setup();
    expect(rig.takeLog()).to.deep.equal([]);
  });

  it('also downloads it if a package that it needs is missing', async () => {
    await rig.setup();
    rig.remove('tickmark/node_modules/@tensorflow/tfjs');
    rig.takeLog();
    expect((await rig.setup({ check: true })).steps.map(({ state }) => state)).to.include('missing');
    await rig.setup();
    expect(rig.takeLog()).to.include('npm @tensorflow/tfjs-node-gpu@4.22.0');
  });

  it('shows the output of npm if the download fails', async () => {
    rig.remove('tickmark/node_modules/@tensorflow/tfjs-node-gpu');
    rig.fails.npm = 'npm error code ENOTFOUND';
    const { message } = await refusal(rig.setup());
    expect(message).to.match(/npm could not install @tensorflow\/tfjs-node-gpu 4\.22\.0.*ENOTFOUND/s);
  });

  it('shows the errors of the compiler if the addon cannot be compiled', async () => {
    rig.fails.nodeGyp = GYP_FAILS;
    const { message } = await refusal(rig.setup());
    expect(message).to.equal('The addon could not be compiled:\nx.cc:1:1: error: no such thing');
  });

  it('leaves no record if the parts give wrong results, and removes an earlier one', async () => {
    rig.probe = { works: false, reason: 'libtensorflow_cc.so.2: file too short' };
    const { code, message } = await refusal(rig.setup());
    expect([code, message.includes('file too short'), message.includes('remove that folder')]).to.deep.equal([
      'native.step_failed',
      true,
      true,
    ]);
    expect(existsSync(rig.parts.record)).to.equal(false);
    rig.probe = { works: true, description: 'x', forwardMs: 1 };
    await rig.setup();
    expect(existsSync(rig.parts.record)).to.equal(true);
    rig.probe = { works: false, reason: 'its probe ended with SIGSEGV' };
    expect((await refusal(rig.setup())).message).to.include('SIGSEGV');
    expect(existsSync(rig.parts.record)).to.equal(false);
  });

  it('is not in use before it is verified, even if every part is installed', async () => {
    await rig.setup();
    rig.remove('tickmark/.native/cpu/installed.json');
    expect((await rig.setup({ check: true })).isInUse).to.equal(false);
    await rig.setup();
    expect((await rig.setup({ check: true })).isInUse).to.equal(true);
  });

  it('removes the old record before it changes a part', async () => {
    await rig.setup();
    rig.remove('tickmark/.native/cpu/node_modules');
    rig.fails.nodeGyp = GYP_FAILS;
    await refusal(rig.setup());
    expect(existsSync(rig.parts.record)).to.equal(false);
  });

  it('refuses a second setup at the same time without disturbing the first', async () => {
    let second: ServiceError | undefined;
    await rig.setup({
      probe: async () => {
        second = await refusal(rig.setup());
        return rig.probe;
      },
    });
    expect([second?.code, second?.message.includes('Another setup is running')]).to.deep.equal(['native.not_possible', true]);
    await rig.setup();
  });

  it('keeps temporary files in the project, and hides npm’s settings from node-gyp', async () => {
    Object.assign(rig.environment, {
      npm_config_target: '99.0.0',
      npm_config_devdir: '/elsewhere',
      npm_package_config_node_gyp_python: 'none',
      npm_config_https_proxy: 'http://proxy.example:3128',
    });
    await rig.setup();
    const TMPDIR = path.join(rig.parts.folder, 'tmp');
    const { pip, nodeGyp } = rig.environments;
    expect(pip).to.include({ TMPDIR, PIP_REQUIRE_VIRTUALENV: '0', PIP_USER: '0', PYTHONDONTWRITEBYTECODE: '1' });
    expect(nodeGyp).to.include({ TMPDIR, PYTHONDONTWRITEBYTECODE: '1' });
    expect(Object.keys(nodeGyp ?? {}).filter((name) => name.startsWith('npm_'))).to.deep.equal(['npm_config_https_proxy']);
  });
});
