// A child that dies as native code does: without a report. Its argument says how.
const how = process.argv[2];
process.stderr.write('fatal: the library is broken\n');
if (how === 'crash') process.kill(process.pid, 'SIGSEGV');
else if (how === 'exit') process.exit(3);
else setInterval(() => {}, 1000);
