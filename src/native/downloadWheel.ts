import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { pipEnvironment } from './childEnvironment.ts';
import { MB, formatMegabytes } from './formatMegabytes.ts';
import type { Wheel } from './pins.ts';
import { bytesBelow, freshTemporary, temporaryFolder, wheelFile } from './nativePaths.ts';
import { lastLines } from './runProgram.ts';
import type { SetupContext } from './SetupStep.ts';
import { stepFailed } from './stepFailed.ts';
import { withProgress } from './withProgress.ts';

/** Platform tags of the wheels; pip refuses a wheel with an unlisted tag when it downloads for another Python. */
const PLATFORMS = ['2_27', '2_25', '2_17', '2_12', '2_5'].map((version) => `manylinux_${version}_x86_64`);
const ARGUMENTS = [
  ...['-m', 'pip', 'download', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off'],
  ...['--no-deps', '--no-cache-dir', '--only-binary=:all:', '--require-hashes'],
  ...['--python-version', '3.12', '--implementation', 'cp', ...PLATFORMS.flatMap((platform) => ['--platform', platform])],
];
/** First version of pip that resumes an interrupted download. */
const PIP_THAT_RESUMES = 25.1;

/** Downloads a wheel with pip, so the index, proxies and certificates of this machine apply. */
export async function downloadWheel(context: SetupContext, wheel: Wheel): Promise<void> {
  const { parts, tools, environment, run, signal } = context;
  const folder = freshTemporary(parts, 'download');
  const list = path.join(freshTemporary(parts, 'list'), 'wheel.txt');
  writeFileSync(list, `${wheel.project}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  const resume = tools.pipVersion >= PIP_THAT_RESUMES ? ['--resume-retries', '20'] : [];
  const { code, output } = await withProgress(
    context,
    downloadText(context, wheel),
    run(tools.python, [...ARGUMENTS, ...resume, '--dest', folder, '--requirement', list], {
      environment: pipEnvironment(environment, parts),
      // In an empty folder, because Python searches its start folder for modules.
      cwd: freshTemporary(parts, 'empty'),
      signal,
    }),
  );
  const downloaded = path.join(folder, wheel.file);
  if (code !== 0 || !existsSync(downloaded)) {
    const remedy = 'Make the package index reachable (pip config list shows its address), or copy the file by hand as docs/native.md says.';
    throw stepFailed(context, `pip could not download ${wheel.file}. ${remedy} Output of pip:\n${lastLines(output)}`);
  }
  mkdirSync(path.dirname(wheelFile(parts, wheel)), { recursive: true });
  renameSync(downloaded, wheelFile(parts, wheel));
}

/** Progress text from the growing file in pip's temporary folder, because pip shows no progress bar without a terminal. */
function downloadText({ parts }: SetupContext, wheel: Wheel): (seconds: number) => string {
  return (seconds) => {
    const bytes = bytesBelow(temporaryFolder(parts));
    // The download is complete; pip compares the hash and copies the file.
    if (bytes >= wheel.bytes) return `downloading ${wheel.file}: pip compares the hash`;
    const left = (wheel.bytes - bytes) / (bytes / seconds);
    const end = bytes < MB ? '' : `, ${formatMegabytes(bytes / seconds)}/s, ${Math.ceil(left)} s left`;
    return `downloading ${wheel.file}: ${formatMegabytes(bytes)} of ${formatMegabytes(wheel.bytes)}, ${Math.floor((100 * bytes) / wheel.bytes)} %${end}`;
  };
}
