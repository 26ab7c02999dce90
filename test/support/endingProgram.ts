/** A program that ends at once, for tests of what starts programs. */
process.exit(3);
