import type { IncomingHttpHeaders } from 'node:http';

const maxHeaders = 32;
const maxCharacters = 8 * 1024;

/** The headers of an answer as far as they are kept, one text per name. */
export function keptHeaders(received: IncomingHttpHeaders): Record<string, string> {
  return isSmall(received) ? received : smaller(received);
}

// Nearly every answer is kept as it came, without a copy.
function isSmall(received: IncomingHttpHeaders): received is Record<string, string> {
  let count = 0;
  let characters = 0;
  for (const name in received) {
    const value = received[name];
    if (typeof value !== 'string') return false;
    count += 1;
    characters += name.length + value.length;
  }
  return count <= maxHeaders && characters <= maxCharacters;
}

function smaller(received: IncomingHttpHeaders): Record<string, string> {
  const kept: [string, string][] = [];
  let room = maxCharacters;
  for (const [name, value = ''] of Object.entries(received)) {
    if (kept.length === maxHeaders) break;
    const text = typeof value === 'string' ? value : value.join(', ');
    room -= name.length + text.length;
    if (room < 0) break;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}
