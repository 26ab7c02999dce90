import { byId, element, tell } from '../dom/element.ts';
import { horizonChoices } from '../markets/horizonChoices.ts';
import { readLength } from '../ticks/readFuture.ts';
import { browserNotifications } from './browserNotifications.ts';
import { horizonName } from './livePlan.ts';
import { MarkNotifier } from './MarkNotifier.ts';

/** Of ticks and of bars. */
const HORIZONS = [...new Set([null, '1m'].flatMap(horizonChoices))].sort((a, b) => readLength(a)! - readLength(b)!);

/** Switches the notifications and the sound of marks on and off, and says why there are none. */
export function notifyButton(): MarkNotifier {
  const notifier = new MarkNotifier(browserNotifications, () => Date.now());
  const button = byId('live-notify', HTMLButtonElement);
  const sound = element('button', { type: 'button', class: 'small', id: 'live-sound' }, 'Sound');
  button.after(sound);
  const show = (): void => {
    sound.setAttribute('aria-pressed', String(notifier.hasSound));
    button.setAttribute('aria-pressed', String(notifier.isOn));
    button.textContent = notifier.isOn ? 'Notifications are on' : 'Notify me of marks';
    tell('live-notify-hint', notifier.fault);
    byId('live-notify-hint', HTMLElement).hidden = notifier.fault === '';
    byId('live-alerts', HTMLElement).hidden = !notifier.isTelling;
    byId('live-notify-test', HTMLElement).hidden = !notifier.isOn;
  };
  button.addEventListener('click', () => void notifier.toggle().then(show));
  sound.addEventListener('click', () => {
    notifier.hasSound = !notifier.hasSound;
    // Heard at once; and browsers let a page sound only after a press.
    if (notifier.hasSound) browserNotifications.sound();
    show();
  });
  const horizon = byId('live-alert-horizon', HTMLSelectElement);
  horizon.append(...HORIZONS.map((id) => element('option', { value: id }, horizonName(id))));
  horizon.addEventListener('change', () => (notifier.horizon = horizon.value));
  byId('live-notify-test', HTMLButtonElement).addEventListener('click', () => {
    notifier.test();
    show();
  });
  show();
  return notifier;
}
