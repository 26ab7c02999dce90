import { importAccounts } from '../../accounts/transfer/importAccounts.ts';
import { exportAccounts } from '../../accounts/transfer/exportAccounts.ts';
import { writeLines } from '../../app/backup/makeBackup.ts';
import { withAccounts } from '../../app/openAccounts.ts';
import { readSettings } from '../../config/settings.ts';
import { plural } from '../../core/plural.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { jsonLine, type CliContext, type GlobalOptions } from '../CliContext.ts';

export type ImportCommandOptions = { readonly skipExisting?: boolean };

export async function exportTo({ out }: CliContext, file: string, { json }: GlobalOptions): Promise<void> {
  await withAccounts(readSettings(), async ({ store, clock }) => {
    let end: { accounts?: number; events?: number } = {};
    async function* lines(): AsyncGenerator<string> {
      for await (const line of exportAccounts(store, clock)) {
        if (line.startsWith('{"type":"end"')) end = JSON.parse(line) as typeof end;
        yield line;
      }
    }
    try {
      await writeLines(file, lines());
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError('file.unwritable', `${file} cannot be written: ${(error as Error).message}.`, { cause: error });
    }
    const { accounts, events } = end;
    if (json === true) return out(jsonLine({ file, accounts, events }));
    out(
      `${plural(accounts ?? 0, 'account')} and ${plural(events ?? 0, 'event')} are in ${file}. It holds password hashes and key digests: protect it like the account store.\n`,
    );
  });
}

export async function importFrom(
  { out }: CliContext,
  file: string,
  { json, skipExisting = false }: GlobalOptions & ImportCommandOptions,
): Promise<void> {
  await withAccounts(readSettings(), async ({ store, clock }) => {
    const report = await importAccounts(store, file, clock, { skipsExisting: skipExisting });
    if (json === true) return out(jsonLine({ file, ...report }));
    const { created, unchanged, skipped, events } = report;
    out(
      `${plural(created, 'account', 'accounts')} created, ${unchanged} already existed, ${skipped} with different data skipped; ${plural(events, 'event')} read.\n`,
    );
  });
}
