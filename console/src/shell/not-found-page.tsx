import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { t } from '../texts/t.ts';
import { MessagePage } from './message-page.tsx';

export function NotFoundPage() {
  return (
    <MessagePage icon={<Compass aria-hidden />} title={t('errors.notFound')} text={t('errors.notFoundLead')}>
      <Button component={Link} to="/" variant="light">
        {t('errors.goHome')}
      </Button>
    </MessagePage>
  );
}
