import { horizonName } from './livePlan.ts';

/** The notifications of the browser. */
export type NotificationPort = {
  /** unsupported: this browser, or an address without TLS, offers none. */
  permission(): 'default' | 'granted' | 'denied' | 'unsupported';
  /** Asks the user; only after a click. */
  request(): Promise<unknown>;
  /** Returns whether it was shown: some browsers on phones refuse. */
  show(title: string, body: string): boolean;
  sound(): void;
};

/** A fast stream must not cover the screen. */
const EVERY_MS = 10_000;

/** Shows a browser notification for marks, or sounds, once the user has switched that on. Off by default. */
export class MarkNotifier {
  readonly #port: NotificationPort;
  readonly #nowMs: () => number;
  /** Id of the forecasts whose marks are shown; empty: of all. */
  horizon = '';
  hasSound = false;
  isOn = false;
  #isRefused = false;
  #shownMs = -Infinity;
  #held = 0;

  constructor(port: NotificationPort, nowMs: () => number) {
    this.#port = port;
    this.#nowMs = nowMs;
  }

  get isTelling(): boolean {
    return this.isOn || this.hasSound;
  }

  /** What keeps notifications off, as a sentence; empty: nothing does. */
  get fault(): string {
    const permission = this.#port.permission();
    if (permission === 'unsupported' || this.#isRefused)
      return 'This browser shows no notifications here: they need https or localhost, and a browser on a computer.';
    return permission === 'denied' ? 'Notifications are blocked for this page: allow them in the settings of the browser.' : '';
  }

  /** For a click of the user: asks for the permission if there is none yet. */
  async toggle(): Promise<void> {
    if (this.isOn) {
      this.isOn = false;
      return;
    }
    if (this.#port.permission() === 'default') await this.#port.request();
    this.isOn = this.#port.permission() === 'granted';
  }

  /** Shows one at once, so that the user knows what comes, and whether it does. */
  test(): void {
    this.#show('tickmark: a test', 'A mark is shown like this, while this page is open.');
  }

  /** `id`: of its forecasts; 300s and 5m are one horizon. */
  mark({ title, body }: { readonly title: string; readonly body: string }, id: string): void {
    if (!this.isTelling || (this.horizon !== '' && horizonName(this.horizon) !== horizonName(id))) return;
    if (this.#nowMs() - this.#shownMs < EVERY_MS) {
      this.#held++;
      return;
    }
    const more = this.#held === 0 ? '' : ` ${this.#held} more since the last notification.`;
    if (this.hasSound) this.#port.sound();
    if (this.isOn) this.#show(title, body + more);
    this.#shownMs = this.#nowMs();
    this.#held = 0;
  }

  #show(title: string, body: string): void {
    if (!this.#port.show(title, body)) [this.isOn, this.#isRefused] = [false, true];
  }
}
