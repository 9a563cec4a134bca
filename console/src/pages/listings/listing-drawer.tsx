import { Alert, Anchor, Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Copy, ExternalLink, Link2, Send, Unlink } from 'lucide-react';
import { useHasPermission } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { AttemptCountdown } from '../../parts/attempt-countdown.tsx';
import { FormDrawer } from '../../parts/form-drawer.tsx';
import { isHttpUrl } from '../../parts/http-url.ts';
import { notifyDone, notifyProblem } from '../../parts/notify.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { TryAgain } from '../../parts/try-again.tsx';
import { useLocationNames } from '../../parts/use-location-names.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { EditListing } from './edit-listing.tsx';
import { FieldDifferences } from './field-differences.tsx';
import { SyncBadge } from './listing-columns.tsx';
import type { Listing } from './listing-values.ts';
import { Submissions } from './submissions.tsx';

interface Props {
  id: number | undefined;
  onClose: () => void;
  /** Opens another listing. */
  onOpen: (id: number) => void;
}

export function ListingDrawer({ id, onClose, onOpen }: Props) {
  const found = useApi(
    'GET /api/listings/{id}',
    { path: { id: id ?? 0 } },
    { enabled: id !== undefined, refetchInterval: 5000 },
  );
  const nameOf = useLocationNames([found.data?.locationId]);
  const listing = found.data;
  return (
    <FormDrawer
      opened={id !== undefined}
      onClose={onClose}
      param="listing"
      size="xl"
      title={
        listing
          ? `${listing.typeName} · ${nameOf(listing.locationId) ?? t('parts.choice.loading')}`
          : t('listings.listing')
      }
    >
      {(_close, guard) => (
        <>
          {found.error && <TryAgain error={found.error} onRetry={found.refetch} />}
          {!listing && !found.error && <Skeleton height={240} />}
          {listing && id !== undefined && (
            <Details key={id} listing={listing} onOpen={(other) => guard(() => onOpen(other))} />
          )}
        </>
      )}
    </FormDrawer>
  );
}

/** Short labels, so that all tabs fit on a phone. */
const tabPadding = { base: 'xs', xs: 'md' };

function Details({ listing, onOpen }: { listing: Listing; onOpen: (id: number) => void }) {
  const mayWrite = useHasPermission('LOCATION_WRITE');
  return (
    <Stack>
      <Facts listing={listing} />
      {mayWrite && <ListingActions listing={listing} />}
      <Duplicates listing={listing} onOpen={onOpen} />
      <Tabs defaultValue="differences" keepMounted={false} keepMountedMode="display-none">
        <Tabs.List mb="md" aria-label={t('listings.tabsLabel')}>
          <Tabs.Tab value="differences" px={tabPadding}>
            {t('listings.fieldDifferences')}
          </Tabs.Tab>
          <Tabs.Tab value="submissions" px={tabPadding}>
            {t('listings.submissions.title')}
          </Tabs.Tab>
          {mayWrite && (
            <Tabs.Tab value="edit" px={tabPadding}>
              {t('listings.edit.title')}
            </Tabs.Tab>
          )}
        </Tabs.List>
        <Tabs.Panel value="differences">
          <FieldDifferences listing={listing} />
        </Tabs.Panel>
        <Tabs.Panel value="submissions">
          <Submissions listingId={listing.id} />
        </Tabs.Panel>
        {/* Stays mounted on other tabs, with its effects: unsaved changes are kept, and closing asks. */}
        {mayWrite && (
          <Tabs.Panel value="edit" keepMounted>
            <EditListing listing={listing} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Stack>
  );
}

function Facts({ listing }: { listing: Listing }) {
  return (
    <Stack gap={6}>
      <Group gap="sm">
        <SyncBadge listing={listing} />
        <Text size="sm">{textOrWords('listings.flow', listing.flowStatus)}</Text>
        <Text size="sm" c="dimmed">
          {textOrWords('listings.claim', listing.claimStatus)}
        </Text>
      </Group>
      <Group gap="md">
        <Anchor component={Link} to={`/locations/${listing.locationId}`} size="sm">
          {t('listings.openLocation')}
        </Anchor>
        {isHttpUrl(listing.listingUrl) && (
          <Anchor href={listing.listingUrl} target="_blank" rel="noopener noreferrer" size="sm">
            <Group gap={4} component="span" display="inline-flex">
              {t('listings.openPage')}
              <ExternalLink size={14} aria-hidden />
            </Group>
          </Anchor>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('listings.lastChecked')}: <TimeAgo at={listing.lastChecked} /> · {t('listings.lastUpdate')}:{' '}
        <TimeAgo at={listing.lastSuccessfulUpdate} />
      </Text>
      {listing.nextTry && (
        <Alert color="orange">
          {t('listings.unavailable')} <AttemptCountdown at={listing.nextTry} />
        </Alert>
      )}
    </Stack>
  );
}

function Duplicates({ listing, onOpen }: { listing: Listing; onOpen: (id: number) => void }) {
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

const read = ['GET /api/listings/{id}', 'GET /api/listings', 'GET /api/locations/{id}/listings'] as const;

function ListingActions({ listing }: { listing: Listing }) {
  const { id, typeName, connectStatus } = listing;
  const submit = useApiWrite('POST /api/listings/{id}/submit', {
    changes: [...read, 'GET /api/listings/{id}/submissions'],
    onSuccess: () => notifyDone(t('listings.actions.submitted', { directory: typeName })),
  });
  const connect = useApiWrite('POST /api/listings/{id}/connect', { changes: read });
  const disconnect = useApiWrite('POST /api/listings/{id}/disconnect', { changes: read });
  return (
    <Group gap="xs">
      <Button
        leftSection={<Send size={16} aria-hidden />}
        loading={submit.isPending}
        onClick={() => submit.mutate({ path: { id } }, { onError: notifyProblem })}
      >
        {t('listings.actions.submit')}
      </Button>
      {connectStatus === 'NOT_CONNECTED' && (
        <Button
          variant="default"
          leftSection={<Link2 size={16} aria-hidden />}
          loading={connect.isPending}
          onClick={() => connect.mutate({ path: { id } }, { onError: notifyProblem })}
        >
          {t('listings.actions.connect')}
        </Button>
      )}
      {connectStatus === 'CONNECTED' && (
        <Button
          variant="default"
          leftSection={<Unlink size={16} aria-hidden />}
          loading={disconnect.isPending}
          onClick={() => disconnect.mutate({ path: { id } }, { onError: notifyProblem })}
        >
          {t('listings.actions.disconnect')}
        </Button>
      )}
    </Group>
  );
}
