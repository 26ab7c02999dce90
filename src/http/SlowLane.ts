/**
 * Lets those who wait go on one by one, each in its own turn of the event loop: between two of them whatever else has arrived is served. For work that a
 * crowd may ask for at once, and that nobody needs within a millisecond.
 */
export class SlowLane {
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
