import type { NotificationPort } from './MarkNotifier.ts';

/** One notification of the page: a newer mark replaces it, and sounds again. */
const TAG = 'tickmark-mark';

/** Seconds and hertz of the two tones of a mark. */
const TONE_S = 0.12;
const TONES_HZ = [880, 1320];

let audio: AudioContext | undefined;

export const browserNotifications: NotificationPort = {
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
