import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { pipEnvironment } from './childEnvironment.ts';
import { MB, megabytes } from './megabytes.ts';
import type { Wheel } from './pins.ts';
import { bytesBelow, freshTemporary, temporaryFolder, wheelFile } from './places.ts';
import { lastLines } from './runProgram.ts';
import type { SetupContext } from './SetupStep.ts';
import { stepFailed } from './stepFailed.ts';
import { whileShowing } from './whileShowing.ts';

/** Tags that the wheels may carry; pip refuses a wheel whose tag is not named when it installs for another Python. */
const PLATFORMS = ['2_27', '2_25', '2_17', '2_12', '2_5'].map((version) => `manylinux_${version}_x86_64`);
const ARGUMENTS = [
  ...['-m', 'pip', 'download', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off'],
  ...['--no-deps', '--no-cache-dir', '--only-binary=:all:', '--require-hashes'],
  ...['--python-version', '3.12', '--implementation', 'cp', ...PLATFORMS.flatMap((platform) => ['--platform', platform])],
];
/** The first pip that asks for the rest of a file when its download breaks off. */
const PIP_THAT_RESUMES = 25.1;

/** Downloads a wheel through pip: its index, proxies and certificates are the ones of this machine. */
export async function downloadWheel(context: SetupContext, wheel: Wheel): Promise<void> {
  const { parts, tools, environment, run, signal } = context;
  const folder = freshTemporary(parts, 'download');
  const list = path.join(freshTemporary(parts, 'list'), 'wheel.txt');
  writeFileSync(list, `${wheel.project}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  const resume = tools.pipVersion >= PIP_THAT_RESUMES ? ['--resume-retries', '20'] : [];
  const { code, output } = await whileShowing(
    context,
    downloadText(context, wheel),
    run(tools.python, [...ARGUMENTS, ...resume, '--dest', folder, '--requirement', list], {
      environment: pipEnvironment(environment, parts),
      // In an empty folder: Python looks for modules where it is started.
      cwd: freshTemporary(parts, 'empty'),
      signal,
    }),
  );
  const downloaded = path.join(folder, wheel.file);
  if (code !== 0 || !existsSync(downloaded)) {
    const remedy = 'Mend the way to the package index (pip config list shows it), or put the file there by hand: docs/native.md.';
    throw stepFailed(context, `pip could not download ${wheel.file}. ${remedy} It said:\n${lastLines(output)}`);
  }
  mkdirSync(path.dirname(wheelFile(parts, wheel)), { recursive: true });
  renameSync(downloaded, wheelFile(parts, wheel));
}

/** pip shows no bar where it is not on a terminal: the growing file in its temporary folder tells as much. */
function downloadText({ parts }: SetupContext, wheel: Wheel): (seconds: number) => string {
  return (seconds) => {
    const bytes = bytesBelow(temporaryFolder(parts));
    // From here on pip compares the hash and copies it.
    if (bytes >= wheel.bytes) return `downloading ${wheel.file}: pip checks it`;
    const left = (wheel.bytes - bytes) / (bytes / seconds);
    const end = bytes < MB ? '' : `, ${megabytes(bytes / seconds)}/s, ${Math.ceil(left)} s left`;
    return `downloading ${wheel.file}: ${megabytes(bytes)} of ${megabytes(wheel.bytes)}, ${Math.floor((100 * bytes) / wheel.bytes)} %${end}`;
  };
}
