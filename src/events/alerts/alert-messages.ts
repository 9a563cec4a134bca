import { type Alert, type AlertCause, hourMs } from './alert.ts';

export type Channel = 'EVENT' | 'EMAIL';

/** The cause of an open alert, or OVER. */
export type MessageContent = AlertCause | 'OVER';

interface SentMessage {
  content: MessageContent;
  sentAt: Date;
}

/** An alert and the messages that one channel sent about it, oldest first. */
export interface AlertHistory {
  alert: Alert;
  sent: readonly SentMessage[];
}

/**
 * The alerts of a group that need a message: at most one per cause and hour, and one when the group has no open alert.
 * An alert whose hour is not over waits, unless it is over before.
 */
export function messagesDue(group: readonly AlertHistory[], now: Date): { alert: Alert; content: MessageContent }[] {
  const hourAgo = now.getTime() - hourMs;
  const recent = new Set(
    group.flatMap(({ sent }) => sent.filter(({ sentAt }) => sentAt.getTime() > hourAgo)).map(({ content }) => content),
  );
  const open = group.filter(({ alert }) => alert.overAt === null);
  if (open.length === 0) {
    return group
      .filter(({ sent }) => sent.length > 0 && sent.at(-1)?.content !== 'OVER')
      .map(({ alert }) => ({ alert, content: 'OVER' }));
  }
  return open
    .filter(({ alert, sent }) => sent.at(-1)?.content !== alert.cause && !recent.has(alert.cause))
    .map(({ alert }) => ({ alert, content: alert.cause }));
}
