import tls from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll } from 'vitest';

export interface Certificate {
  key: string;
  cert: string;
}

const day = 24 * 60 * 60 * 1000;

interface Options {
  name?: string;
  /** The certificate is for this IP address instead of the name. */
  address?: string;
  until?: Date;
  /** Default: it signs itself. */
  issuer?: Certificate;
  isAuthority?: boolean;
  rsaBits?: 1024 | 2048;
}

export async function createCertificate(options: Options = {}) {
  const { name = 'localhost', address, until, issuer, isAuthority, rsaBits } = options;
  const notAfterDate = until ?? new Date(Date.now() + 365 * day);
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    ...(rsaBits ? { keyType: 'rsa', keySize: rsaBits } : { keyType: 'ec' }),
    algorithm: 'sha256',
    notBeforeDate: new Date(Math.min(Date.now(), notAfterDate.getTime()) - 30 * day),
    notAfterDate,
    extensions: isAuthority
      ? [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'keyUsage', keyCertSign: true, critical: true },
        ]
      : [{ name: 'subjectAltName', altNames: [address ? { type: 7, ip: address } : { type: 2, value: name }] }],
    ...(issuer && { ca: issuer }),
  });
  return { key, cert };
}

/** Its key, on the curve P-192, is too weak for TLS. */
export const weakCertificate: Certificate = {
  key: `-----BEGIN PRIVATE KEY-----
MG8CAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQEEVTBTAgEBBBg//fNOE06AH0Icpgf6
2M5kz5k31BPTMR+hNAMyAAQ94ekYevOLKjljcdzqium2PqWN1cy2otSYNJPvI+zP
/Sdrt0gHh0KyPPq61Ue9Ywo=
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBTzCCAQWgAwIBAgIUD2Z9gcOhaTda+vTcoPEP4tPk68cwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMTcwNDE1MDRaGA8yMTI2MTAyNDA0MTUwNFow
DDEKMAgGA1UEAwwBYTBJMBMGByqGSM49AgEGCCqGSM49AwEBAzIABD3h6Rh684sq
OWNx3OqK6bY+pY3VzLai1Jg0k+8j7M/9J2u3SAeHQrI8+rrVR71jCqNTMFEwHQYD
VR0OBBYEFEt9rVy768nST/h++Z1ttn0w6RGfMB8GA1UdIwQYMBaAFEt9rVy768nS
T/h++Z1ttn0w6RGfMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDOAAwNQIZ
AJt35cBtxywcg/yhioipUo3AM+LDTcZ6IQIYRuu1e8GSqe06/zeGC0BGMvVVI7Nu
ozIT
-----END CERTIFICATE-----
`,
};

/** An authority that this process trusts while the tests of the file run. */
export function trustedAuthority(): { readonly authority: Certificate } {
  const usual = tls.getCACertificates('default');
  const state = { authority: { key: '', cert: '' } };
  beforeAll(async () => {
    state.authority = await createCertificate({ name: 'Test authority', isAuthority: true });
    tls.setDefaultCACertificates([...usual, state.authority.cert]);
  });
  afterAll(() => tls.setDefaultCACertificates(usual));
  return state;
}
