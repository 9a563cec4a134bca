import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import Type, { type Static } from 'typebox';
import { invalidField } from '../../problems.ts';
import type { ClientCertificate } from '../signing/client-certificate.ts';
import { originOf } from '../transport/queues/queue-url.ts';

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

type Input = Static<typeof ClientCertificateField>;
type Part = keyof Input;

const invalid = (part: Part, rule: string, message: string) =>
  invalidField(`clientCertificate.${part}`, rule, `clientCertificate.${part} ${message}`);

/** Throws if the certificate, its chain and its key do not fit together. */
export function readCertificate({ certificate, privateKey }: Input): ClientCertificate {
  const chain = readChain(certificate);
  const [leaf] = chain as [X509Certificate, ...X509Certificate[]];
  const key = readKey(privateKey);
  if (!leaf.checkPrivateKey(key)) {
    throw invalid('privateKey', 'match', 'does not belong to the first certificate. Send the key of that certificate.');
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

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

function readChain(text: string): X509Certificate[] {
  const blocks = text.split(begin).slice(1);
  if (blocks.length === 0) throw invalid('certificate', 'format', `must be in PEM format and contain ${begin}.`);
  if (blocks.length > maxCertificates) {
    throw invalid('certificate', 'maxItems', `must have at most ${maxCertificates} certificates.`);
  }
  const chain = blocks.map((block, index) => {
    try {
      return new X509Certificate(`${begin}${block.split(end)[0]}${end}\n`);
    } catch {
      throw invalid('certificate', 'format', `is not valid: certificate ${index + 1} cannot be read.`);
    }
  });
  const stray = chain.findIndex((one, index) => index > 0 && !isIssuer(one, chain[index - 1]));
  if (stray > 0) {
    const message = `is out of order: certificate ${stray + 1} did not issue certificate ${stray}. Send the client certificate first, then each issuer.`;
    throw invalid('certificate', 'chain', message);
  }
  return chain;
}

const isIssuer = (issuer: X509Certificate, issued: X509Certificate | undefined): boolean =>
  issued?.checkIssued(issuer) === true && issued.verify(issuer.publicKey);

function readKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text)) {
    const remedy = 'Remove its passphrase: openssl pkey -in key.pem -out plain.pem';
    throw invalid('privateKey', 'encrypted', `is encrypted, and Waypost cannot ask for its passphrase. ${remedy}`);
  }
  const key = parsedKey(text);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const { modulusLength: bits = 0 } = details ?? {};
  const isAccepted = type === 'rsa' ? bits >= minRsaBits && bits <= maxRsaBits : type === 'ec' || type === 'ed25519';
  if (!isAccepted) {
    throw invalid('privateKey', 'type', `must be RSA with ${minRsaBits} to ${maxRsaBits} bits, EC or Ed25519.`);
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
    throw invalid(
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
    throw invalid('privateKey', 'format', 'is not a private key in PEM format.');
  }
}

const nameOf = (lines: string | undefined): string => (lines ?? '').split('\n').filter(Boolean).join(', ');

/** Throws if the certificate cannot be used now, or not with the push URL. */
export function checkCertificateUse(
  { notBefore, notAfter }: Pick<ClientCertificate, 'notBefore' | 'notAfter'>,
  now: Date,
): void {
  const remedy = 'Send a certificate that is valid now, with a chain that is valid now.';
  if (new Date(notAfter) <= now) throw invalid('certificate', 'expired', `expired on ${notAfter}. ${remedy}`);
  if (new Date(notBefore) > now) throw invalid('certificate', 'notYetValid', `is valid from ${notBefore}. ${remedy}`);
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
