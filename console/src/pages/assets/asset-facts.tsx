import { VisuallyHidden } from '@mantine/core';
import type { Asset } from '../../api/api-types.ts';
import { bytesText } from '../../parts/number-text.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t } from '../../texts/t.ts';
import classes from './assets.module.css';

export function AssetFacts({ asset }: { asset: Asset }) {
  const { type, mimeType, sizeBytes, width, height, dateCreated, createdBy } = asset;
  return (
    <section>
      <VisuallyHidden>{t('assets.details.facts')}</VisuallyHidden>
      <dl className={classes.facts}>
        <dt>{t('assets.details.fileType')}</dt>
        <dd>{[t(`assets.types.${type}`), mimeType].filter(Boolean).join(', ')}</dd>
        {sizeBytes !== undefined && (
          <>
            <dt>{t('assets.details.size')}</dt>
            <dd>{bytesText(sizeBytes)}</dd>
          </>
        )}
        {width !== undefined && height !== undefined && (
          <>
            <dt>{t('assets.details.dimensions')}</dt>
            <dd>{t('assets.details.pixels', { width, height })}</dd>
          </>
        )}
        <dt>{t('assets.details.uploaded')}</dt>
        <dd>
          <TimeAgo at={dateCreated} /> {t('assets.details.by', { name: createdBy })}
        </dd>
      </dl>
    </section>
  );
}
