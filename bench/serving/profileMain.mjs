import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** Loaded before a service (`node --import`): on SIGUSR2 it samples the main thread for PROFILE_MS and writes the profile to PROFILE_FILE. */
const INTERVAL_US = 200;

// The process of the network inherits the options.
if (process.argv[1]?.endsWith('tickmark.js')) {
  const session = new Session();
  session.connect();
  process.on('SIGUSR2', () => {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    session.post('Profiler.start');
    setTimeout(() => {
      session.post('Profiler.stop', (error, { profile }) => {
        if (error) throw error;
        writeFileSync(process.env.PROFILE_FILE, JSON.stringify(profile));
      });
    }, Number(process.env.PROFILE_MS));
  });
}
