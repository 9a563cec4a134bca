import { Button } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { CloudOff, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../texts/t.ts';
import { MessagePage } from './message-page.tsx';
import { isServerReachable, reloadOnceFor } from './missing-files.ts';
import { PageLoading } from './page-loading.tsx';

interface Props {
  error: Error;
  reset: (() => void) | undefined;
}

/** Shown when a page's script cannot be loaded. Reloads after a new build; offers a retry if the server is down. */
export function MissingFilePage({ error, reset }: Props) {
  const router = useRouter();
  const [state, setState] = useState<'asking' | 'unreachable' | 'outdated'>('asking');
  useEffect(() => {
    let isShown = true;
    void isServerReachable().then((isThere) => {
      if (!isShown) return;
      if (!isThere) setState('unreachable');
      else if (!reloadOnceFor(error)) setState('outdated');
    });
    return () => {
      isShown = false;
    };
  }, [error]);
  if (state === 'asking') return <PageLoading />;
  if (state === 'outdated') {
    return (
      <MessagePage icon={<RefreshCw aria-hidden />} title={t('errors.title')} text={t('errors.newVersion')}>
        <Button onClick={() => location.reload()}>{t('errors.reload')}</Button>
      </MessagePage>
    );
  }
  const retry = async () => {
    // Loads the script before rendering the page again.
    await router.invalidate();
    reset?.();
  };
  return (
    <MessagePage icon={<CloudOff aria-hidden />} title={t('errors.title')} text={t('errors.unreachable')}>
      <Button onClick={() => void retry()}>{t('errors.retry')}</Button>
    </MessagePage>
  );
}
