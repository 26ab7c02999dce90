/**
 * The service of the chaos run loads this before its own code: it asks the name server in CHAOS_NAME_SERVER, which never answers. Node.js has no
 * setting for the name server of a process.
 */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

dns.Resolver = class extends dns.Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env['CHAOS_NAME_SERVER']]);
  }
};
syncBuiltinESMExports();
