import { Box, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { Chart } from '../../parts/chart.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { decimalText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { useDirectoryName } from '../../parts/use-directories.ts';
import { t } from '../../texts/t.ts';
import { type DashboardQuery, periodText } from './dashboard-query.ts';

type Visibility = ResponseOf<'GET /api/dashboard/visibility-index'>;

export function VisibilitySection({ query: { scope, span, group } }: { query: DashboardQuery }) {
  const found = useApi(
    'GET /api/dashboard/visibility-index',
    { query: { ...scope, ...span, group } },
    { keepPrevious: true },
  );
  return (
    <Section title={t('dashboard.visibility.title')} text={t('dashboard.visibility.text')}>
      <Loaded query={found} height={300}>
        {({ score, history, byDirectory }) =>
          score === undefined ? (
            <Stack gap={4} py="lg" align="center">
              <Text fw={600}>{t('dashboard.visibility.none')}</Text>
              <Text size="sm" c="dimmed">
                {t('dashboard.visibility.noneText')}
              </Text>
            </Stack>
          ) : (
            <SimpleGrid cols={{ base: 1, md: history.length > 0 ? 2 : 1 }} spacing="xl">
              <div>
                <Text fz={26} fw={650}>
                  {decimalText(score)}
                </Text>
                {history.length === 0 ? (
                  <Text size="sm" c="dimmed">
                    {t('dashboard.visibility.noHistory')}
                  </Text>
                ) : (
                  <Chart
                    kind="area"
                    label={t('dashboard.visibility.title')}
                    rows={history}
                    along="period"
                    alongLabel={t('dashboard.periodColumn')}
                    alongText={periodText(group)}
                    series={[{ key: 'score', label: t('dashboard.visibility.score'), color: 'harbour' }]}
                    scale={[0, 100]}
                    valueText={decimalText}
                  />
                )}
              </div>
              <Stack gap="xs">
                <Title order={3}>{t('dashboard.visibility.byDirectory')}</Title>
                <SimpleGrid cols={{ base: 1, md: history.length > 0 ? 1 : 2 }} spacing="xl" verticalSpacing="xs">
                  <ByDirectory directories={byDirectory} />
                </SimpleGrid>
              </Stack>
            </SimpleGrid>
          )
        }
      </Loaded>
    </Section>
  );
}

function ByDirectory({ directories }: { directories: Visibility['byDirectory'] }) {
  const nameOf = useDirectoryName();
  return [...directories]
    .sort((a, b) => (b.score ?? -1) - (a.score ?? -1))
    .map(({ directoryType, score }) => (
      <Group key={directoryType} gap="sm" wrap="nowrap">
        <Text size="sm" w={120} truncate title={nameOf(directoryType)}>
          {nameOf(directoryType)}
        </Text>
        {score === undefined ? (
          <Box flex={1} />
        ) : (
          <PercentBar size="md" flex={1} percent={score} label={nameOf(directoryType)} />
        )}
        <Text size="sm" w={48} ta="right">
          {score === undefined ? t('dashboard.key.none') : decimalText(score)}
        </Text>
      </Group>
    ));
}
