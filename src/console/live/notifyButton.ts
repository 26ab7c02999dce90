import { button, byId, optionsOf, showText } from '../dom/element.ts';
import { horizonChoices } from '../markets/horizonChoices.ts';
import { readLength } from '../ticks/readFuture.ts';
import { horizonName } from './livePlan.ts';
import { MarkNotifier, type NotificationPort } from './MarkNotifier.ts';

/** One notification of the page: a newer mark replaces it, and sounds again. */
const TAG = 'tickmark-mark';

/** Seconds and hertz of the two tones of a mark. */
const TONE_S = 0.12;
const TONES_HZ = [880, 1320];

let audio: AudioContext | undefined;

const browserNotifications: NotificationPort = {
  permission: () => ('Notification' in globalThis && isSecureContext ? Notification.permission : 'unsupported'),
  request: () => Notification.requestPermission(),
  show(title, body) {
    try {
      const options = { body, tag: TAG, renotify: true };
      const shown = new Notification(title, options);
      shown.addEventListener('click', () => {
        focus();
        shown.close();
      });
      return true;
    } catch {
      // Chrome on Android has the permission and no constructor.
      return false;
    }
  },
  sound() {
    audio ??= new AudioContext();
    const context = audio;
    for (const [at, hz] of TONES_HZ.entries()) {
      const [tone, gain] = [context.createOscillator(), context.createGain()];
      const startS = context.currentTime + at * TONE_S;
      tone.frequency.value = hz;
      // Without the fade, its end is heard as a click.
      gain.gain.setValueAtTime(0.15, startS);
      gain.gain.linearRampToValueAtTime(0, startS + TONE_S);
      tone.connect(gain).connect(context.destination);
      tone.start(startS);
      tone.stop(startS + TONE_S);
    }
  },
};

/** Of ticks and of bars. */
const HORIZONS = [...new Set([null, '1m'].flatMap(horizonChoices))].sort((a, b) => readLength(a)! - readLength(b)!);

/** Switches the notifications and the sound of marks on and off, and says why there are none. */
export function notifyButton(): MarkNotifier {
  const notifier = new MarkNotifier(browserNotifications, () => Date.now());
  const switched = byId('live-notify', HTMLButtonElement);
  const show = (): void => {
    sound.setAttribute('aria-pressed', String(notifier.hasSound));
    switched.setAttribute('aria-pressed', String(notifier.isOn));
    switched.textContent = notifier.isOn ? 'Notifications are on' : 'Notify me of marks';
    showText('live-notify-hint', notifier.fault);
    byId('live-alerts', HTMLElement).hidden = !notifier.isTelling;
    byId('live-notify-test', HTMLElement).hidden = !notifier.isOn;
  };
  switched.addEventListener('click', () => void notifier.toggle().then(show));
  const toggle = (): void => {
    notifier.hasSound = !notifier.hasSound;
    // Heard at once; and browsers let a page sound only after a press.
    if (notifier.hasSound) browserNotifications.sound();
    show();
  };
  const sound = button('Sound', toggle, { id: 'live-sound' });
  switched.after(sound);
  const horizon = byId('live-alert-horizon', HTMLSelectElement);
  horizon.append(...optionsOf(HORIZONS.map((id) => [id, horizonName(id)])));
  horizon.addEventListener('change', () => (notifier.horizon = horizon.value));
  byId('live-notify-test', HTMLButtonElement).addEventListener('click', () => {
    notifier.test();
    show();
  });
  show();
  return notifier;
}
