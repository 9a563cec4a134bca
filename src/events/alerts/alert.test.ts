import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Alert, type AlertHistory, alertCauses, type MessageContent, messagesDue } from './alert.ts';

const start = Date.parse('2026-11-15T00:00:00Z');
const at = (minute: number) => new Date(start + minute * 60_000);
const alert = (changes: Partial<Alert> = {}): Alert => ({
  id: 1,
  webhookId: 1,
  kind: 'HEALTH',
  cause: 'FAILING',
  detail: null,
  deadline: null,
  openedAt: at(0),
  overAt: null,
  ...changes,
});
const sent = (content: MessageContent, minute: number) => ({ content, sentAt: at(minute) });
const contents = (group: readonly AlertHistory[], minute: number) =>
  messagesDue(group, at(minute)).map((due) => due.content);

test('one message per cause, and one when the alert is over', () => {
  expect(contents([{ alert: alert(), sent: [] }], 0)).toEqual(['FAILING']);
  expect(contents([{ alert: alert(), sent: [sent('FAILING', 0)] }], 500)).toEqual([]);
  expect(contents([{ alert: alert({ cause: 'PAUSED' }), sent: [sent('FAILING', 0)] }], 1)).toEqual(['PAUSED']);
  const over = alert({ overAt: at(2) });
  expect(contents([{ alert: over, sent: [sent('FAILING', 0)] }], 2)).toEqual(['OVER']);
  expect(contents([{ alert: over, sent: [sent('FAILING', 0), sent('OVER', 2)] }], 3)).toEqual([]);
});

test('a reopened alert waits until the hour is over; an alert without a message ends without one', () => {
  const history = [sent('FAILING', 0), sent('OVER', 2)];
  expect(contents([{ alert: alert(), sent: history }], 59)).toEqual([]);
  expect(contents([{ alert: alert(), sent: history }], 61)).toEqual(['FAILING']);
  expect(contents([{ alert: alert({ overAt: at(1) }), sent: [] }], 2)).toEqual([]);
});

test('a group has one message when all of its alerts are over', () => {
  const ended = { alert: alert({ overAt: at(5) }), sent: [sent('FAILING', 0)] };
  const open = { alert: alert({ id: 2 }), sent: [sent('FAILING', 0)] };
  expect(contents([ended, open], 5)).toEqual([]);
  expect(contents([ended, { ...open, alert: { ...open.alert, overAt: at(6) } }], 6)).toEqual(['OVER', 'OVER']);
});

test('no sequence of states sends a cause twice within an hour', () => {
  const states = fc.array(fc.constantFrom(...alertCauses, null), { maxLength: 200 });
  fc.assert(
    fc.property(states, (minutes) => {
      const history: { content: MessageContent; sentAt: Date }[] = [];
      for (const [minute, cause] of minutes.entries()) {
        const current = cause ? alert({ cause }) : alert({ overAt: at(minute) });
        const due = contents([{ alert: current, sent: history }], minute);
        for (const content of due) {
          const previous = history.findLast((message) => message.content === content);
          if (content === 'OVER') expect(history.at(-1)?.content).not.toBe('OVER');
          else if (previous) expect(at(minute).getTime() - previous.sentAt.getTime()).toBeGreaterThanOrEqual(3_600_000);
          history.push({ content, sentAt: at(minute) });
        }
      }
    }),
  );
});
