/**
 * A serial executor: lets waiting tasks continue one by one, each in its own iteration of the event loop, so that other requests are served
 * in between. For work that many callers may request at once and that is not urgent.
 */
export class SerialExecutor {
  readonly #waiting: (() => void)[] = [];
  #isMoving = false;

  enter(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isMoving) this.#move();
    });
  }

  #move(): void {
    this.#isMoving = true;
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#move();
      else this.#isMoving = false;
    });
  }
}
