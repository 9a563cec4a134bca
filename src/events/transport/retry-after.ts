// RFC 9110, section 5.6.7: the current date format and the two obsolete ones that recipients must accept.
const httpDate = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d\d:\d\d:\d\d/;

/** Retry-After in whole seconds from now; undefined if the value is invalid. */
export function retryAfterSeconds(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  if (!httpDate.test(text)) return undefined;
  // The asctime format has no zone and means GMT; Date.parse would assume local time.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
