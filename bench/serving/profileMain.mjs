import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import * as path from 'node:path';

/**
 * Loaded into a service with `node --import`, and into its inference process, which inherits the options: on SIGUSR2, samples the main
 * thread for PROFILE_MS and writes the profile to PROFILE_FOLDER, named after the process id.
 */
const INTERVAL_US = 200;

const session = new Session();
session.connect();
process.on('SIGUSR2', () => {
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  session.post('Profiler.start');
  setTimeout(() => {
    session.post('Profiler.stop', (error, { profile }) => {
      if (error) throw error;
      const file = path.join(process.env.PROFILE_FOLDER, `${process.pid}.cpuprofile`);
      writeFileSync(`${file}.part`, JSON.stringify(profile));
      // Renamed at the end, so that a reader never finds a partial file.
      renameSync(`${file}.part`, file);
    });
  }, Number(process.env.PROFILE_MS));
});
