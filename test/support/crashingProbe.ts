// A child that crashes like native code, without a report. The argument selects how.
const how = process.argv[2];
process.stderr.write('fatal: the library is broken\n');
if (how === 'crash') process.kill(process.pid, 'SIGSEGV');
else if (how === 'exit') process.exit(3);
else setInterval(() => {}, 1000);
