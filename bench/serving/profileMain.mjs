import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import * as path from 'node:path';

/**
 * Loaded before a service (`node --import`), and so before the process of its network, which inherits the options: on SIGUSR2 the main thread is sampled
 * for PROFILE_MS and the profile is written to PROFILE_FOLDER under the process's number.
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
      // Whoever waits for the file finds it whole.
      renameSync(`${file}.part`, file);
    });
  }, Number(process.env.PROFILE_MS));
});
