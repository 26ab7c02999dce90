import { Command, CommanderError } from 'commander';
import { processEnvironment } from '../core/config/processEnvironment.ts';
import { programVersion } from '../core/packageRoot.ts';
import { type CliContext, type CliOutput, EXIT, jsonLine, unpainted, processOutput, visibleOutput } from './CliContext.ts';
import { addAccounts } from './accounts/accounts.ts';
import { addBackup } from './backup.ts';
import { addConfig } from './config.ts';
import { addDemo } from './demo.ts';
import { addDoctor } from './doctor/doctor.ts';
import { addEvaluate } from './training/evaluate.ts';
import { explainFailure } from './explainFailure.ts';
import { addImport } from './files/import.ts';
import { addKeys } from './accounts/keys.ts';
import { addLive } from './live.ts';
import { addMcp } from './mcp/mcp.ts';
import { addMigrate } from './migrate.ts';
import { addModels } from './models/models.ts';
import { addPredict } from './forecast/predict.ts';
import { addReplay } from './forecast/replay.ts';
import { addRules } from './rules/rules.ts';
import { addServe } from './serve/serve.ts';
import { addSetupNative } from './setupNative.ts';
import { addTrackRecord } from './accounts/trackRecord.ts';
import { addTrain } from './training/train.ts';
import { addUpdate } from './training/update.ts';

const HELP = `
Examples:
  $ tickmark demo                                    the whole workflow on generated ticks, in 30 s
  $ tickmark serve                                   the service on http://127.0.0.1:8080
  $ tickmark predict ticks.csv --horizon 60s         one forecast, no server
  $ tickmark replay ticks.csv --horizon 60s          how often it was right, compared with the base rate
  $ tickmark live feed.ndjson --horizon 60s          forecasts of a recorded or piped feed, with a running score
  $ tickmark import FILE --out ticks.csv             converts Dukascopy, HistData, Binance, MetaTrader, Parquet, …
  $ tickmark train                                   a first model, without any data
  $ tickmark doctor                                  what works on this machine

Settings are environment variables (PORT=9000 tickmark serve); docs/reference/settings.md lists them.
Exit codes: ${EXIT.ok} done, ${EXIT.failed} failed, ${EXIT.wrongUsage} wrong usage, ${EXIT.notBetter} trained version was not better.`;

/**
 * Runs one command line (without node and script) to its end and returns the exit code. Never throws: prints errors to `err`.
 */
export async function run(argv: readonly string[], given?: CliOutput): Promise<number> {
  let code: number = EXIT.ok;
  const output = visibleOutput(given ?? processOutput());
  const context: CliContext = {
    paint: { out: unpainted, err: unpainted },
    isTerminal: false,
    ...output,
    fail: (asked: number = EXIT.failed) => void (code = asked),
  };
  // A service whose log is JSON says so too why it cannot start.
  const logsJson = argv[0] === 'serve' && processEnvironment()['LOG_FORMAT'] === 'json';
  try {
    await buildProgram(context, logsJson).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.wrongUsage;
    const { text, isUsage } = explainFailure(error, {
      json: argv.includes('--json') || logsJson,
      debug: argv.includes('--debug'),
      paint: context.paint.err,
    });
    context.err(text);
    return isUsage ? EXIT.wrongUsage : EXIT.failed;
  }
}

function buildProgram(context: CliContext, logsJson: boolean): Command {
  const program = new Command('tickmark')
    .description('Forecasts of trade opportunities from irregular millisecond ticks, on your own machine.')
    .version(programVersion(), '-V, --version', 'print the version and the commit')
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print one JSON value instead of text')
    .option('--debug', 'print the stack trace of an error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.out(text),
      writeErr: (text) => context.err(logsJson ? jsonLine({ level: 'error', msg: text.trim() }) : text),
    })
    .showHelpAfterError('(--help shows how it is called)')
    .addHelpText('after', HELP)
    .exitOverride();
  for (const add of [
    addServe,
    addTrain,
    addUpdate,
    addEvaluate,
    addPredict,
    addReplay,
    addLive,
    addImport,
    addModels,
    addRules,
    addAccounts,
    addKeys,
    addTrackRecord,
    addBackup,
    addMigrate,
    addMcp,
    addConfig,
    addDoctor,
    addSetupNative,
  ])
    add(program, context);
  addDemo(program, context, run);
  return program;
}
