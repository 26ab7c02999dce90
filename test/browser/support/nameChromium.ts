/** Prints the browser that the tests of the console would use; nothing where there is none. */
import { findChromium } from './launchChromium.ts';

process.stdout.write(findChromium() ?? '');
