import { Badge, Code, Group, List, Paper, Stack, Text } from '@mantine/core';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { dayText } from '../../parts/time-text.ts';
import { t, textOrWords, tn } from '../../texts/t.ts';
import { type DeprecatedUseEntry, totalUses, type Version } from './versions.ts';

const colors = { BREAKING: 'orange', ADDITIVE: 'teal', INTERNAL: 'gray' } as const;

interface Props {
  entry: Version;
  /** The partner's use of names that this version replaces. Without it, no usage badge is shown. */
  uses?: readonly DeprecatedUseEntry[] | undefined;
}

export function VersionEntry({ entry: { version, date, kind, description, touches, replaced }, uses }: Props) {
  return (
    <Paper withBorder p="md">
      <Stack gap={6}>
        <Group gap="xs">
          <Text fw={650}>{version}</Text>
          <Text size="sm" c="dimmed">
            {dayText(date)}
          </Text>
          <Badge color={colors[kind]} autoContrast>
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
