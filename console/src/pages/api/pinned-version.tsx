import { Alert, Badge, Button, Code, Group, List, Paper, Select, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { useSession, useSignIn } from '../../api/session.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { dayText } from '../../parts/time-text.ts';
import { TryAgain } from '../../parts/try-again.tsx';
import { useSearchChange } from '../../parts/use-search-change.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import {
  breakingChangesBetween,
  type DeprecatedUseEntry,
  kindColors,
  totalUses,
  usesReplacedBy,
  type Version,
} from './versions.ts';

const route = getRouteApi('/shell/settings/api');

export function PinnedVersion() {
  const { partner } = useSession();
  const { refresh } = useSignIn();
  const search = route.useSearch();
  const change = useSearchChange<typeof search>();
  /** Version in the dialog: the chosen one changes with the URL. */
  const [asking, setAsking] = useState<string>();
  const record = useApi('GET /api/versions');
  const used = useApi('GET /api/deprecated-use', { query: { days: 30 } });
  const pin = useApiWrite('PUT /api/sales-partners/{id}', {
    changes: ['GET /api/sales-partners', 'GET /api/audit-trail'],
  });
  const versions = record.data?.versions ?? [];
  const pinned = partner.apiVersion;
  const chosen = versions.find(({ version }) => version === search.version)?.version ?? pinned;
  const isBack = chosen < pinned;
  const breaking = breakingChangesBetween(versions, pinned, chosen);
  const uses = isBack ? undefined : used.data?.uses;
  const names = breaking.flatMap((entry) => usesReplacedBy(uses ?? [], entry).map(({ name }) => name));
  return (
    <Section title={t('api.version')} text={t('api.versionText')}>
      <Loaded query={record} height={60}>
        {() => (
          <Stack>
            <Group align="end" gap="sm">
              <Select
                label={t('api.pinned')}
                data={versions.map(({ version }, index) => ({
                  value: version,
                  label: index === 0 ? `${version} (${t('api.newest')})` : version,
                }))}
                value={chosen}
                onChange={(value) => change({ version: value === pinned ? undefined : (value ?? undefined) })}
                searchable
                w={220}
              />
              {chosen !== pinned && (
                <Button onClick={() => setAsking(chosen)}>{t('api.pin', { version: chosen })}</Button>
              )}
            </Group>
            {chosen !== pinned && (
              <Stack gap="sm" role="status">
                <Text fw={600}>
                  {t(isBack ? 'api.whatChangesBack' : 'api.whatChanges', { from: pinned, to: chosen })}
                </Text>
                {!isBack && used.error && <TryAgain error={used.error} onRetry={used.refetch} />}
                {breaking.length === 0 ? (
                  <Alert color="teal" icon={<CircleCheck size={18} aria-hidden />}>
                    {t('api.nothingChanges')}
                  </Alert>
                ) : (
                  breaking.map((entry) => (
                    <VersionEntry key={entry.version} entry={entry} uses={uses && usesReplacedBy(uses, entry)} />
                  ))
                )}
              </Stack>
            )}
          </Stack>
        )}
      </Loaded>
      <ConfirmDialog
        isOpen={asking === chosen && chosen !== pinned}
        title={t('api.pinTitle', { version: chosen })}
        losses={[
          t('api.pinEffect', { version: chosen }),
          ...(names.length > 0 ? [t('api.pinUsed', { names: [...new Set(names)].join(', ') })] : []),
        ]}
        confirmLabel={t('api.pin', { version: chosen })}
        isDangerous={names.length > 0}
        onConfirm={async () => {
          await pin.mutateAsync({ path: { id: partner.id }, body: { apiVersion: chosen } });
          await refresh();
          change({ version: undefined });
          notifyDone(t('api.pinnedDone', { version: chosen }));
        }}
        onClose={() => setAsking(undefined)}
      />
    </Section>
  );
}

interface Props {
  entry: Version;
  /** The partner's use of names that this version replaces. Without it, no usage badge is shown. */
  uses?: readonly DeprecatedUseEntry[] | undefined;
}

function VersionEntry({ entry: { version, date, kind, description, touches, replaced }, uses }: Props) {
  return (
    <Paper withBorder p="md">
      <Stack gap={6}>
        <Group gap="xs">
          <Text fw={650}>{version}</Text>
          <Text size="sm" c="dimmed">
            {dayText(date)}
          </Text>
          <Badge color={kindColors[kind]} autoContrast>
            {textOrWords('api.kinds', kind)}
          </Badge>
          {uses &&
            (uses.length > 0 ? (
              <StatusBadge tone="warning">{tn('api.usedByYou', totalUses(uses))}</StatusBadge>
            ) : (
              <StatusBadge tone="good">{t('api.notUsed')}</StatusBadge>
            ))}
        </Group>
        <Text size="sm">{description}</Text>
        {replaced.length > 0 && (
          <List size="sm" spacing={2} c="dimmed">
            {replaced.map(({ where, before, now }) => (
              <List.Item key={`${where} ${before}`}>
                {where}: <Code>{before}</Code> → <Code>{now}</Code>
              </List.Item>
            ))}
          </List>
        )}
        {touches.length > 0 && (
          <Text size="xs" c="dimmed">
            {t('api.affects')}: {touches.join(', ')}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
