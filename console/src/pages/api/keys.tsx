import { Button, Group, SimpleGrid, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useApi } from '../../api/use-api.ts';
import { CopyField } from '../../parts/copy-field.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { t } from '../../texts/t.ts';
import { RotateKey } from './rotate-key.tsx';

export function Keys() {
  const { partner } = useSession();
  const queries = useQueryClient();
  const [isRotating, setRotating] = useState(false);
  const { data } = useApi('GET /api/sales-partners/{id}/private-keys', { path: { id: partner.id } });
  const readAgain = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['GET /api/sales-partners/{id}/private-keys'] });
  }, [queries]);
  return (
    <Section
      title={t('api.keys')}
      text={t('api.keysText')}
      actions={
        <Button variant="light" leftSection={<RefreshCw size={16} aria-hidden />} onClick={() => setRotating(true)}>
          {t('api.rotate')}
        </Button>
      }
    >
      <Stack>
        {data ? (
          <Table.ScrollContainer minWidth={0} type="native">
            <Table aria-label={t('api.privateKey')} verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t('api.privateKey')}</Table.Th>
                  <Table.Th scope="col">{t('api.made')}</Table.Th>
                  <Table.Th scope="col">{t('api.state')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.privateKeys.map(({ id, dateCreated, expires, signs }) => (
                  <Table.Tr key={id}>
                    <Table.Td>#{id}</Table.Td>
                    <Table.Td>
                      <TimeAgo at={dateCreated} />
                    </Table.Td>
                    <Table.Td>
                      <Group gap={6}>
                        {expires ? (
                          <StatusBadge tone="warning">
                            <Countdown until={expires} text={(time) => t('api.leaving', { time })} onEnd={readAgain} />
                          </StatusBadge>
                        ) : (
                          <StatusBadge tone="good">{t('api.inUse')}</StatusBadge>
                        )}
                        {signs && <StatusBadge tone="neutral">{t('api.signs')}</StatusBadge>}
                      </Group>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        ) : (
          <Skeleton height={84} />
        )}
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
      <RotateKey isOpen={isRotating} onClose={() => setRotating(false)} />
    </Section>
  );
}
