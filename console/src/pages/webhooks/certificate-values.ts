import { t } from '../../texts/t.ts';
import type { Webhook } from './webhook-values.ts';

type Shown = NonNullable<Webhook['clientCertificate']>;

interface NewCertificate {
  certificate: string;
  privateKey: string;
}

export interface CertificateValues {
  /** Undefined: the webhooks have different certificates, and keep them. */
  usesCertificate: boolean | undefined;
  /** Empty if the saved one is kept. */
  clientCertificate: NewCertificate;
}

export function certificateOf(webhooks: readonly Webhook[]): CertificateValues {
  const [first, ...others] = webhooks.map(({ clientCertificate }) => clientCertificate?.fingerprint);
  const differs = others.some((other) => other !== first);
  return {
    usesCertificate: differs ? undefined : first !== undefined,
    clientCertificate: { certificate: '', privateKey: '' },
  };
}

/** Undefined if nothing changed, null to remove the certificate. */
export function certificateChange(before: CertificateValues, values: CertificateValues) {
  const { usesCertificate, clientCertificate } = values;
  if (usesCertificate === undefined || (!usesCertificate && before.usesCertificate === false)) return undefined;
  if (!usesCertificate) return null;
  return isEmpty(values) ? undefined : clientCertificate;
}

const isEmpty = ({ clientCertificate: { certificate, privateKey } }: CertificateValues): boolean =>
  !certificate.trim() && !privateKey.trim();

/** Validation of the form, by field. */
export const certificateRules = (initial: CertificateValues) => {
  const needed = (key: 'certificateNeeded' | 'privateKeyNeeded') => (value: string, values: CertificateValues) => {
    const isKept = initial.usesCertificate === true && isEmpty(values);
    return values.usesCertificate && !isKept && !value.trim() ? t(`webhooks.certificate.${key}`) : null;
  };
  return { certificate: needed('certificateNeeded'), privateKey: needed('privateKeyNeeded') };
};

export const certificateText = ({ subject, issuer, notAfter }: Shown): string =>
  t('webhooks.certificate.text', { subject, issuer, day: notAfter.slice(0, 10) });
