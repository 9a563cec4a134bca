import { Alert, Anchor, Group, Text } from '@mantine/core';
import { Copy } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t, tn } from '../../texts/t.ts';
import type { Listing } from './listing-values.ts';

export function Duplicates({ listing, onOpen }: { listing: Listing; onOpen: (id: number) => void }) {
  const { id, locationId, type, duplicateOf, suppressedAt } = listing;
  const { data } = useApi(
    'GET /api/listings',
    { query: { locationIds: [locationId], directoryType: [type], duplicates: true, max: 50 } },
    { enabled: duplicateOf === undefined },
  );
  const icon = <Copy size={18} aria-hidden />;
  if (duplicateOf !== undefined) {
    return (
      <Alert color="orange" icon={icon} title={t('listings.isDuplicate')}>
        <Group gap="sm">
          <Text size="sm">
            {suppressedAt ? t('listings.suppressed') : t('listings.notSuppressed')}{' '}
            {suppressedAt && <TimeAgo at={suppressedAt} />}
          </Text>
          <Anchor component="button" type="button" size="sm" onClick={() => onOpen(duplicateOf)}>
            {t('listings.openOriginal')}
          </Anchor>
        </Group>
      </Alert>
    );
  }
  const repeats = (data?.listings ?? []).filter((one) => one.duplicateOf === id);
  if (repeats.length === 0) return null;
  return (
    <Alert color="orange" icon={icon} title={tn('listings.duplicatesFound', repeats.length)}>
      <Group gap="sm">
        {repeats.map((one) => (
          <Anchor key={one.id} component="button" type="button" size="sm" onClick={() => onOpen(one.id)}>
            {one.listingId ?? `#${one.id}`}
          </Anchor>
        ))}
      </Group>
    </Alert>
  );
}
