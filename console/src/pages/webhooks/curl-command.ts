const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a command for a POSIX shell. */
export function curlCommand(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const options = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl', quoted(url), ...options, `--data-binary ${quoted(body)}`].join(' \\\n  ');
}
