const DATE = /-\d{4}-\d\d-\d\d$/;

/** What the versions of one market share: `eurusd` of `eurusd-2026-11-27`, whose end is the day of its training. An id without a day is itself. */
export function nameOf(id: string): string {
  return id.replace(DATE, '');
}

/** Which of `ids` is meant by `wanted`: the one with that id, else the newest whose name it is. Undefined if there is none. */
export function findDated(ids: Iterable<string>, wanted: string): string | undefined {
  let newest: string | undefined;
  for (const id of ids) {
    if (id === wanted) return id;
    // Days of one form sort as text does.
    if (nameOf(id) === wanted && (newest === undefined || id > newest)) newest = id;
  }
  return newest;
}
