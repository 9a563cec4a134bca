import { t } from '../texts/t.ts';

/** The name of the user, the private key or Waypost itself, which changed a record. */
export function actorText(actor: string): string {
  if (actor === 'PRIVATE_TOKEN') return t('audit.byKey');
  return actor === 'SYSTEM' ? t('audit.bySystem') : actor;
}
