import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../src/core/ServiceError.ts';
import { writeFileAtomic } from './data/writeFileAtomic.ts';

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
    try {
      mkdirSync(this.path, { recursive: true });
      for (const name of readdirSync(this.path)) if (WORK_FILE.test(name)) rmSync(path.join(this.path, name), { force: true });
    } catch (cause) {
      throw new ServiceError('file.unwritable', `${this.path} cannot be written: ${(cause as Error).message}.`, { cause });
    }
  }
}
