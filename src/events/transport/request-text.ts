/**
 * The request as it goes over the connection, in one piece: one write, one packet as a rule. Headers are ours alone and
 * never carry what somebody typed; the URL has passed the guard, which wrote it out in ASCII.
 */
export function requestText(url: URL, headers: Readonly<Record<string, string>>, body: string): WrittenRequest {
  const bytes = Buffer.byteLength(body);
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
  head += `content-length: ${bytes}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  // Text of one byte a character is written without looking at each.
  return { text: `${head}\r\n${body}`, encoding: bytes === body.length ? 'latin1' : 'utf8' };
}

export interface WrittenRequest {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}
