import { byId, element, sureButton } from '../dom/element.ts';
import { Failure } from '../service/failureText.ts';
import type { Service } from '../service/clientService.ts';
import { minuteText } from '../ticks/timeText.ts';

/** What tells the sessions of an account apart, such as Firefox on Linux. */
export function deviceName(agent: string): string | undefined {
  const browser = /Edg(?=\/|A)|Firefox|Chrome|Safari/.exec(agent)?.[0].replace('Edg', 'Edge');
  const system = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(agent)?.[0];
  return browser && system && `${browser} on ${system}`;
}

/** The sessions of the account, each with a button that ends it. Of this browser, `onOwnEnded` is called. */
export async function showSessions(service: Pick<Service, 'sessions' | 'endSession'>, onOwnEnded: () => void): Promise<void> {
  const list = byId('sessions', HTMLElement);
  list.replaceChildren();
  const rows = await service.sessions().then(
    (found) =>
      found.map(({ id, name, created_at: began, last_used_at: used, is_current: isOwn }) => {
        const shown = name ?? 'a program';
        const end = async (): Promise<void> => {
          await service.endSession(id).catch(() => {});
          if (isOwn) onOwnEnded();
          else await showSessions(service, onOwnEnded);
        };
        const words = 'That browser is signed out. Signing in again takes e-mail and password.';
        const times = `since ${minuteText(began)}${used === null ? '' : `, last used ${minuteText(used)}`}`;
        return element(
          'li',
          {},
          element('p', { class: 'key-words' }, shown, isOwn ? element('span', { class: 'tag' }, 'this browser') : null),
          sureButton({ text: 'End', label: `End the session ${shown}`, sure: 'End it', words }, () => void end()),
          element('p', { class: 'hint small-words' }, times),
        );
      }),
    (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      return [element('li', { class: 'hint' }, error.message)];
    },
  );
  list.replaceChildren(...rows);
}
