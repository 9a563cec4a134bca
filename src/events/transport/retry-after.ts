// RFC 9110, section 5.6.7: the date of today and the two old ones that a recipient must still accept.
const httpDate = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d\d:\d\d:\d\d/;

/** The wait a receiver asks for, in whole seconds from now; undefined when it is not written as HTTP says. */
export function retryAfterSeconds(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  if (!httpDate.test(text)) return undefined;
  // The oldest form names no zone and means GMT; the parser would take it for local time.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
