import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import Type, { type Static } from 'typebox';
import { type FieldError, invalidField, missingField, Problem } from '../../problems.ts';
import {
  authMethods,
  type ClientCertificate,
  type CustomHeaders,
  type OAuthClient,
} from '../signing/webhook-credentials.ts';
import { isQueueUrl, originOf } from '../transport/queues/queue-url.ts';

const maxCertificates = 10;
const minRsaBits = 2048;
/** The time of a signature grows with the cube of the length, and a handshake blocks the process for it. */
const maxRsaBits = 4096;
const noticeMs = 30 * 86_400_000;

/** The key is stored encrypted and never returned. */
export const ClientCertificateField = Type.Object(
  {
    certificate: Type.String({ maxLength: 32_768, description: 'In PEM format, followed by the chain' }),
    privateKey: Type.String({ maxLength: 16_384, writeOnly: true, description: 'In PEM format, not encrypted' }),
  },
  { description: 'Client certificate for mutual TLS: RSA with 2048 to 4096 bits, EC or Ed25519' },
);

export const ClientCertificateResponse = Type.Object({
  subject: Type.String(),
  issuer: Type.String(),
  fingerprint: Type.String({ description: 'SHA-256' }),
  notAfter: Type.String(),
  warning: Type.Optional(Type.String({ description: 'From 30 days before it expires' })),
});

type CertificateInput = Static<typeof ClientCertificateField>;
type CertificatePart = keyof CertificateInput;

const invalidPart = (part: CertificatePart, rule: string, message: string) =>
  invalidField(`clientCertificate.${part}`, rule, `clientCertificate.${part} ${message}`);

/** Throws if the certificate, its chain and its key do not fit together. */
export function readCertificate({ certificate, privateKey }: CertificateInput): ClientCertificate {
  const chain = readChain(certificate);
  const [leaf] = chain as [X509Certificate, ...X509Certificate[]];
  const key = readKey(privateKey);
  if (!leaf.checkPrivateKey(key)) {
    throw invalidPart(
      'privateKey',
      'match',
      'does not belong to the first certificate. Send the key of that certificate.',
    );
  }
  const text = chain.map((one) => one.toString()).join('');
  checkStrength(text, privateKey);
  return {
    chain: text,
    subject: nameOf(leaf.subject),
    issuer: nameOf(leaf.issuer),
    fingerprint: leaf.fingerprint256.replaceAll(':', '').toLowerCase(),
    notBefore: new Date(Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime()))).toISOString(),
    notAfter: new Date(Math.min(...chain.map(({ validToDate }) => validToDate.getTime()))).toISOString(),
  };
}

const pemBegin = '-----BEGIN CERTIFICATE-----';
const pemEnd = '-----END CERTIFICATE-----';

function readChain(text: string): X509Certificate[] {
  const blocks = text.split(pemBegin).slice(1);
  if (blocks.length === 0) throw invalidPart('certificate', 'format', `must be in PEM format and contain ${pemBegin}.`);
  if (blocks.length > maxCertificates) {
    throw invalidPart('certificate', 'maxItems', `must have at most ${maxCertificates} certificates.`);
  }
  const chain = blocks.map((block, index) => {
    try {
      return new X509Certificate(`${pemBegin}${block.split(pemEnd)[0]}${pemEnd}\n`);
    } catch {
      throw invalidPart('certificate', 'format', `is not valid: certificate ${index + 1} cannot be read.`);
    }
  });
  const stray = chain.findIndex((one, index) => index > 0 && !isIssuer(one, chain[index - 1]));
  if (stray > 0) {
    const message = `is out of order: certificate ${stray + 1} did not issue certificate ${stray}. Send the client certificate first, then each issuer.`;
    throw invalidPart('certificate', 'chain', message);
  }
  return chain;
}

const isIssuer = (issuer: X509Certificate, issued: X509Certificate | undefined): boolean =>
  issued?.checkIssued(issuer) === true && issued.verify(issuer.publicKey);

function readKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) {
    const remedy = 'Remove its passphrase: openssl pkey -in key.pem -out plain.pem';
    throw invalidPart('privateKey', 'encrypted', `is encrypted, and Waypost cannot ask for its passphrase. ${remedy}`);
  }
  const key = parsedKey(text);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const { modulusLength: bits = 0 } = details ?? {};
  const isAccepted = type === 'rsa' ? bits >= minRsaBits && bits <= maxRsaBits : type === 'ec' || type === 'ed25519';
  if (!isAccepted) {
    throw invalidPart('privateKey', 'type', `must be RSA with ${minRsaBits} to ${maxRsaBits} bits, EC or Ed25519.`);
  }
  return key;
}

/** OpenSSL rejects weak keys and signatures of the whole chain when a connection is opened. */
function checkStrength(cert: string, key: string): void {
  try {
    tls.createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy =
      'Send certificates with RSA keys from 2048 bits or EC keys from 224 bits, signed with SHA-256 or stronger.';
    throw invalidPart(
      'certificate',
      'strength',
      `or a certificate of its chain cannot be used for TLS (${code}). ${remedy}`,
    );
  }
}

function parsedKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw invalidPart('privateKey', 'format', 'is not a private key in PEM format.');
  }
}

const nameOf = (lines: string | undefined): string => (lines ?? '').split('\n').filter(Boolean).join(', ');

/** Throws if the certificate is not valid now. */
export function checkCertificateUse(
  { notBefore, notAfter }: Pick<ClientCertificate, 'notBefore' | 'notAfter'>,
  now: Date,
): void {
  const remedy = 'Send a certificate that is valid now, with a chain that is valid now.';
  if (new Date(notAfter) <= now) throw invalidPart('certificate', 'expired', `expired on ${notAfter}. ${remedy}`);
  if (new Date(notBefore) > now)
    throw invalidPart('certificate', 'notYetValid', `is valid from ${notBefore}. ${remedy}`);
}

export function checkCertificateUrl(pushUrl: string): void {
  if (originOf(pushUrl)?.startsWith('https:')) return;
  const message =
    'clientCertificate requires a push URL that begins with https://, amqps:// or tls://. Change pushUrl, or remove it.';
  throw invalidField('clientCertificate', 'https', message);
}

export function certificateResponse(
  { subject, issuer, fingerprint, notAfter }: ClientCertificate,
  now: Date,
): Static<typeof ClientCertificateResponse> {
  const leftMs = new Date(notAfter).getTime() - now.getTime();
  const day = notAfter.slice(0, 10);
  const verb = leftMs <= 0 ? 'expired' : 'expires';
  const warning = `The client certificate ${verb} on ${day}. Set a new one, so that the receiver accepts deliveries.`;
  return { subject, issuer, fingerprint, notAfter, ...(leftMs <= noticeMs && { warning }) };
}

/** The client secret is stored encrypted and never returned. */
export const OAuthField = Type.Object(
  {
    tokenUrl: Type.String({ maxLength: 2048 }),
    clientId: Type.String({ minLength: 1, maxLength: 500 }),
    clientSecret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        writeOnly: true,
        description: 'Required for a new token URL or a push URL of another origin. Else the saved secret is kept',
      }),
    ),
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    audience: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    authMethod: Type.Optional(Type.Enum([...authMethods], { description: 'Default: client_secret_basic' })),
  },
  {
    description:
      'Deliveries have an access token of this client (OAuth 2.0 client credentials) as Authorization header',
  },
);

type OAuthInput = Static<typeof OAuthField>;

/** Without the client secret. */
export const clientOf = ({
  clientSecret: _,
  authMethod = 'client_secret_basic',
  ...client
}: OAuthInput): OAuthClient => ({
  ...client,
  authMethod,
});

/** The given secret, or undefined to keep the saved one, which is sent to its token URL only. */
export function newClientSecret(saved: OAuthClient | null, { tokenUrl, clientSecret }: OAuthInput): string | undefined {
  if (clientSecret === undefined && saved?.tokenUrl !== tokenUrl) {
    const message = 'oauth.clientSecret is required: it is not sent to a new token URL without entering it again.';
    throw missingField('oauth.clientSecret', saved ? message : 'oauth.clientSecret is required.');
  }
  return clientSecret;
}

