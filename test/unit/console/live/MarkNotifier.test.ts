import { expect } from 'chai';
import { MarkNotifier, type NotificationPort } from '../../../../src/console/live/MarkNotifier.ts';

const MARK = { title: 'EURUSD: mark', body: 'A move.' };

function notifierOf(permission: ReturnType<NotificationPort['permission']>, answer: 'granted' | 'denied' = 'granted', isShown = true) {
  const state = { permission, asked: 0, shown: [] as string[], sounds: 0, ms: 0 };
  const port: NotificationPort = {
    permission: () => state.permission,
    request: async () => {
      state.asked++;
      state.permission = answer;
    },
    show: (title, body) => {
      state.shown.push(`${title} ${body}`);
      return isShown;
    },
    sound: () => void state.sounds++,
  };
  return { state, notifier: new MarkNotifier(port, () => state.ms) };
}

describe('MarkNotifier', () => {
  it('shows nothing and asks for nothing before it is switched on', () => {
    const { state, notifier } = notifierOf('granted');
    notifier.mark(MARK, '5m');
    expect([state.asked, state.shown.length, notifier.isOn]).to.deep.equal([0, 0, false]);
  });

  it('sounds without a permission, at most once in a while, and only if that is wanted', () => {
    const { state, notifier } = notifierOf('denied');
    notifier.mark(MARK, '5m');
    notifier.hasSound = true;
    for (const ms of [0, 9000, 11_000]) {
      state.ms = ms;
      notifier.mark(MARK, '5m');
    }
    expect([state.sounds, state.shown.length, notifier.isTelling, notifier.isOn]).to.deep.equal([2, 0, true, false]);
  });

  it('asks for the permission once, and then shows marks', async () => {
    const { state, notifier } = notifierOf('default');
    await notifier.toggle();
    notifier.mark(MARK, '5m');
    expect([state.asked, notifier.isOn]).to.deep.equal([1, true]);
    expect(state.shown).to.deep.equal(['EURUSD: mark A move.']);
    await notifier.toggle();
    await notifier.toggle();
    expect([state.asked, notifier.isOn]).to.deep.equal([1, true]);
  });

  it('stays off where the user refuses or the browser has none, and says what to do', async () => {
    const refused = notifierOf('default', 'denied');
    await refused.notifier.toggle();
    expect(refused.notifier.isOn).to.equal(false);
    expect(refused.notifier.fault).to.include('allow them in the settings of the browser');
    const none = notifierOf('unsupported');
    await none.notifier.toggle();
    expect([none.notifier.isOn, none.state.asked]).to.deep.equal([false, 0]);
    expect(none.notifier.fault).to.include('https or localhost');
  });

  it('shows one in ten seconds at most, and says how many it held back', async () => {
    const { state, notifier } = notifierOf('granted');
    await notifier.toggle();
    for (const ms of [0, 1, 9999, 10_000]) {
      state.ms = ms;
      notifier.mark(MARK, '5m');
    }
    expect(state.shown).to.deep.equal(['EURUSD: mark A move.', 'EURUSD: mark A move. 2 more since the last notification.']);
  });

  it('shows marks of the chosen horizon only, however its length is written, and a test at once', async () => {
    const { state, notifier } = notifierOf('granted');
    await notifier.toggle();
    notifier.horizon = '5m';
    notifier.mark(MARK, '10s');
    notifier.mark(MARK, '300s');
    notifier.test();
    expect(state.shown.map((text) => text.slice(0, 8))).to.deep.equal(['EURUSD: ', 'tickmark']);
  });

  it('switches itself off where the browser refuses to show one', async () => {
    const { notifier } = notifierOf('granted', 'granted', false);
    await notifier.toggle();
    notifier.mark(MARK, '5m');
    expect([notifier.isOn, notifier.fault !== '']).to.deep.equal([false, true]);
  });
});
