import { Lock } from 'lucide-react';
import { t } from '../texts/t.ts';
import { MessagePage } from './message-page.tsx';

export function NoPermission() {
  return <MessagePage icon={<Lock aria-hidden />} title={t('errors.forbidden')} text={t('errors.forbiddenLead')} />;
}
