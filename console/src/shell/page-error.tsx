import { Button } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { ApiProblem } from '../api/api-problem.ts';
import { t } from '../texts/t.ts';
import { MessagePage } from './message-page.tsx';
import { MissingFilePage } from './missing-file-page.tsx';
import { isMissingFile } from './missing-files.ts';
import { NoPermission } from './no-permission.tsx';
import { NotFoundPage } from './not-found-page.tsx';

interface Props {
  error: unknown;
  reset?: () => void;
}

export function PageError({ error, reset }: Props) {
  if (error instanceof ApiProblem && error.isMissing) return <NotFoundPage />;
  if (error instanceof ApiProblem && error.isForbidden) return <NoPermission />;
  if (isMissingFile(error)) return <MissingFilePage error={error} reset={reset} />;
  const text = error instanceof ApiProblem ? error.message : t('errors.lead');
  return (
    <MessagePage icon={<TriangleAlert aria-hidden />} title={t('errors.title')} text={text}>
      <Button onClick={() => (reset ? reset() : location.reload())}>
        {reset ? t('errors.retry') : t('errors.reload')}
      </Button>
    </MessagePage>
  );
}
