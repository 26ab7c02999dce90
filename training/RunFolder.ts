import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, existsSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { writing } from '../src/core/fileErrors.ts';
import { makeFolder } from '../src/core/makeFolder.ts';
import { ServiceError } from '../src/core/ServiceError.ts';
import { packageRoot } from '../src/core/packageRoot.ts';
import { writeFileAtomic } from './data/TickStore.ts';

/** Folders whose code determines the rows and weights for given ticks. */
const FOLDERS = ['../src/ticks', '../src/engine/features', '../src/engine/model', 'context', 'data', 'loop', 'splits'] as const;

/**
 * The program's version and a hash of the code that makes rows and weights, such as `0.1.0+3f9a2c51d0be`. A run
 * with another fingerprint is not resumed, and the lineage of a version contains it. Source and build have different fingerprints.
 */
export function codeFingerprint(): string {
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    const at = path.join(import.meta.dirname, folder);
    for (const name of readdirSync(at).sort())
      if (/\.[jt]s$/.test(name) && !name.endsWith('.d.ts')) hash.update(name).update(readFileSync(path.join(at, name)));
  }
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return `${version}+${hash.digest('hex').slice(0, 12)}`;
}

const STATE_FILE = 'run.json';
const REPORT_FILE = 'report.html';
const WORK_FILE = /\.(checkpoint|result)$/;

/**
 * The folder of one run, `<workDir>/runs/<id>`: the key of its inputs, checkpoints, finished networks and, at the end, the report. A run
 * resumes only with the data, settings and code that it started with.
 */
export class RunFolder {
  readonly path: string;

  constructor(workDir: string, id: string) {
    this.path = path.join(workDir, 'runs', id);
  }

  get reportFile(): string {
    return path.join(this.path, REPORT_FILE);
  }

  /**
   * Starts a new run or resumes one. `key` covers everything that determines the weights. Throws ServiceError `command.invalid`,
   * `file.unwritable`.
   */
  open(key: unknown, resume: boolean): void {
    const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex');
    const stateFile = path.join(this.path, STATE_FILE);
    if (resume) {
      if (!existsSync(stateFile)) throw new ServiceError('command.invalid', `There is no run in ${this.path} to resume. Remove --resume.`);
      const known = (JSON.parse(readFileSync(stateFile, 'utf8')) as { hash?: string }).hash;
      if (known === hash) return;
      throw new ServiceError(
        'command.invalid',
        `The run in ${this.path} was started with different data, settings or code. Use the same ones, or remove --resume to start again.`,
      );
    }
    this.clear();
    writeFileAtomic(stateFile, [`${JSON.stringify({ hash })}\n`]);
  }

  writeReport(html: string): void {
    writeFileAtomic(this.reportFile, [html]);
  }

  /** Removes checkpoints and finished networks, when a run ends or starts again. */
  clear(): void {
    writing(this.path, () => {
      makeFolder(this.path);
      for (const name of readdirSync(this.path)) if (WORK_FILE.test(name)) rmSync(path.join(this.path, name), { force: true });
    });
  }
}