/** For a push URL of another origin, which gets the tokens of the client. */
export function requireClientSecret(change: OAuthInput | undefined): void {
  if (change?.clientSecret !== undefined) return;
  const message =
    'oauth.clientSecret is required: tokens of the saved client are not sent to another origin without entering it again. Send oauth with clientSecret, or remove oauth with null.';
  throw missingField('oauth.clientSecret', message);
}

export function checkAuthorization(oauth: OAuthClient | null, headerNames: readonly string[], pushUrl: string): void {
  if (oauth && isQueueUrl(pushUrl)) {
    const message = 'oauth cannot be used with a queue. Remove oauth, and set user name and password in pushUrl.';
    throw invalidField('oauth', 'queue', message);
  }
  if (!oauth || !headerNames.includes('authorization')) return;
  const message = 'oauth sets the header Authorization. Remove Authorization from headers, or oauth.';
  throw invalidField('oauth', 'exclusive', message);
}

const maxHeaders = 20;
const maxHeaderBytes = 8192;
const maxNameLength = 100;
const maxValueLength = 2000;

/** Values are stored encrypted and never returned. */
export const HeadersField = Type.Record(Type.String(), Type.String({ maxLength: maxValueLength }), {
  maxProperties: maxHeaders,
  description: 'Additional headers of every delivery, at most 20. Values are not returned',
});

/** In a change, the given headers are set, and headers with null are removed. */
export const HeadersChange = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: maxValueLength }), Type.Null()]),
  {
    maxProperties: 2 * maxHeaders,
    description:
      'Headers to set, or to remove with null. Others are unchanged; with a push URL of another origin, all are required',
  },
);

// RFC 9110, section 5.6.2.
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const visibleText = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Set by the delivery itself, or change the meaning of the message. */
const reservedNames = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'waypost-test',
]);
const reservedPrefixes = ['webhook-', 'proxy-', 'ce-'];

const isReserved = (name: string) =>
  reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));

/** The headers after a change, with names in lower case. Throws if the result is not valid. */
export function changedHeaders(headers: CustomHeaders, change: Static<typeof HeadersChange>): CustomHeaders {
  const changed = new Map(Object.entries(headers));
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(change)) {
    const key = name.toLowerCase();
    const error = headerError(name, value);
    if (error) errors.push(error);
    else if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  const bytes = [...changed].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (changed.size > maxHeaders || bytes > maxHeaderBytes) {
    const message = `A webhook can have ${maxHeaders} headers with ${maxHeaderBytes} characters in all.`;
    throw invalidField('headers', 'maxProperties', message);
  }
  return Object.fromEntries(changed);
}

/** For a push URL of another origin: saved values are not sent to it. */
export function requireHeaderValues(saved: readonly string[], change: Static<typeof HeadersChange> = {}): void {
  const given = new Set(Object.keys(change).map((name) => name.toLowerCase()));
  const kept = saved.filter((name) => !given.has(name));
  if (kept.length === 0) return;
  const message = `headers must contain ${kept.join(', ')}: saved values are not sent to another origin without entering them again. Send the values, or remove these headers with null.`;
  throw missingField('headers', message);
}

function headerError(name: string, value: string | null): FieldError | undefined {
  const shown = name.slice(0, maxNameLength);
  const field = `headers.${shown}`;
  if (name.length > maxNameLength || !headerName.test(name)) {
    const message = `${JSON.stringify(shown)} is not a header name: use letters, digits and hyphens, at most ${maxNameLength}.`;
    return { field, rule: 'name', message };
  }
  if (isReserved(name.toLowerCase()))
    return { field, rule: 'reserved', message: `The header ${shown} is set by Waypost and cannot be changed.` };
  if (value !== null && !visibleText.test(value)) {
    const message = `The value of the header ${shown} must be visible ASCII text without line breaks, and not empty.`;
    return { field, rule: 'value', message };
  }
  return undefined;
}
