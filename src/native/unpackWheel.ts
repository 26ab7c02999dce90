import type { Wheel } from './pins.ts';
import { freshTemporary, wheelFile } from './nativePaths.ts';
import { lastLines } from './runProgram.ts';
import { childEnvironment } from './childEnvironment.ts';
import type { SetupContext } from './SetupStep.ts';
import { stepFailed } from './stepFailed.ts';

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
