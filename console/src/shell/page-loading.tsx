import { Center, Loader, VisuallyHidden } from '@mantine/core';
import { t } from '../texts/t.ts';

export function PageLoading() {
  return (
    <Center mih="60vh" role="status">
      <Loader type="dots" aria-hidden />
      <VisuallyHidden>{t('app.loading')}</VisuallyHidden>
    </Center>
  );
}
