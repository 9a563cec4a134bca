import { Group, Stack, Text } from '@mantine/core';
import { useApi } from '../../api/use-api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { decimalText, numberText } from '../../parts/number-text.ts';
import { PercentBar } from '../../parts/percent-bar.tsx';
import { Section } from '../../parts/section.tsx';
import { t } from '../../texts/t.ts';
import type { DashboardQuery } from './dashboard-query.ts';

const levels = ['REQUIRED', 'BASIC', 'ADVANCED', 'BONUS'] as const;
const colors = { REQUIRED: 'red', BASIC: 'orange', ADVANCED: 'yellow', BONUS: 'teal' } as const;

export function CompletenessSection({ query: { scope } }: { query: DashboardQuery }) {
  const found = useApi('GET /api/dashboard/profile-completeness', { query: scope }, { keepPrevious: true });
  return (
    <Section title={t('dashboard.completeness.title')} text={t('dashboard.completeness.text')}>
      <Loaded query={found} height={220}>
        {({ averageProfileCompleteness, locationClassificationCounts, matchedLocationsCount }) => (
          <Stack gap="md">
            {averageProfileCompleteness !== undefined && (
              <Text fz={26} fw={650}>
                {t('dashboard.completeness.average', { percent: `${decimalText(averageProfileCompleteness)}%` })}
              </Text>
            )}
            {levels.map((level) => (
              <div key={level}>
                <Group justify="space-between" gap="xs">
                  <Text size="sm">{t(`dashboard.completeness.levels.${level}`)}</Text>
                  <Text size="sm" fw={550}>
                    {numberText(locationClassificationCounts[level])}
                  </Text>
                </Group>
                <PercentBar
                  size="md"
                  mt={4}
                  percent={(locationClassificationCounts[level] / Math.max(1, matchedLocationsCount)) * 100}
                  color={colors[level]}
                  label={t(`dashboard.completeness.levels.${level}`)}
                />
              </div>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
