const DEFAULT_DATABASE = 'tickmark';

/** The database of a URI. The default of the driver would be `test`. */
export function databaseOf(uri: string): string {
  return /^[^/]+:\/\/[^/]*\/([^?/]+)/.exec(uri)?.[1] ?? DEFAULT_DATABASE;
}

/** Names the database of a URI to people, without its credentials; where these cannot be told apart, it names nothing. */
export function describeDatabase(uri: string): string {
  const hosts = /^[^/]+:\/\/(?:[^/]*@)?([^/?@]+)(?:[/?][^@]*)?$/.exec(uri)?.[1];
  return `MongoDB database ${hosts === undefined ? 'of MONGODB_URI' : `${databaseOf(uri)} on ${hosts.split(',').toSorted().join(',')}`}`;
}
