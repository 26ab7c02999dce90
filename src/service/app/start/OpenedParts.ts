/** The parts that are open, which close in reverse order of opening. */
export class OpenedParts {
  readonly #closes: (() => unknown)[] = [];

  /** Adds a part, and returns it. */
  add<Part extends { close(): unknown } | undefined>(part: Part): Part {
    if (part !== undefined) this.#closes.push(() => part.close());
    return part;
  }

  /** Each is closed once. Throws the error of the first that fails. */
  async close(): Promise<void> {
    for (const close of this.#closes.splice(0).toReversed()) await close();
  }
}
