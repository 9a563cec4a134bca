/** The fields of an event that its CloudEvents headers use. */
interface EventFields {
  id: number;
  type: string;
  time: string;
  salesPartnerIdentifier: string;
  listing?: number;
  directoryBusinessPage?: number;
  location?: number;
  business?: number;
}

/** The headers of an event in the binary content mode of the HTTP binding of CloudEvents 1.0.2. */
export function cloudEventHeaders(eventText: string): Record<string, string> {
  const event: EventFields = JSON.parse(eventText);
  const subject = subjectOf(event);
  return {
    'ce-specversion': '1.0',
    'ce-id': String(event.id),
    'ce-type': encodeHeader(event.type),
    'ce-source': encodeHeader(`/sales-partners/${encodeURIComponent(event.salesPartnerIdentifier)}`),
    'ce-time': event.time,
    ...(subject && { 'ce-subject': subject }),
  };
}

/** The record that the event is about. */
function subjectOf({ listing, directoryBusinessPage, location, business }: EventFields): string | undefined {
  if (listing !== undefined) return `listings/${listing}`;
  if (directoryBusinessPage !== undefined) return `directory-business-pages/${directoryBusinessPage}`;
  if (location !== undefined) return `locations/${location}`;
  return business === undefined ? undefined : `businesses/${business}`;
}

/** Section 3.1.3.2 of the binding: a space, quotes, percent and all but printable ASCII are percent-encoded. */
const encodeHeader = (value: string): string =>
  value
    .toWellFormed()
    .replace(/[^!#$&-~]/gu, (character) =>
      Buffer.from(character).reduce((text, byte) => `${text}%${byte.toString(16).toUpperCase().padStart(2, '0')}`, ''),
    );
