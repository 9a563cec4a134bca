// Matches every spelling: privateKey, private-key, PRIVATE_KEY, x-sandbox-key, set-cookie.
const secretName =
  /(private|public|api|access|master|sandbox|secret)key$|token$|secret$|password$|cookie$|authorization$/;
const hidden = '[hidden]';
// Cache of results by field name; limited, because header names of receivers are arbitrary.
const resultsByName = new Map<string, boolean>();
const maxResults = 1000;

/**
 * Replaces the values of keys, tokens and cookies at any depth. Libraries may log whole headers at debug level.
 */
export function withoutSecrets<T>(value: T): T {
  return redacted(value, []) as T;
}

/** Copies only objects that contain secrets, because each delivery writes a line. */
function redacted(value: unknown, ancestors: readonly object[]): unknown {
  if (!isPlainObject(value) || ancestors.includes(value)) return value;
  const path = [...ancestors, value];
  let copy: Record<string, unknown> | undefined;
  for (const [name, inner] of Object.entries(value)) {
    const shown = isSecret(name, inner) ? hidden : typeof inner === 'object' ? redacted(inner, path) : inner;
    if (shown === inner) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
    copy[name] = shown;
  }
  return copy ?? value;
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value));

/** Numbers and booleans are not secrets: a field may count tokens or allow cookies. */
const isSecret = (name: string, value: unknown) =>
  (typeof value === 'string' || Array.isArray(value)) && isSecretName(name);

function isSecretName(name: string): boolean {
  const known = resultsByName.get(name);
  if (known !== undefined) return known;
  const isOne = secretName.test(name.replaceAll(/[-_ ]/g, '').toLowerCase());
  if (resultsByName.size < maxResults) resultsByName.set(name, isOne);
  return isOne;
}
