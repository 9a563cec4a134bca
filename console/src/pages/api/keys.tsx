import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { FastForward, RefreshCw } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CopyField } from '../../parts/copy-field.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { type Column, listOf } from '../../parts/data-list/column.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { RotationDialog } from '../../parts/rotation-dialog.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { absoluteTime } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { api } from './api-texts.ts';

export function Keys() {
  const { partner } = useSession();
  const queries = useQueryClient();
  const [isRotating, setRotating] = useState(false);
  /** Id of the key in the dialog: the next key can change while it is open. */
  const [switchingTo, setSwitchingTo] = useState<number>();
  const keys = useApi('GET /api/sales-partners/{id}/private-keys', { path: { id: partner.id } });
  const refetchKeys = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['GET /api/sales-partners/{id}/private-keys'] });
  }, [queries]);
  const nextSigningKey = keys.data?.privateKeys.find(({ signsFrom }) => signsFrom !== undefined);
  return (
    <Section
      title={t('api.keys')}
      text={t('api.keysText')}
      actions={
        <Group gap="sm">
          {nextSigningKey && (
            <Button
              variant="light"
              leftSection={<FastForward size={16} aria-hidden />}
              onClick={() => setSwitchingTo(nextSigningKey.id)}
            >
              {t('api.switch')}
            </Button>
          )}
          <Button variant="light" leftSection={<RefreshCw size={16} aria-hidden />} onClick={() => setRotating(true)}>
            {t('api.rotation.submit')}
          </Button>
        </Group>
      }
    >
      <Stack>
        <DataList
          label={t('api.privateKeys')}
          source={listOf(keys, ({ privateKeys }) => privateKeys)}
          columns={columnsFor(refetchKeys)}
          rowKey={({ id }) => id}
          empty={{ title: t('api.noKeys') }}
          withCount={false}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <div>
            <CopyField label={t('api.publicKey')} value={partner.publicKey} />
            <Text size="xs" c="dimmed" mt={4}>
              {t('api.publicKeyText')}
            </Text>
          </div>
          <CopyField label={t('api.identifier')} value={partner.identifier} />
        </SimpleGrid>
      </Stack>
      {nextSigningKey && (
        <SwitchKeyDialog
          keyId={nextSigningKey.id}
          isOpen={switchingTo === nextSigningKey.id}
          onClose={() => setSwitchingTo(undefined)}
        />
      )}
      <RotateKey isOpen={isRotating} onClose={() => setRotating(false)} />
    </Section>
  );
}

type Key = ResponseOf<'GET /api/sales-partners/{id}/private-keys'>['privateKeys'][number];

const signingTimeText = (key: 'api.signsFrom' | 'api.signsUntil', at: string) =>
  t(key, { time: absoluteTime(new Date(at)) });

const columnsFor = (onExpired: () => void): Column<Key>[] => [
  { key: 'id', title: t('api.keyId'), render: ({ id }) => `#${id}` },
  { key: 'dateCreated', title: t('api.created'), render: ({ dateCreated }) => <TimeAgo at={dateCreated} /> },
  {
    key: 'state',
    title: t('api.state'),
    render: ({ expires, signs, signsFrom, signsUntil }) => (
      <Group gap={6}>
        {expires ? (
          <StatusBadge tone="warning">
            <Countdown until={expires} text={(time) => t('api.expiresIn', { time })} onEnd={onExpired} />
          </StatusBadge>
        ) : (
          <StatusBadge tone="good">{t('api.active')}</StatusBadge>
        )}
        {signs && (
          <StatusBadge tone="neutral">
            {signsUntil ? signingTimeText('api.signsUntil', signsUntil) : t('api.signs')}
          </StatusBadge>
        )}
        {signsFrom && <StatusBadge tone="neutral">{signingTimeText('api.signsFrom', signsFrom)}</StatusBadge>}
      </Group>
    ),
  },
];

interface Props {
  /** Id of the key that signs after the switch. */
  keyId: number;
  isOpen: boolean;
  onClose: () => void;
}

function SwitchKeyDialog({ keyId, isOpen, onClose }: Props) {
  const { partner } = useSession();
  const switchKey = useApiWrite('POST /api/sales-partners/{id}/switch-private-key', {
    changes: ['GET /api/sales-partners/{id}/private-keys', 'GET /api/audit-trail'],
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('api.switchTitle', { key: `#${keyId}` })}
      text={t('api.switchText', { key: `#${keyId}` })}
      losses={[t('api.switchIntegrations'), t('api.switchReceivers')]}
      confirmLabel={t('api.switch')}
      onConfirm={async () => {
        await switchKey.mutateAsync({ path: { id: partner.id } });
        notifyDone(t('api.switched', { key: `#${keyId}` }));
      }}
      onClose={onClose}
    />
  );
}

interface RotateKeyProps {
  isOpen: boolean;
  onClose: () => void;
}

function RotateKey(props: RotateKeyProps) {
  const { partner } = useSession();
  const rotate = useApiWrite('POST /api/sales-partners/{id}/rotate-private-key', {
    changes: ['GET /api/sales-partners/{id}/private-keys', 'GET /api/audit-trail'],
  });
  return (
    <RotationDialog
      {...props}
      texts="api.rotation"
      lead={<Text size="sm">{t('api.rotation.text')}</Text>}
      overlaps={api.rotation.overlaps}
      onRotate={async (overlapHours) => {
        const rotated = await rotate.mutateAsync({ path: { id: partner.id }, body: { overlapHours } });
        return { value: rotated.privateKey, previousUntil: rotated.previousKeyValidUntil };
      }}
    />
  );
}
