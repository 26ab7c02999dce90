import { Command, CommanderError } from 'commander';
import { processEnvironment } from '../core/config/processEnvironment.ts';
import { programVersion } from '../core/packageRoot.ts';
import { type CliContext, type CliOutput, EXIT, jsonLine, unpainted, processOutput, visibleOutput } from './CliContext.ts';
import { explainFailure } from './explainFailure.ts';

type Add = (program: Command, context: CliContext, runCommand: typeof run) => void;

/** Each module with its commands, in the order of the help. A command line loads that of its own command alone: all of them take longer than a forecast. */
const COMMANDS: readonly { readonly names: readonly string[]; readonly load: () => Promise<Add> }[] = [
  { names: ['serve'], load: async () => (await import('./serve/serve.ts')).addServe },
  { names: ['train'], load: async () => (await import('./training/train.ts')).addTrain },
  { names: ['evaluate'], load: async () => (await import('./training/evaluate.ts')).addEvaluate },
  { names: ['predict'], load: async () => (await import('./forecast/predict.ts')).addPredict },
  { names: ['replay'], load: async () => (await import('./forecast/replay.ts')).addReplay },
  { names: ['learn'], load: async () => (await import('./forecast/learn.ts')).addLearn },
  { names: ['live'], load: async () => (await import('./live.ts')).addLive },
  { names: ['import'], load: async () => (await import('./files/import.ts')).addImport },
  { names: ['models'], load: async () => (await import('./models/models.ts')).addModels },
  { names: ['rules'], load: async () => (await import('./rules/rules.ts')).addRules },
  { names: ['accounts'], load: async () => (await import('./accounts/accounts.ts')).addAccounts },
  { names: ['keys'], load: async () => (await import('./accounts/keys.ts')).addKeys },
  { names: ['track-record'], load: async () => (await import('./accounts/trackRecord.ts')).addTrackRecord },
  { names: ['markets'], load: async () => (await import('./accounts/markets.ts')).addMarkets },
  { names: ['record'], load: async () => (await import('./record/record.ts')).addRecord },
  { names: ['backup', 'restore'], load: async () => (await import('./backup.ts')).addBackup },
  { names: ['migrate'], load: async () => (await import('./migrate.ts')).addMigrate },
  { names: ['mcp'], load: async () => (await import('./mcp/mcp.ts')).addMcp },
  { names: ['config'], load: async () => (await import('./config.ts')).addConfig },
  { names: ['doctor'], load: async () => (await import('./doctor/doctor.ts')).addDoctor },
  { names: ['setup-native'], load: async () => (await import('./setupNative.ts')).addSetupNative },
  { names: ['demo'], load: async () => (await import('./demo.ts')).addDemo },
];

/** What a command line needs: its own command; none for the version; all for the help and for a misspelt name. */
function wantedBy(argv: readonly string[]): typeof COMMANDS {
  if (argv[0] === '--version' || argv[0] === '-V') return [];
  const word = argv.find((given) => !given.startsWith('-'));
  const own = COMMANDS.filter(({ names }) => names.some((name) => name === word));
  return own.length > 0 ? own : COMMANDS;
}

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
    await (await buildProgram(argv, context, logsJson)).parseAsync(argv, { from: 'user' });
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

async function buildProgram(argv: readonly string[], context: CliContext, logsJson: boolean): Promise<Command> {
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
  for (const add of await Promise.all(wantedBy(argv).map(({ load }) => load()))) add(program, context, run);
  return program;
}
