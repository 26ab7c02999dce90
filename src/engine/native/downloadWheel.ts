import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { type SetupContext, stepFailed, withProgress } from './SetupStep.ts';
import { pipEnvironment, childEnvironment } from './childEnvironment.ts';
import { MB, formatMegabytes, bytesBelow, freshTemporary, temporaryFolder, wheelFile } from './nativePaths.ts';
import type { Wheel } from './pins.ts';
import { lastLines } from './runProgram.ts';

/** Platform tags of the wheels; pip refuses a wheel with an unlisted tag when it downloads for another Python. */
const PLATFORMS = ['_2_27', '_2_25', '_2_17', '_2_12', '_2_5', '1'].map((version) => `manylinux${version}_x86_64`);
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
    const remedy =
      'Make the package index reachable (pip config list shows its address), or copy the file by hand as docs/how-to/native.md says.';
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

/**
 * Renames each file into place, so a running service keeps the old libraries that it has mapped into memory. Programs (ptxas) keep
 * their execute permission. Prints "done total" in bytes as progress, and "= bytes name" for each file.
 */
const SCRIPT = `
import os, sys, zipfile
wheel, folder, draft, *needed = sys.argv[1:]
try:
    with zipfile.ZipFile(wheel) as archive:
        entries = [e for e in archive.infolist() if not e.is_dir() and e.filename.startswith(tuple(needed))]
        if not entries:
            raise ValueError('no file in it begins with ' + ' or '.join(needed))
        total = sum(e.file_size for e in entries)
        done = 0
        for entry in entries:
            with archive.open(entry) as source, open(draft, 'wb') as out:
                while True:
                    chunk = source.read(1 << 22)
                    if not chunk:
                        break
                    out.write(chunk)
                    done += len(chunk)
                    print(done, total, flush=True)
            os.chmod(draft, 0o755 if entry.external_attr >> 16 & 0o111 else 0o644)
            target = os.path.join(folder, *entry.filename.split('/'))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.replace(draft, target)
            print('=', entry.file_size, entry.filename, flush=True)
except Exception as error:
    sys.exit('%s: %s' % (type(error).__name__, error))
`;

/** Unpacks the needed files of a downloaded wheel into the folder of the parts; returns the bytes of each file by path. */
export async function unpackWheel(context: SetupContext, wheel: Wheel): Promise<Record<string, number>> {
  const { parts, tools, environment, run, signal, progress } = context;
  const draft = `${freshTemporary(parts, 'unpack')}/draft`;
  const files: Record<string, number> = {};
  const onLine = (line: string): void => {
    const [, bytes, name] = /^= (\d+) (.+)$/.exec(line) ?? [];
    if (name !== undefined) files[name] = Number(bytes);
    const [, done, total] = /^(\d+) (\d+)$/.exec(line) ?? [];
    if (total !== undefined) progress(`unpacking ${wheel.file}: ${Math.floor((100 * Number(done)) / Number(total))} %`, true);
  };
  // In its own folder, because Python searches its start folder for modules.
  const { code, output } = await run(tools.python, ['-c', SCRIPT, wheelFile(parts, wheel), parts.folder, draft, ...wheel.needed], {
    environment: childEnvironment(environment, parts),
    cwd: freshTemporary(parts, 'empty'),
    onLine,
    signal,
  });
  if (code !== 0) throw stepFailed(context, `${wheel.file} could not be unpacked: ${lastLines(output, 1) || 'Python was killed'}`);
  return files;
}
