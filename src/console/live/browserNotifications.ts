import type { NotificationPort } from './MarkNotifier.ts';

/** One notification of the page: a newer mark replaces it, and sounds again. */
const TAG = 'tickmark-mark';

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
};
