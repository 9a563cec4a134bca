/** What every event has and every list shows elsewhere. */
const everywhere = new Set(['id', 'time', 'type', 'salesPartnerIdentifier', 'comment']);

/** What an event is about in a line: its comment, or its plain fields. */
export function gistOf(event: Record<string, unknown>): string {
  if (typeof event.comment === 'string' && event.comment) return event.comment;
  return Object.entries(event)
    .filter(([name, value]) => !everywhere.has(name) && (typeof value === 'string' || typeof value === 'number'))
    .slice(0, 4)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ');
}
