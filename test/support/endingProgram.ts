/** A program that exits at once, for tests of code that starts programs. */
process.exit(3);
